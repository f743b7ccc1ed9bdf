"""All surfaces give the same answer, whatever has happened to the agent before.

What it states
    For every skill, at every moment, each surface shows it if and only if the seal allows it; so all surfaces agree
    with the seal and with each other. The probe draws what the seal denies and what is done: the next step or turn,
    loading, compaction, resuming on the same and on new objects, reloading, restarting, a tool server that drops out
    and comes back, an approval that comes late or with an edit, a child agent, a forged record, a search, a call by
    another spelling. After every step it asks every surface, and the child. A failure prints the shortest script of
    steps, and the command that plays it again.

Why it matters
    The commonest hole of all is a list that is filtered and a dispatcher that is not; the next one is an answer that
    outlives a resume, a restart or an approval. Each surface can look right for itself while two of them differ.

A failing example
    ::

        def resume(self, fresh):
            self.opened = json.loads(self.store["opened"])      # yesterday's answers

    The script that the probe prints: an agent opens while the seal says yes to everything; now the seal says no to
    `notes`; the thread is resumed; `activate` is asked by name: `ledger`, `notes` comes out, wrongly.

The repair
    Keep what was asked for, not what was answered, and ask the seal when it is used: on resuming, on approval, in the
    child.

Its limits
    It tries levers that the host has, a bounded number of scripts, the same ones every time. While the tool server is
    away, and for lists after a compaction, a surface may show less than the seal allows. A child may always.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.answers import Lacking, of_run
from pytest_invariants.probe.compare import compare
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.worlds import ALLOW, DENY

ID = "surfaces-agree"
EXAMPLES = 8
STEPS = 6


@of_run(ID)
def play(session: ProbeSession) -> str:
    from pytest_invariants.probe import machine, walks
    from pytest_invariants.probe.player import VERBS
    from pytest_invariants.probe.shorten import Shortener

    questions = session.sealed_questions
    if len({question.surface for question in questions}) < 2:
        raise Lacking("the host has methods for fewer than two surfaces, so there is nothing to compare")
    for world in (ALLOW, DENY):
        with session.stage(world=world) as stage:
            compare(stage, questions)
    walks.controls(session)
    failed = (
        walks.walk(session, questions)
        or walks.tour(session, questions)
        or machine.play(session, questions, EXAMPLES, STEPS)
    )
    if failed:
        raise Shortener(session, questions).shortest(*failed)
    usual = len([*walks.walks(session), *walks.tours(session)])
    moved = [verb for verb, entry in VERBS.items() if all(map(session.has, entry.needs))]
    return (
        f"{len(questions)} questions agreed after every step of {usual} usual scripts and of {EXAMPLES} drawn ones"
        f" (moves: {', '.join(moved)})"
    )


INVARIANT = Invariant(id=ID, family="doors", scope=Scope.RUN, page=__doc__ or "", play=play)
