"""Every tool that the model is shown runs when it is called by that name.

What it states
    Under each of the host's facts, as the agent opens, with as little loaded as possible, and with all skills loaded:
    each name in the table runs when the model calls it in the same step, with arguments that suit it.

Why it matters
    A table that shows what the dispatch does not know wastes a step each time, and a model that is told "no such tool"
    about something it can see begins to guess. Names that are rewritten on the way to the model (a prefix, a hash, an
    alias) and read back otherwise are the usual cause.

A failing example
    ::

        shown = {f"mcp__{tool.server}__{tool.name}": tool for tool in tools}
        ran = dispatch[call.name]                          # still under the names without the prefix

    Refuted, `not-callable`: `mcp__bank__pay` is in the table and does not run. With `shown[call.name]` it holds.

The repair
    Let one mapping, made once a step, serve the table and the dispatch.

Its limits
    Whether it ran is the host's word, by side effect. A tool that is shown twice is for `names-unambiguous`.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope, Serve
from pytest_invariants.hosts.mcp import using
from pytest_invariants.probe.answers import Fallen, Lacking, of_run
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.tables import EXTENTS, bring, called, shown
from pytest_invariants.probe.worlds import REAL
from pytest_invariants.verdict import Reason

ID = "listed-is-callable"


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("table", "call")
    seen: set[str] = set()
    for facts in session.facts:
        for extent in EXTENTS:
            with session.stage(facts, REAL) as stage:
                bring(stage, extent)
                seen |= _call_all(stage)
    if not seen:
        raise Lacking("no tool is in the table under any of the host's facts")
    return f"each of {len(seen)} tools that are shown runs when it is called"


def _call_all(stage: Stage) -> frozenset[str]:
    if stage.dead:
        return frozenset()
    names = shown(stage).names
    for name in names:
        outcome = called(stage, name)
        if not outcome.ran:
            told = f"; it says: {outcome.text:.200}" if outcome.text else ""
            message = f"`{name}` is in the table, and it does not run when it is called, with {stage.facts}{told}"
            remedy = "let one mapping, made once a step, serve the table and the dispatch"
            raise Fallen(
                Reason.NOT_CALLABLE, message, remedy, (stage.script[0], f"the model calls {name}, and it does not run")
            )
    return frozenset(names)


INVARIANT = Invariant(
    id=ID,
    family="table",
    scope=Scope.RUN,
    page=__doc__ or "",
    play=play,
    serve=Serve(using.USES, using.listed_is_usable),
)
