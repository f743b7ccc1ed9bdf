"""An approval is no verdict: a call that waited obeys the seal of the moment in which it is carried out.

What it states
    A tool is called and waits for a person. When the seal says no by the time that the person says yes, the call does
    not run, on the same thread or on one that was resumed. Nor does a call that the person changed into a call of a
    skill that is sealed. With a yes of the seal, both run (the positive control).

Why it matters
    A pending call is a stored answer like any other, and it is older than most. The rule became "deny" while it
    waited, and the approval carries it out past every check that a fresh call meets. An approval with an edit is worse:
    nobody ever checked what now runs.

A failing example
    ::

        def approve(self, call_id, edited=None):
            call = edited or self.pending.pop(call_id)
            return TOOLS[call.tool](**call.arguments)          # the checks were made when it was asked for

    Refuted, `stale-verdict`: a tool of `ledger` is called and waits for approval; now the seal says no to `ledger`; a
    call of `ledger` that waited for approval runs.

The repair
    Carry out an approved call through the same door as any other call, with the facts of now.

Its limits
    It needs the host's levers `pend` and `approve`; without `approve_edited` edits are not tried, and the result says
    so. Where the table holds for a step or a turn, the approval comes in the next one.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.answers import Fallen, Lacking, of_run
from pytest_invariants.probe.compare import approve
from pytest_invariants.probe.host import Facts
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.worlds import ALLOW, DENY, World, without
from pytest_invariants.verdict import Reason

ID = "approval-reseals"

Edit = tuple[str, str | None]
"""The skill whose tool is called, and the one into whose call it is changed (None: it is not)."""


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("pend", "approve")
    if not session.changeable:
        raise Lacking("the host has no lever `step` or `turn`, so a call that waits cannot hear of a change")
    late = 0
    for facts in session.facts:
        for skill, edited in _calls(session, facts):
            _control(session, facts, (skill, edited))
            for taken_up in (False, True) if session.has("resume") else (False,):
                _late(session, facts, (skill, edited), taken_up)
                late += 1
    said = f"{late} calls that waited ran with a yes, and did not when the seal had said no by then"
    return said if _edits(session) else f"{said}; no edit was tried, because the host has no `approve_edited`"


def _edits(session: ProbeSession) -> bool:
    return session.has("approve_edited")


def _calls(session: ProbeSession, facts: Facts) -> Iterator[Edit]:
    """Every skill's call, and every skill's call that another was changed into."""
    for skill in session.skills:
        yield skill, None
        group = _group(session, facts, skill)
        other = next((each for each in session.skills if each not in group), None)
        if _edits(session) and other is not None:
            yield other, skill


def _group(session: ProbeSession, facts: Facts, skill: str) -> frozenset[str]:
    """The skills that are sealed together with this one; all where the host does not tell them apart."""
    groups = session.groups(facts)
    return next((group for group in groups if skill in group), frozenset(session.skills))


def _no_to(session: ProbeSession, facts: Facts, skill: str) -> World:
    group = _group(session, facts, skill)
    return without(*group) if len(group) < len(session.skills) else DENY


def _control(session: ProbeSession, facts: Facts, call: Edit) -> None:
    with session.stage(facts) as stage:
        if not _approved(stage, call):
            what = "after it was changed " if call[1] else ""
            message = f"a call of `{call[1] or call[0]}` that waited for approval does not run {what}though {ALLOW}"
            remedy = "let `pend` leave a call that `approve` and `approve_edited` carry out, or leave them out"
            raise Fallen(Reason.NOT_SHOWN, message, remedy, tuple(stage.script))


def _late(session: ProbeSession, facts: Facts, call: Edit, taken_up: bool) -> None:
    skill, edited = call
    with session.stage(facts) as stage:
        stage.pull("pend", skill)
        stage.enter(_no_to(session, facts, edited or skill))
        if taken_up:
            stage.pull("resume", True)
        approve(stage, skill, edited)


def _approved(stage: Stage, call: Edit) -> bool:
    stage.pull("pend", call[0])
    return approve(stage, *call)


INVARIANT = Invariant(id=ID, family="doors", scope=Scope.RUN, page=__doc__ or "", play=play)
