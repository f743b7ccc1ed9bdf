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
    It needs the host's lever `resume`. Where the table holds for a step or a turn, the next one is waited for. What
    another process has resumed is seen only where the host brings it here.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.answers import of_surface
from pytest_invariants.probe.host import Facts
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.together import Asking, together
from pytest_invariants.probe.worlds import ALLOW, DENY, World, without
from pytest_invariants.registry.model import Surface

ID = "resume-reseals"


@of_surface(ID)
def play(session: ProbeSession, surface: Surface) -> str:
    session.need("resume")
    session.sealed_questions_of(surface)
    together(session, ID, surface, lambda asking: _story(session, asking))
    resumes = sum(2 * len(_noes(session, facts)) for facts in session.facts)
    return f"after {resumes} resumes into a no, on the same and on new objects, nothing came out that was open before"


def _noes(session: ProbeSession, facts: Facts) -> list[World]:
    return [DENY, *(without(*group) for group in session.groups(facts)[:1])]


def _story(session: ProbeSession, asking: Asking) -> None:
    for facts in session.facts:
        for fresh in (False, True):
            with session.stage(facts) as stage:
                _resume(stage, fresh)
                asking.ask(stage)
            for world in _noes(session, facts):
                with session.stage(facts) as stage:
                    _rest(stage, fresh, world, asking)


def _rest(stage: Stage, fresh: bool, world: World, asking: Asking) -> None:
    """An agent that shows everything rests while the answer changes, and again while it changes back."""
    for skill in stage.session.skills if stage.session.has("load") else ():
        stage.pull("load", skill)
    asking.ask(stage)
    stage.script.append("everything comes out")
    for answer in (world, ALLOW):
        stage.enter(answer, at_rest=True)
        _resume(stage, fresh)
        asking.ask(stage)


def _resume(stage: Stage, fresh: bool) -> None:
    """Take the thread up again, and go on to where the declared policy lets it hear of a change."""
    stage.pull("resume", fresh)
    stage.go_on()


INVARIANT = Invariant(id=ID, family="doors", scope=Scope.SURFACE, page=__doc__ or "", play=play)
