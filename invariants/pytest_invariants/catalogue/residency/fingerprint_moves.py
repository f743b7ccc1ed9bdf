"""A resident tool that comes or goes in mid-conversation moves the fingerprint of the table, on every loading path.

What it states
    When a resident tool is registered while a conversation goes on, the next table has another fingerprint, and when
    it is taken off again, another once more: on each loading path that the registry names. Where nothing changed,
    the fingerprint stays. Without a `fingerprint` of the host's, the bytes of the table are looked at.

Why it matters
    Context segments, caches and quarantines are keyed by the fingerprint. A tool that is resident on one path only
    moves it on that path only: on the other no new segment begins, and a provider that was skipped is not asked again.
    A snapshot of the resident names stays green meanwhile, as it covers the path on which it was taken.

A failing example
    ::

        names = CENTRAL | declared_resident(loader.skills if loader else ())
        table = [tool.schema for tool in registry if tool.name in names]

    Without a loader `get_current_time`, which only a skill file makes resident, is registered and does not appear:
    refuted, `disagrees`. With `get_current_time` in `CENTRAL` it holds.

The repair
    Let each path read the resident names from the same sources, and the fingerprint from the table itself.

Its limits
    The tools are those that are resident, and in the table, on the first path. What the agent does with the
    fingerprint is not looked at.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe import paths
from pytest_invariants.probe.answers import Fallen, Lacking, of_run
from pytest_invariants.probe.host import Facts
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.tables import settle, shown
from pytest_invariants.probe.worlds import REAL
from pytest_invariants.verdict import Reason

ID = "fingerprint-moves"
REMEDY = "let every path read the resident names from the same sources, and the fingerprint from the table"


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("table", "resident", "remove_tool", "add_tool")
    tools: set[str] = set()
    for base in paths.bases(session):
        first, *others = (paths.on_path(base, path) for path in paths.names(session))
        resident = _resident(session, first)
        for facts in (first, *others) if resident else ():
            _look(session, facts, resident)
        tools |= set(resident)
    if not tools:
        raise Lacking("no resident tool is in the table under any of the host's facts")
    where = ", ".join(paths.names(session))
    return f"each of {len(tools)} resident tools moves the fingerprint when it comes and when it goes, on {where}"


def _resident(session: ProbeSession, facts: Facts) -> tuple[str, ...]:
    """The resident tools that are in the table."""
    with session.stage(facts, REAL) as stage:
        if stage.dead:
            return ()
        resident = frozenset(stage.agent.names("resident"))
        return tuple(name for name in shown(stage).names if name in resident)


def _look(session: ProbeSession, facts: Facts, tools: tuple[str, ...]) -> None:
    with session.stage(facts, REAL) as stage:
        if stage.dead:
            message = f"the agent opens on the first path and not with {facts}: {stage.dead}"
            raise Fallen(Reason.NOT_SHOWN, message, "repair the host's `open`", tuple(stage.script))
        before = _print(stage)
        settle(stage)
        if _print(stage) != before:
            message = f"the fingerprint moves though nothing has changed, with {facts}"
            raise Fallen(Reason.MOVED, message, "make it of the table alone", tuple(stage.script))
        for tool in tools:
            levers = ("remove_tool", "add_tool") if tool in shown(stage).names else ("add_tool", "remove_tool")
            for lever in levers:
                _move(stage, lever, tool)


def _move(stage: Stage, lever: str, tool: str) -> None:
    before = _print(stage)
    stage.pull(lever, tool)
    settle(stage)
    if _print(stage) == before:
        did = "registered" if lever == "add_tool" else "taken off"
        message = f"`{tool}` is resident, and the fingerprint stays where it is when it is {did}, with {stage.facts}"
        raise Fallen(Reason.DISAGREES, message, REMEDY, tuple(stage.script))


def _print(stage: Stage) -> object:
    """What tells one table from another."""
    return stage.agent.call("fingerprint") if stage.session.has("fingerprint") else shown(stage).text


INVARIANT = Invariant(id=ID, family="residency", scope=Scope.RUN, page=__doc__ or "", play=play)
