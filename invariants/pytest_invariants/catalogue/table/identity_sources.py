"""A restricted asker's table comes from its own sources; no others are walked.

What it states
    For each label that the host's `identities` names, the table holds at most the tools that are named there. It is
    made also where every other source of tools breaks when it is looked at. A label that is spelled otherwise (another
    case, a space, a suffix) is not that label: it gets none of the tools that only the restricted asker has.

Why it matters
    "The whole table, then filtered" is one forgotten case away from the whole table. A reviewer who decides about the
    agent's actions must not get the agent's tools, whatever a server calls them.

A failing example
    ::

        tools = registry.all()
        return [tool for tool in tools if tool.name in REVIEW] if label.lower() == "guardian" else tools

    Refuted, `walked`: with every other source broken there is no table for `guardian`. Choosing the source by the exact
    label holds.

The repair
    Decide by the exact label which sources there are, before any of them is asked.

Its limits
    A source is broken by the host's `break_sources`; the usual asker has to notice it, or nothing was examined.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.agent import REFUSALS
from pytest_invariants.probe.answers import Fallen, Lacking, of_run
from pytest_invariants.probe.host import HostError
from pytest_invariants.probe.judge import quoted
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.tables import Table, mapping, shown
from pytest_invariants.probe.target import describe
from pytest_invariants.verdict import Reason

ID = "identity-sources"
REMEDY = "decide by the exact label which sources there are, before any of them is asked"


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("identities", "table_for", "break_sources")
    with session.stage() as stage:
        identities = mapping(stage, "identities")
        if not identities:
            raise Lacking("the host names no restricted identity")
        usual = frozenset(shown(stage, "table_for", None).names)
        whole = {label: _bounded(stage, label, most) for label, most in identities.items()}
        for label, table in whole.items():
            _spelled(stage, label, frozenset(table.names) - usual)
    with session.stage() as stage:
        stage.pull("break_sources")
        for label, table in whole.items():
            _alone(stage, label, table)
        _noticed(stage)
    return f"{', '.join(map(repr, identities))}: at most their own tools, made though every other source was broken"


def _bounded(stage: Stage, label: str, most: tuple[str, ...]) -> Table:
    table = shown(stage, "table_for", label)
    if set(table.names) - set(most):
        message = f"{label!r} is shown {quoted(set(table.names) - set(most))}, which is not among its tools"
        raise Fallen(Reason.WALKED, message, REMEDY, tuple(stage.script))
    if not table.names:
        message = f"{label!r} is shown no tool at all, so that nothing about its sources can be seen"
        raise Fallen(Reason.NOT_SHOWN, message, "let the host's `table_for` give it what it has at best")
    return table


def _spelled(stage: Stage, label: str, own: frozenset[str]) -> None:
    for other in (label.upper(), label.capitalize(), f"{label} ", f" {label}", f"{label}-2"):
        names = frozenset(shown(stage, "table_for", other).names) if other != label else frozenset()
        if names & own:
            message = f"the asker {other!r} is shown {quoted(names & own)}, which only {label!r} may have"
            raise Fallen(Reason.WALKED, message, "compare the label exactly", tuple(stage.script))


def _alone(stage: Stage, label: str, table: Table) -> None:
    try:
        now = shown(stage, "table_for", label)
    except HostError:
        raise
    except REFUSALS as error:
        message = f"with every other source broken there is no table for {label!r}: {describe(error)}"
        raise Fallen(Reason.WALKED, message, REMEDY, tuple(stage.script)) from error
    if now != table:
        message = f"the table of {label!r} is another one when other sources break"
        raise Fallen(Reason.WALKED, message, REMEDY, tuple(stage.script))


def _noticed(stage: Stage) -> None:
    """The control: what is broken is what the usual asker's table is made of."""
    try:
        shown(stage, "table_for", None)
    except HostError:
        raise
    except REFUSALS:
        return
    message = "the usual asker does not notice that every source of tools is broken"
    raise Fallen(Reason.NOT_SHOWN, message, "let `break_sources` break what the table is made of", tuple(stage.script))


INVARIANT = Invariant(id=ID, family="table", scope=Scope.RUN, page=__doc__ or "", play=play)
