"""Within one step nothing moves: what is advertised and what can be dispatched are one snapshot.

What it states
    The table follows the policy `table`. With `per-step` it stays what it is until the next step, whatever happens
    meanwhile: a tool is taken off, a server connects or drops out, a skill is loaded, the history is compacted. What
    comes meanwhile does not run in this step, and what was there does, also when several tools are called in one
    reply. With `per-turn` the same holds until the next turn. With `live` a change shows, and counts, at once.

Why it matters
    A model answers the table that it was shown. If the dispatch reads the world anew, the model asks for one tool and
    another one runs, or it is told that there is no such tool.

A failing example
    ::

        tools = router.snapshot()                    # shown to the model
        ...
        registry[call.name].run(call.arguments)      # looked up when the reply is there

    Refuted, `moved`: a tool that connected meanwhile runs in this step. With `tools[call.name].run(...)` it holds.

The repair
    Compute the router once a step, show it, and dispatch from the same object.

Its limits
    A server that has really gone cannot answer, so of its tools only the place in the table is looked at. Calls run as
    the host's `call_together` lets them, and no order of threads is forced.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.answers import Fallen, Lacking, of_run
from pytest_invariants.probe.host import HostError, Outcome
from pytest_invariants.probe.judge import quoted
from pytest_invariants.probe.levers import words
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.tables import called, lighten, reachable, said, settle, shown, tried
from pytest_invariants.verdict import Reason

ID = "step-frozen"
SERVER, NEW = "probe", "probe_look"
CALLS = 4
"""How many tools are tried, more or less: every one of them costs an agent."""
REMEDY = "compute the table and the router once a step, and dispatch from what was shown"

Event = tuple[str, tuple[object, ...]]


@of_run(ID)
def play(session: ProbeSession) -> str:
    policy = session.policy("table", "")
    if not policy:
        raise Lacking("the registry declares no policy `table`")
    session.need("table")
    if policy != "live" and session.pause is None:
        raise Lacking(f"the host has no lever that ends what `table: {policy}` keeps still")
    moved = dict.fromkeys(event[0].replace("_", " ") for event in _events(session) if _watch(session, policy, event))
    if not moved:
        raise Lacking("no lever of the host changes the table")
    called_too = _calls(session, policy) if session.has("call") else ""
    return f"`table: {policy}` is kept where {', '.join(moved)} would change the table{called_too}"


def _events(session: ProbeSession) -> Iterator[Event]:
    """What may happen in the course of a step, as far as the host has levers for it."""
    with session.stage() as stage:
        first = shown(stage).names[:1]
    loads: list[Event] = [("load", (skill,)) for skill in session.skills]
    for event in (
        ("remove_tool", first),
        *loads,
        ("serve", (SERVER, NEW)),
        ("drop", ()),
        ("compact", ()),
        ("reload", ()),
    ):
        if session.has(event[0]):
            yield event


def _watch(session: ProbeSession, policy: str, event: Event) -> bool:
    """Whether the event changes the table, at the moment that the policy names and no other."""
    with session.stage() as stage:
        if event[0] == "load":
            lighten(stage)
        before = _state(stage)
        tried(stage, event[0], *event[1])
        what = words(event[0], *event[1])
        at_once = _state(stage)
        if policy == "live":
            _refresh(stage)
            _same(at_once, _state(stage), stage, f"{what}, and it shows only later, and `table: live` is declared")
            return at_once != before
        _same(before, at_once, stage, f"{what}, and the table changes within the step")
        if policy == "per-turn" and session.has("step"):
            stage.pull("step")
            _same(before, _state(stage), stage, f"{what}, and the table changes within the turn")
        settle(stage)
        return _state(stage) != before


def _refresh(stage: Stage) -> None:
    """Go on to where every agent has heard of a change; but a new turn may begin with less that is loaded."""
    for lever in ("step",) if stage.session.policy("loaded", "") == "grows" else ("step", "turn"):
        if stage.session.has(lever):
            stage.pull(lever)


def _state(stage: Stage) -> tuple[str, frozenset[str], frozenset[str]]:
    return shown(stage).text, said(stage, "searchable"), said(stage, "executable")


def _same(old: object, new: object, stage: Stage, message: str) -> None:
    if old != new:
        raise Fallen(Reason.MOVED, f"{message}, with {stage.facts}", REMEDY, tuple(stage.script))


def _calls(session: ProbeSession, policy: str) -> str:
    done = []
    if session.has("serve") and _late_tool(session, policy):
        done.append("what connects late waits")
    if session.has("remove_tool"):
        done.append(f"{_gone_tools(session, policy)} that are taken off late still run")
    return "; " + " and ".join(done) if done else ""


def _late_tool(session: ProbeSession, policy: str) -> bool:
    """A server connects in mid-step: its tool runs when the policy lets it be seen, and not before."""
    with session.stage() as stage:
        before = reachable(stage)
        if tried(stage, "serve", SERVER, NEW) is not None:
            return False
        settle(stage)
        new = sorted(reachable(stage) - before)
        if not new:
            return False
        if not called(stage, new[0]).ran:
            message = f"`{new[0]}` does not run though its server connected before this step, with {stage.facts}"
            raise Fallen(Reason.NOT_SHOWN, message, "correct `call` or `serve` of the host", tuple(stage.script))
    with session.stage() as stage:
        tried(stage, "serve", SERVER, NEW)
        _runs(stage, new[0], policy == "live", f"it connected in mid-step and `table: {policy}` is declared")
    return True


def _gone_tools(session: ProbeSession, policy: str) -> str:
    """A tool is taken off in mid-step: it runs for as long as the policy lets it be seen, alone and with others."""
    picked = _picked(session)
    for tool in picked:
        with session.stage() as stage:
            stage.pull("remove_tool", tool)
            _runs(stage, tool, policy != "live", f"it was taken off in mid-step and `table: {policy}` is declared")
            if policy != "live":
                settle(stage)
                _runs(stage, tool, False, "it was taken off before this step")
    if session.has("call_together"):
        with session.stage() as stage:
            stage.pull("remove_tool", picked[0])
            _together(stage, picked if policy != "live" else picked[1:])
    return f"{len(picked)} tools"


def _picked(session: ProbeSession) -> list[str]:
    """Tools from all over the table that run when they are called."""
    with session.stage() as stage:
        names = shown(stage).names
        spread = dict.fromkeys((*names[:: max(1, len(names) // CALLS)], *names[-1:]))
        picked = [name for name in spread if called(stage, name).ran]
    if not picked:
        raise Fallen(Reason.NOT_SHOWN, "no tool of the table runs when it is called", "correct `call` of the host")
    return picked


def _runs(stage: Stage, tool: str, wanted: bool, why: str) -> None:
    ran = called(stage, tool).ran
    if ran is not wanted:
        message = f"`{tool}` {'runs' if ran else 'does not run'} though {why}, with {stage.facts}"
        raise Fallen(Reason.MOVED, message, REMEDY, tuple(stage.script))


def _together(stage: Stage, tools: list[str]) -> None:
    stage.script.append(f"one reply calls {', '.join(tools)}")
    outcomes = stage.agent.call("call_together", *tools)
    if not isinstance(outcomes, list) or not all(isinstance(outcome, Outcome) for outcome in outcomes):
        raise HostError(f"`{stage.agent.name}.call_together` returned {outcomes!r:.60}; return a list of Outcomes")
    failed = [tool for tool, outcome in zip(tools, outcomes, strict=True) if not outcome.ran]
    if failed:
        message = f"{quoted(failed)} does not run where {len(tools)} tools are called in one reply, with {stage.facts}"
        raise Fallen(Reason.MOVED, message, REMEDY, tuple(stage.script))


INVARIANT = Invariant(id=ID, family="table", scope=Scope.RUN, page=__doc__ or "", play=play)
