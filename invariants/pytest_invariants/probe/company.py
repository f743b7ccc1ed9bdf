"""More agents on one stage: a child of the agent that is there, or a second thread beside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pytest_invariants.probe.host import Facts, Host, HostError, Where
from pytest_invariants.probe.matching import same
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.worlds import Asker


@contextmanager
def spawned(stage: Stage) -> Iterator[Stage | None]:
    """A child of the agent, closed at the end; None where the agent spawns none in this world."""
    child = stage.pull("spawn_child")
    if child is None:
        yield None
        return
    if not isinstance(child, Host):
        raise HostError(f"`spawn_child` returned {child!r:.60}; return a Host whose agent is open")
    beside = _on_stage(stage, child, stage.facts)
    try:
        yield beside
    finally:
        beside.agent.close()


@contextmanager
def beside(stage: Stage, facts: Facts) -> Iterator[Stage]:
    """Another agent, or where the host has `beside` another thread of the same one, closed at the end."""
    other = _on_stage(stage, _second(stage, facts), facts)
    try:
        if not stage.session.has("beside"):
            other.script.append(f"a second agent opens with {facts}")
            other.agent.open(facts)
        yield other
    finally:
        other.agent.close()


def _second(stage: Stage, facts: Facts) -> Host:
    if not stage.session.has("beside"):
        return stage.session.new_agent().host
    host = stage.pull("beside", facts)
    if not isinstance(host, Host):
        raise HostError(f"`beside` returned {host!r:.60}; return a Host whose agent is open")
    return host


def _on_stage(stage: Stage, host: Host, facts: Facts) -> Stage:
    """The script of the first agent so far is the beginning of the second's."""
    return Stage(stage.session, facts, stage.swapped, stage.agent.beside(host), list(stage.script))


def asker_of(stage: Stage) -> Asker | None:
    """On whose behalf the agent asks, by its host; None where the host does not say, or not the same for all skills."""
    arguments = stage.session.read_arguments(stage.agent)
    names = tuple(stage.session.registry.seal.principal)
    first = next(iter(arguments.values()))
    if not names or any(name not in each for each in arguments.values() for name in names):
        return None
    alike = all(same(first[name], each[name]) for each in arguments.values() for name in names)
    return Asker(tuple((name, first[name]) for name in names)) if alike else None


def told_apart(one: Asker | None, other: Asker | None) -> bool:
    """Whether a call of the seal shows for which of the two it is."""
    return one is not None and other is not None and not one.is_who(dict(other.values))


def same_subjects(session: ProbeSession, one: Stage, other: Stage) -> bool:
    """Whether two agents ask about the same things, so that one world speaks to both."""
    mine, others = session.read_arguments(one.agent), session.read_arguments(other.agent)
    names = session.registry.seal.subject
    return all(
        isinstance(mine[skill].get(name), Where) or same(mine[skill].get(name), others[skill].get(name))
        for skill in session.skills
        for name in names
    )
