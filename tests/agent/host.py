"""The host through which the harness runs this repository's own agent."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pytest_invariants import Facts, Listing, Outcome

from entrypoints.activate import activate
from entrypoints.bridge import ChildFacts, child_facts
from entrypoints.bridge_server import bridge_call, bridge_tools, child_turn
from entrypoints.direct_call import call_tool
from entrypoints.dispatch import dispatch
from entrypoints.index import render_index
from entrypoints.introspect import introspect
from entrypoints.manual import read_manual
from entrypoints.rescan import rescan
from entrypoints.sources import Asker
from entrypoints.step import freeze
from entrypoints.table import build_table
from entrypoints.tool_search import search_tools
from entrypoints.turn import Provider, Turn
from skills.frontmatter import parse_skill
from skills.loader import SkillLoader, skills_in_force
from skills.model import Availability, Schema, Skill, Tool
from skills.residency import resident_names
from tests.agent.calls import CallsHost
from tests.agent.files import FilesHost, bodies
from tests.agent.threads import ThreadsHost
from tests.agent.traced import Mark, traced_agent
from tests.agent.world import SEALED_SKILLS, TRUSTED, calling, fresh_key, loading

DESK = Facts("finance", TRUSTED.id, TRUSTED.tags)


class ReferenceHost(CallsHost, FilesHost, ThreadsHost):
    """Everything happens in one thread, in which every skill has been loaded and a tool of each has been called."""

    skills = ("notes", *SEALED_SKILLS)
    facts = (DESK, replace(DESK, with_loader=False), Facts())

    opened: Facts
    folder: tempfile.TemporaryDirectory[str]
    ran: list[Mark]
    served: list[Tool]

    def open(self, facts: Facts) -> None:
        self.opened = facts
        self.folder = tempfile.TemporaryDirectory()
        self.ran = []
        self.furnish()
        self.restart()
        thread = self.agent.history.open_thread("probe", facts.category)
        self.agent.history.open_writing(thread, *self.skills)
        self.step()
        if self.agent.loader is not None:
            self.remember()

    def close(self) -> None:
        self.release()
        self.folder.cleanup()

    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        return {"categories": self._skill(skill).categories, "thread_category": self.now.category}

    # Surfaces

    def index(self) -> Listing:
        text = render_index(self.now)
        return Listing(tuple(line.removeprefix("- ").partition(":")[0] for line in text.splitlines()), text)

    def introspect(self) -> Listing:
        cards = introspect(self.now)
        return Listing(tuple(card.name for card in cards), repr(cards))

    def manual(self, name: str) -> Outcome:
        text = read_manual(self.now, name)
        return Outcome(text in bodies(), text)

    def activate(self, *names: str) -> Outcome:
        loaded = activate(self.now, names)
        return Outcome(bool(loaded), "\n".join(skill.manual for skill in loaded))

    def direct_call(self, name: str) -> Outcome:
        return self.reach(self._call_of(name).name)

    def rescan(self) -> Listing:
        return self._listing(rescan(self.now, self._messages()))

    def bridge_tools(self) -> Listing:
        return self._listing(bridge_tools(self._child()))

    def bridge_call(self, name: str) -> Outcome:
        child, call = self._child(), self._call_of(name)
        return self._ran(lambda: bridge_call(child, call.name, call.arguments, fresh_key()).message)

    def tool_search(self) -> Listing:
        names = [tool.name for skill in self.now.skills.all() for tool in skill.tools]
        return self._listing(search_tools(self.now, " ".join(names).replace("_", " "), names, limit=1000))

    def surface_table(self) -> Listing:
        return self._listing(build_table(self.now, self._messages()))

    def frozen_step(self) -> Listing:
        return self._listing(freeze(self.now, self.skills, self._messages()).router.visible)

    def dispatch(self, name: str) -> Outcome:
        frozen, call = freeze(self.now, (), self._messages()), self._call_of(name)
        return self._ran(lambda: dispatch(frozen, call).text)

    # Levers

    def turn(self) -> None:
        self.step()

    def resume(self, fresh: bool) -> None:
        if fresh:
            self.restart()
        self.step()

    def reload(self) -> None:
        if self.loader is not None:
            self.loader.reload()
        self.step()

    def restart(self) -> None:
        self.leave()
        self.loader = None if self.opened.path == "bootstrap" else SkillLoader(disabled=self.disabled)
        self.agent = traced_agent(Path(self.folder.name), self.loader, self.ran, self.opened.order)
        self.learn()
        self.served = [tool for tool in self.agent.registry.tools() if tool.namespace == "warehouse"]
        self.step()

    def drop(self) -> None:
        self.agent.registry.drop_namespace("warehouse")

    def connect(self) -> None:
        self.drop()
        self.agent.registry.register(*self.served)
        self.step()

    # Facts

    def resident(self) -> frozenset[str]:
        return resident_names(skills_in_force(self.agent.loader if self.opened.with_loader else None, None))

    def resident_skills(self) -> list[str]:
        return [skill.name for skill in self.now.skills.all() if skill.availability is Availability.RESIDENT]

    def own_tools(self, skill: str) -> list[str]:
        return [tool.name for tool in self._skill(skill).tools if tool.namespace is None]

    def parts(self, skill: str) -> list[str]:
        return [f"{skill}/SKILL.md", *(tool.name for tool in self._skill(skill).tools)]

    def reach(self, part: str) -> Outcome:
        name = part.removesuffix("/SKILL.md")
        return self.manual(name) if name != part else self._ran(lambda: self._called(part))

    def declare_resident(self, reason: str | None) -> None:
        said = [] if reason is None else [f"availability_reason: {json.dumps(reason)}"]
        header = ["---", "name: probe", "description: A probe.", "availability: resident", *said, "---"]
        parse_skill("\n".join(header).encode(), "probe/SKILL.md")

    def refusal_facts(self, skill: str) -> list[str]:
        facts = (self.opened.provider, self.opened.category, *self.opened.tags, *self._skill(skill).categories)
        return [fact for fact in facts if fact is not None]

    def spawn_child(self) -> ReferenceHost:
        child = ChildHost()
        child.told = child_facts(self.now, Path(self.folder.name), self.now.provider)
        return child.joined(self, self.opened)

    def beside(self, facts: Facts) -> ReferenceHost:
        other = BesideHost()
        thread = self.agent.history.open_thread(other.thread, facts.category)
        self.agent.history.open_writing(thread, *self.skills)
        other.joined(self, facts)
        other.remember()
        return other

    def joined(self, first: ReferenceHost, facts: Facts) -> ReferenceHost:
        """Work with the agent of another host."""
        self.opened, self.folder, self.ran, self.loader = facts, first.folder, first.ran, first.loader
        self.agent, self.served = first.agent, first.served
        self.step()
        return self

    def remember(self) -> None:
        """Every skill has been loaded in this thread, and a tool of each has been called."""
        used = [calling(self._skill(name).tools[0].name) for name in self.skills]
        self.agent.history.append(self.now.thread, loading(*self.skills), *used)
        self.step()

    def _skill(self, name: str) -> Skill:
        skill = self.now.skills.find(name)
        if skill is None:
            raise KeyError(name)
        return skill

    def _listing(self, schemas: Sequence[Schema]) -> Listing:
        groups = (self.now.skills.group_of(schema.name) for schema in schemas)
        return Listing(tuple(dict.fromkeys(group.name for group in groups if group is not None)), repr(schemas))

    def _child(self) -> Turn:
        """The turn of a child process, from nothing but its facts; made in this process, where the seal is swapped."""
        return child_turn(self.agent, child_facts(self.now, Path(self.folder.name), self.now.provider))

    def _called(self, tool: str) -> str:
        return call_tool(self.now, tool, self._sample(tool), fresh_key()).result.message


class SharedHost(ReferenceHost):
    """Works with an agent that is not its own to close."""

    def close(self) -> None:
        return None


class ChildHost(SharedHost):
    """A child process, with nothing but the facts that it was told; made in this process, where the seal is swapped."""

    told: ChildFacts

    def _turn(self, asker: Asker) -> Turn:
        return child_turn(self.agent, self.told)


class BesideHost(SharedHost):
    """A second thread of the same agent."""

    thread = "beside"

    def _turn(self, asker: Asker) -> Turn:
        thread = self.agent.history.thread(self.thread)
        return self.agent.turn(
            thread, Provider(self.opened.provider, self.opened.tags), self.loader if self.opened.with_loader else None
        )
