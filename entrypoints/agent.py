"""The process: what it has read, what is registered, where it keeps things. It makes turns; surfaces do the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from entrypoints.core_tools import BASE, BROWSING
from entrypoints.history import History
from entrypoints.sources import Asker, review_tools
from entrypoints.tool_names import prefixed
from entrypoints.turn import NO_PROVIDER, Provider, Thread, Turn
from skills.checks import check_skills
from skills.context import NOBODY, ExecutionContext, Identity
from skills.groups import index_of
from skills.guard import Guard
from skills.loader import SkillLoader, skills_in_force, withheld_in_force
from skills.model import Tool
from skills.registry import ToolRegistry
from skills.residency import ALWAYS_AVAILABLE, resident_names
from skills.store import Store


@dataclass(frozen=True, slots=True)
class Agent:
    """`loader` is the process-wide one: it answers where a turn brings none. None where there is none at all."""

    history: History
    store: Store
    loader: SkillLoader | None = None
    central: frozenset[str] = ALWAYS_AVAILABLE
    registry: ToolRegistry = field(default_factory=ToolRegistry)
    guard: Guard = field(default_factory=Guard)

    def turn(
        self,
        thread: Thread,
        provider: Provider = NO_PROVIDER,
        loader: SkillLoader | None = None,
        identity: Identity = NOBODY,
    ) -> Turn:
        """The facts of a turn as they are now: skills and tools are looked at anew each time."""
        skills = skills_in_force(loader, self.loader)
        index = index_of(skills, self.registry.tools(), withheld_in_force(loader, self.loader))
        return Turn(thread, index, self._context(thread, identity), provider, resident_names(skills, self.central))

    def connect(self, served: Sequence[Tool]) -> None:
        """Register the tools of an MCP server under the names that a model is given; the core keeps its own.

        Raises:
            ValueError: another server has taken one of these names.
        """
        core = {tool.name for tool in self.registry.tools() if tool.namespace is None}
        self.registry.register(*prefixed(served, core))

    def review(self, thread: Thread, asker: Asker, provider: Provider = NO_PROVIDER) -> Turn:
        """The turn of a reviewer: skills and registered tools are not looked at, so nothing has to be taken away."""
        tools = review_tools(asker)
        index = index_of((), tools)
        return Turn(thread, index, self._context(thread, NOBODY), provider, frozenset(tool.name for tool in tools))

    def _context(self, thread: Thread, identity: Identity) -> ExecutionContext:
        return ExecutionContext(self.store, thread.id, identity, guard=self.guard)


def open_agent(
    home: Path,
    loader: SkillLoader | None = None,
    namespaces: Sequence[Tool] = (),
    core: Sequence[Tool] = (*BASE, *BROWSING),
    central: frozenset[str] = ALWAYS_AVAILABLE,
) -> Agent:
    """An agent that keeps its threads and effects in the folder `home` and registers all tools once and for all.

    Raises:
        SkillFileError: skills that cannot go together with each other or with the registered tools.
    """
    home.mkdir(parents=True, exist_ok=True)
    own = [tool for skill in loader.all() for tool in skill.tools] if loader is not None else []
    registry = ToolRegistry([*core, *own, *namespaces])
    if loader is not None:
        check_skills(loader.all(), registry.tools())
    return Agent(History(home / "threads.db"), Store(home / "effects.db"), loader, central, registry)
