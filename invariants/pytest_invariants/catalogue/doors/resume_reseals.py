"""A thread that is taken up again obeys the seal of today.

What it states
    What was loaded, opened and shown while the seal said yes does not come out after the thread is resumed, when the
    seal says no by then: neither when the same objects go on, nor when new ones are built from what was stored. With
    a yes everything comes out after the resume as before it (the positive control).

Why it matters
    A thread rests for hours, and permissions change meanwhile. What was stored was an answer of its time: the list of
    opened skills, the index in the system prompt, the table of the last step. Restoring it restores the answer. And a
    restriction that was an argument of the launch, not a fact of the session, is gone in the rebuilt object.

A failing example
    ::

        def resume(self, fresh):
            self.opened = json.loads(self.store["opened"])      # `ledger`, of last week

    Refuted, `stale-verdict`: an agent opens while the seal says yes; the manual of `ledger` is loaded; `ledger` comes
    out; now the seal says no to everything; the thread is resumed from what was stored; `ledger` comes out.

The repair
    Store what was asked for, and ask the seal again when the thread is taken up.

Its limits
    It needs the host's lever `resume`. What another process has resumed is seen only where the host brings it here.
"""

from __future__ import annotations

from collections.abc import Iterable

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.agent import Question
from pytest_invariants.probe.answers import Fallen, of_surface
from pytest_invariants.probe.host import Facts
from pytest_invariants.probe.judge import expect
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.worlds import ALLOW, DENY, World, without
from pytest_invariants.registry.model import Surface
from pytest_invariants.verdict import Reason

ID = "resume-reseals"


@of_surface(ID)
def play(session: ProbeSession, surface: Surface) -> str:
    session.need("resume")
    questions = session.sealed_questions_of(surface)
    resumes = 0
    for facts in session.facts:
        worlds = [DENY, *(without(*group) for group in session.groups(facts)[:1])]
        for question in questions:
            for fresh in (False, True):
                _rested(session, facts, question, fresh, worlds)
                resumes += len(worlds)
    return f"after {resumes} resumes into a no, on the same and on new objects, nothing came out that was open before"


def _rested(session: ProbeSession, facts: Facts, question: Question, fresh: bool, worlds: list[World]) -> None:
    """One agent lives through all of them; where it falls also in one alone, the shorter script is told."""
    try:
        with session.stage(facts) as stage:
            stage.pull("resume", fresh)
            expect(stage, question)
            _live(stage, question, fresh, worlds)
    except Fallen as fallen:
        for world in worlds if fallen.reason is not Reason.NOT_SHOWN else ():
            with session.stage(facts) as stage:
                _live(stage, question, fresh, [world])
        raise


def _live(stage: Stage, question: Question, fresh: bool, worlds: Iterable[World]) -> None:
    """An agent that shows everything rests while the answer changes, once for each of these worlds."""
    for skill in stage.session.skills if stage.session.has("load") else ():
        stage.pull("load", skill)
    expect(stage, question)
    stage.script.append(f"{question}: everything comes out")
    for world in worlds:
        for answer in (world, ALLOW):
            stage.enter(answer, at_rest=True)
            stage.pull("resume", fresh)
            expect(stage, question)


INVARIANT = Invariant(id=ID, family="doors", scope=Scope.SURFACE, page=__doc__ or "", play=play)
