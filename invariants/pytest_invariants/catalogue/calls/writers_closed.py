"""Tools that write are closed until a session opens them.

What it states
    In a session that has just begun no writing tool is among those that may be called, and a call of it by name does
    not reach it, unless the tool is declared to be open from the start. Once the session opens it, the call arrives; in
    the next session it is closed again.

Why it matters
    What is always there is called, sooner or later, for the wrong reason: by a model that tidies up, or by a text that
    it has read. A session that only answers questions has no use for a refund.

A failing example
    ::

        def tools(session):
            return [tool for tool in TOOLS if not tool.writes or session.dry_run]     # an argument of the model's

    Refuted, `open-writer`: `order_refund` is offered in a session that has not opened it.

The repair
    Keep writing tools in groups of their own and let the session's owner open a group, by name and for this session.
    Ask for it where the table is made and where a call is carried out. This holds::

        def offers(group, tool, session):
            return not tool.writes or group.name in session.opened      # by the user, never by the model

Its limits
    Which tools write is what the host's `writers` says. Who opens a side, and whether rightly, is not looked at.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.answers import Lacking, of_run
from pytest_invariants.probe.calls import Arguments, Bench
from pytest_invariants.probe.judge import quoted
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.verdict import Reason

ID = "writers-closed"
REMEDY = "keep it in a group that only a session opens, and ask for that where tools are listed and where they are run"


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("invoke", "effects", "writers", "begin")
    with session.stage() as stage:
        bench = Bench(stage)
        closed = sorted(bench.closed_writers)
        if not closed:
            raise Lacking("the host names no writing tool that a session has to open")
        calls = {tool.name: bench.good(tool) for tool in bench.ready() if tool.name in closed}
        stage.pull("begin")
        _expect_closed(bench, calls)
        if session.has("open_writing"):
            _open_and_leave(bench, calls)
    return f"{len(closed)} writing tools are closed in a session that has not opened them"


def _expect_closed(bench: Bench, calls: dict[str, Arguments]) -> None:
    offered = calls.keys() & bench.tools.keys()
    if offered:
        do = "writes, and is" if len(offered) == 1 else "write, and are"
        message = f"{quoted(offered)} {do} offered in a session that has not opened it"
        raise bench.fallen(Reason.OPEN_WRITER, message, REMEDY)
    for name, arguments in calls.items():
        called = bench.call(name, arguments, bench.fresh_key())
        if called.effects or called.ok:
            message = f"`{name}` writes, and runs in a session that has not opened it"
            raise bench.fallen(Reason.OPEN_WRITER, message, REMEDY)


def _open_and_leave(bench: Bench, calls: dict[str, Arguments]) -> None:
    """What one session opens is open there, and closed in the next."""
    for name in calls:
        bench.open(name)
        bench.control(bench.tools[name])
    bench.stage.pull("begin")
    _expect_closed(bench, calls)


INVARIANT = Invariant(id=ID, family="calls", scope=Scope.RUN, page=__doc__ or "", play=play)
