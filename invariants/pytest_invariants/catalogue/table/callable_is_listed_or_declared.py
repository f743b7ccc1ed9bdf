"""What runs when it is called by its exact name is shown, or can be found, or is declared to be hidden.

What it states
    Under each of the host's facts every tool that the host can name is called. Where `policies` say
    `hidden: refused`, or nothing, only what is in the table or deferred for a search runs. Where they say
    `hidden: callable`, what runs is what the host's `executable` holds, and all of that runs.

Why it matters
    A filtered list over a whole dispatch table is the commonest fault of all: the model is not shown the tool, and
    calling it by its exact name runs it. A model knows the names: from training, from a manual, from its history.

A failing example
    ::

        request.tools = [tool for tool in tools if allowed(tool)]      # the list is filtered
        by_name = {tool.name: tool for tool in tools}                  # the dispatch is not

    Refuted, `hidden-runs`: `payroll_run` is neither in the table nor deferred, and runs. With
    `{tool.name: tool for tool in request.tools}` it holds.

The repair
    Dispatch from what was shown. If hiding is meant to spare the model a mistake, and not to forbid, declare it.

Its limits
    The tools are those of the table under all facts, of `core`, `owners`, `own_tools` and `parts`, and what the host
    says is searchable or executable. That a sealed tool does not run is for `seal-decides`.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope, Serve
from pytest_invariants.hosts.mcp import using
from pytest_invariants.probe.answers import Fallen, Lacking, of_run
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.tables import EXTENTS, bring, called, known_tools, reachable, said
from pytest_invariants.probe.worlds import REAL
from pytest_invariants.verdict import Reason

ID = "callable-is-listed-or-declared"


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("table", "call")
    declared = session.policy("hidden", "refused")
    if declared == "callable":
        session.need("executable")
    tools, refused = known_tools(session), 0
    for facts in session.facts:
        for extent in EXTENTS:
            with session.stage(facts, REAL) as stage:
                bring(stage, extent)
                refused += _call_all(stage, sorted(tools), declared)
    if not refused:
        raise Lacking("every tool that the host can name is shown or declared, under all of its facts")
    return f"with `hidden: {declared}`, {refused} calls of tools that are not there were refused, and all others ran"


def _call_all(stage: Stage, tools: list[str], declared: str) -> int:
    """How many of the calls were refused, each rightly."""
    if stage.dead:
        return 0
    refused = 0
    for tool in tools:
        there, executable = reachable(stage), said(stage, "executable")
        outcome = called(stage, tool)
        if outcome.ran and tool not in (there | executable if declared == "callable" else there):
            raise _hidden(stage, tool, declared)
        if not outcome.ran and tool in executable:
            told = f"; it says: {outcome.text:.200}" if outcome.text else ""
            message = f"`{tool}` is said to be executable, and does not run, with {stage.facts}{told}"
            remedy = "compute `executable` and the dispatch from one mapping"
            raise Fallen(Reason.NOT_CALLABLE, message, remedy, (stage.script[0], f"the model calls {tool}"))
        refused += not outcome.ran
    return refused


def _hidden(stage: Stage, tool: str, declared: str) -> Fallen:
    executable = "not among what the host says is executable"
    where = executable if declared == "callable" else "neither in the table nor deferred"
    message = f"`{tool}` is {where}, and it runs when it is called, with {stage.facts}"
    remedy = "dispatch from what was shown, or declare `hidden: callable` where hiding is not meant to forbid"
    return Fallen(Reason.HIDDEN_RUNS, message, remedy, (stage.script[0], f"the model calls {tool}, and it runs"))


INVARIANT = Invariant(
    id=ID,
    family="table",
    scope=Scope.RUN,
    page=__doc__ or "",
    play=play,
    serve=Serve(using.USES, using.usable_is_listed, of_empty=True),
)
