"""Where the seal says no nothing comes out, and where it says yes everything does.

What it states
    The seal alone decides what a surface lets out. The probe runs the agent, swaps the seal where it is defined, and
    watches by side effect: with a seal that says yes to everything each skill comes out (the positive control); with
    one that says no to everything nothing does; with one that says no to exactly one skill exactly that one vanishes;
    when the answer changes, the next request hears it; when the seal fails (it raises, times out, hangs, is cancelled,
    or returns what is no answer), nothing comes out. Two who ask, in turn and one in the middle of the other's turn,
    get each his own answer. A spy sees that the seal was asked about this very skill, and on behalf of the one who
    really asks.

Why it matters
    A proof speaks of the code that was read, and takes for granted what it could not follow. This invariant looks at
    what really happens, so it stands in for a proof where code is too dynamic to be followed.

A failing example
    ::

        def activate(turn, name):
            if name not in turn.opened:                     # an answer of yesterday is kept
                if skill_sealed_for(SKILLS[name].categories, turn.category):
                    return Refusal(name)
                turn.opened.add(name)
            return SKILLS[name].tools

    The probe opens an agent while the seal says yes, activates `notes`, lets the seal say no, and `notes` still opens:
    refuted, `stale-verdict`.

The repair
    Ask the seal in every request, and act on its answer. Where a refusal must come later on purpose, declare when the
    table is rebuilt (`policies: {table: per-step}`) and give the host the lever.

Its limits
    Only paths that ran are judged. Other processes keep their own seal. Two askers need facts with different principals,
    which `seal_arguments` names, and two turns at once the host's `beside`; where they were not tried the result says
    so. Of threads only those meetings are tried in which one waits for the seal. A surface that is declared
    `hidden_but_callable` may run what it does not list; then only its positive control and its list are judged.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe import askers
from pytest_invariants.probe.agent import Question
from pytest_invariants.probe.answers import Lacking, of_surface
from pytest_invariants.probe.host import Facts
from pytest_invariants.probe.judge import check_principal, expect
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.worlds import ALLOW, DENY, World, faults, without
from pytest_invariants.registry.model import Surface

ID = "seal-decides"
EXAMPLES = 6
"""Scripts that are drawn for one question, besides the worlds that are always played."""


@of_surface(ID)
def play(session: ProbeSession, surface: Surface) -> str:
    worlds = 0
    for question in session.questions(surface):
        if surface.hidden_but_callable and not question.lists:
            _control(session, question)
            continue
        for facts in session.facts:
            worlds += _usual(session, facts, question)
        _drawn(session, question)
    if not worlds:
        return "every skill can be called, and the registry declares that a hidden one may be"
    if any(len(session.groups(facts)) < 2 for facts in session.facts):
        raise Lacking(
            "yes and no to everything are heard; no to one of several was not tried, because the host's "
            "`seal_arguments` do not tell at least two skills apart"
        )
    said = f"in {worlds} worlds and {EXAMPLES} drawn scripts the surface lets out what the seal allows, and no more"
    named = "" if _names_the_principal(session) else "; for whom the seal was asked was not compared"
    return f"{said}{named}{_two_askers(session, surface)}"


def _two_askers(session: ProbeSession, surface: Surface) -> str:
    """What could not be examined of two who ask."""
    questions = [question for question in session.questions(surface) if question in session.sealed_questions]
    for story, what in ((askers.in_turn, "two askers were"), (askers.at_once, "two turns at once were")):
        try:
            for question in questions:
                story(session, question)
        except askers.Apart as apart:
            return f"; {what} not tried: {apart}"
    return ""


def _names_the_principal(session: ProbeSession) -> bool:
    """Whether the host says on whose behalf the seal will be asked."""
    arguments = session.arguments(session.facts[0]).values()
    return all(name in each for each in arguments for name in session.registry.seal.principal)


def _control(session: ProbeSession, question: Question) -> None:
    for facts in session.facts:
        with session.stage(facts) as stage:
            expect(stage, question)


def _usual(session: ProbeSession, facts: Facts, question: Question) -> int:
    """The worlds that are always played: one agent is born into the no, another lives through all of them."""
    with session.stage(facts) as stage:
        check_principal(stage, expect(stage, question))
        awaited = stage.swapped.awaited
    _born_into(session, facts, question, DENY)
    worlds = _always(session, facts, awaited)
    session.through(facts, worlds, lambda stage: _ask(stage, question))
    return len(worlds) + 2


def _ask(stage: Stage, question: Question) -> None:
    expect(stage, question)


def _born_into(session: ProbeSession, facts: Facts, question: Question, world: World) -> None:
    with session.stage(facts, world) as stage:
        expect(stage, question)


def _always(session: ProbeSession, facts: Facts, awaited: bool) -> list[World]:
    groups = session.groups(facts)
    selective = [without(*group) for group in groups] if len(groups) > 1 else []
    return [ALLOW, DENY, ALLOW, *selective, *faults(session.registry.seal.kind, awaited), ALLOW]


def _live_through(stage: Stage, question: Question, worlds: list[World]) -> None:
    for world in worlds:
        stage.enter(world)
        expect(stage, question)


def _drawn(session: ProbeSession, question: Question) -> None:
    """Scripts of up to four worlds, the first of which the agent is born into."""
    from hypothesis import strategies as st

    from pytest_invariants.probe import draw

    def story(drawn: tuple[Facts, list[World]]) -> None:
        facts, (first, *rest) = drawn
        with session.stage(facts, first) as stage:
            expect(stage, question)
            _live_through(stage, question, rest)

    worlds = draw.worlds(session, awaited=False)
    scripts = st.lists(worlds, min_size=1, max_size=4 if session.changeable else 1)
    draw.played(st.tuples(st.sampled_from(session.facts), scripts), story, EXAMPLES)


INVARIANT = Invariant(id=ID, family="doors", scope=Scope.SURFACE, page=__doc__ or "", play=play)
