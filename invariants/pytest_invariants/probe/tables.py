"""The table of a step, entry by entry and in its order, and what a host says beside it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pytest_invariants.probe.agent import REFUSALS
from pytest_invariants.probe.host import HostError, Outcome
from pytest_invariants.probe.levers import words
from pytest_invariants.probe.schemas import as_text, name_of
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.target import describe

SHOWN = 12
"""Lines of a difference that are shown."""


@dataclass(frozen=True, slots=True)
class Table:
    """The names of the tools, and the bytes of each entry."""

    names: tuple[str, ...]
    entries: tuple[str, ...]

    @property
    def text(self) -> str:
        return "".join(self.entries)

    def entry(self, name: str) -> str | None:
        return dict(zip(self.names, self.entries, strict=True)).get(name)

    def continues(self, other: Table) -> bool:
        """Whether every byte of the other table stands where it stood."""
        return self.entries[: len(other.entries)] == other.entries


def shown(stage: Stage, method: str = "table", *arguments: object) -> Table:
    """The table of the step that the agent is in. Raises HostError where the host gives none."""
    entries = stage.agent.call(method, *arguments)
    host = stage.agent.name
    if not isinstance(entries, list | tuple):
        raise HostError(f"`{host}.{method}` returned {entries!r:.60}; return the schemas as a list")
    for entry in entries:
        if not name_of(entry):
            said = f"`{host}.{method}` has an entry without a name, {entry!r:.60}"
            raise HostError(f"{said}; give each a `name`, or a `function` with a `name`")
    return Table(tuple(map(name_of, entries)), tuple(map(as_text, entries)))


def said(stage: Stage, *methods: str) -> frozenset[str]:
    """The names that these methods of the host return, as far as it has them."""
    return frozenset(name for method in methods if stage.session.has(method) for name in stage.agent.names(method))


def reachable(stage: Stage) -> frozenset[str]:
    """What the model can come by: the names in the table, and those that a search finds."""
    return frozenset(shown(stage).names) | said(stage, "searchable")


def called(stage: Stage, tool: str) -> Outcome:
    """The model calls a tool by its exact name."""
    stage.script.append(f"the model calls {tool}")
    return stage.agent.outcome("call", tool)


def settle(stage: Stage) -> None:
    """Go on to where a change reaches the table, by the declared policy; to the next step, where none is declared."""
    session = stage.session
    levers = (session.pause,) if session.policy("table", "") else filter(session.has, ("step", "turn"))
    lever = next(iter(levers), None)
    if lever is not None:
        stage.pull(lever)


def tried(stage: Stage, lever: str, *arguments: object) -> str | None:
    """Move a lever that the agent may turn down: why it did, or None where it did not."""
    stage.script.append(words(lever, *arguments))
    try:
        stage.agent.call(lever, *arguments)
    except HostError:
        raise
    except REFUSALS as error:
        stage.script.append(f"which fails: {describe(error)}")
        return describe(error)
    return None


def lighten(stage: Stage) -> None:
    """Bring the agent to where as little as possible is loaded, by the levers that the declared policies give."""
    session = stage.session
    if not session.has("loaded") or not stage.agent.names("loaded"):
        return
    if session.has("compact") and session.policy("compaction", "") == "resets":
        stage.pull("compact")
    elif session.has("turn") and session.policy("loaded", "") == "grows":
        stage.pull("turn")
    settle(stage)


EXTENTS = ("as it opens", "with little loaded", "with all loaded")


def bring(stage: Stage, extent: str) -> None:
    """Bring the agent to one of the extents, as far as its host has levers for it."""
    if extent == EXTENTS[1]:
        lighten(stage)
    if extent == EXTENTS[2] and stage.session.has("load"):
        for skill in stage.session.skills:
            stage.pull("load", skill)
        settle(stage)


def mapping(stage: Stage, method: str) -> dict[str, tuple[str, ...]]:
    """A host's mapping from names to names, in the order of the names."""
    found = stage.agent.call(method)
    if not isinstance(found, Mapping) or not all(map(_is_names, found.values())):
        wanted = "return a dictionary from names to lists of names"
        raise HostError(f"`{stage.agent.name}.{method}` returned {found!r:.60}; {wanted}")
    return {str(name): tuple(sorted(found[name])) for name in sorted(found)}


def _is_names(value: object) -> bool:
    is_many = isinstance(value, Iterable) and not isinstance(value, str | bytes)
    return is_many and all(isinstance(name, str) for name in value)  # type: ignore[attr-defined]


def difference(old: str, new: str) -> tuple[str, ...]:
    """The first lines that differ."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "one", "the other", lineterm="", n=1)
    return tuple(lines)[:SHOWN]


def first_move(old: Table, new: Table) -> str:
    """In words, the first place at which a table no longer is what it was."""
    for place, (name, entry) in enumerate(zip(old.names, old.entries, strict=True), start=1):
        now = new.names[place - 1] if place <= len(new.names) else None
        if now is None:
            return f"`{name}` stood at place {place}, and nothing stands there now"
        if now != name:
            return f"`{name}` stood at place {place}, and `{now}` stands there now"
        if new.entries[place - 1] != entry:
            return f"the schema of `{name}` at place {place} is another"
    return f"{len(new.names) - len(old.names)} tools are new behind the {len(old.names)} that were there"


def known_tools(session: ProbeSession) -> frozenset[str]:
    """Every tool that the host can name, under any of its facts, where the seal says yes to everything."""
    found: set[str] = set()
    for facts in session.facts:
        with session.stage(facts) as stage:
            found |= reachable(stage) | said(stage, "core", "executable", "resident")
            found |= set(mapping(stage, "owners")) if session.has("owners") else set()
            for method in ("own_tools", "parts"):
                for skill in session.skills if session.has(method) else ():
                    found |= set(stage.agent.names(method, skill))
    return frozenset(name for name in found if not _is_file(name))


def _is_file(name: str) -> bool:
    return "/" in name or name.endswith((".md", ".py"))
