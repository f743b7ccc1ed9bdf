"""What a child agent shows, measured by its parent and by what the seal says to each of the two."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pytest_invariants.probe.agent import Question
from pytest_invariants.probe.answers import Fallen
from pytest_invariants.probe.company import asker_of, spawned, told_apart
from pytest_invariants.probe.host import Facts
from pytest_invariants.probe.judge import quoted
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.worlds import DENY, REAL, Asker, World, only, without
from pytest_invariants.verdict import Reason

Shown = Mapping[Question, frozenset[str]]
REMEDIES = {
    "ceiling": "build the child's facts from what its parent was allowed, and ask the seal with them",
    "independent": "ask the seal with the child's own facts, and carry no answer over from the parent",
    "intersection": "ask the seal for the child and for its parent, and let both answers count",
}
EXACT = ("independent", "intersection")
"""The policies by which a child may not have less, either."""


def denied_to_all(session: ProbeSession, facts: Facts, mode: str) -> int:
    """What the seal denies to everybody no child shows, spawned before the no or after it; how many answers were seen."""
    worlds = [DENY, *(without(*group) for group in session.groups(facts))]
    usual = _usual(session, facts)
    answers = 0
    for world in worlds if session.changeable else ():
        with session.stage(facts) as stage, spawned(stage) as child:
            if child is not None:
                child.enter(world)
                answers += _obeys(child, usual, mode)
    for world in worlds:
        with session.stage(facts, world) as stage, spawned(stage) as child:
            if child is not None:
                answers += _obeys(child, usual, mode)
    return answers


def below_its_parent(session: ProbeSession, facts: Facts) -> int:
    """With the agent's own seal a child shows no more than its parent; how often the parent was denied something."""
    sealed = 0
    with session.stage(facts, REAL) as stage:
        if stage.dead:
            return 0
        above = _shows(stage, session.sealed_questions)
        with spawned(stage) as child:
            if child is None:
                return 0
            for question, skills in _shows(child, child.able(session.sealed_questions)).items():
                sealed += len(session.skills) - len(above[question])
                if skills - above[question]:
                    raise _more(child, question, skills - above[question], "ceiling", "and its parent does not")
    return sealed


def asked_for_each(session: ProbeSession, facts: Facts, mode: str) -> int:
    """A no to the parent alone, and a no to the child alone; in how many answers. None where they cannot be told apart."""
    usual = _usual(session, facts)
    parent, child = _askers(session, facts)
    if parent is None or child is None or not told_apart(parent, child):
        return 0
    answers = 0
    for group in session.groups(facts):
        for asker in (parent, child):
            binds = asker == child or mode == "intersection"
            answers += _only_to(session, facts, mode, usual, only(without(*group), asker), group if binds else ())
    return answers


def _only_to(session: ProbeSession, facts: Facts, mode: str, usual: Shown, world: World, denied: Iterable[str]) -> int:
    with session.stage(facts, world) as stage, spawned(stage) as child:
        if child is None:
            return 0
        return _compare(child, usual, frozenset(session.skills) - frozenset(denied), mode)


def _askers(session: ProbeSession, facts: Facts) -> tuple[Asker | None, Asker | None]:
    with session.stage(facts) as stage, spawned(stage) as child:
        return asker_of(stage), asker_of(child) if child is not None else None


def _usual(session: ProbeSession, facts: Facts) -> Shown:
    """What a child shows while the seal says yes. Raises Fallen where that is nothing: then a no would prove nothing."""
    with session.stage(facts) as stage, spawned(stage) as child:
        shown = {} if child is None else _shows(child, child.able(session.sealed_questions))
        if not any(shown.values()):
            message = f"a child shows nothing at all though {stage.world}"
            remedy = "let `spawn_child` return a host whose agent is open and has the methods of the surfaces"
            raise Fallen(Reason.NOT_SHOWN, message, remedy, tuple(stage.script))
        return shown


def _shows(stage: Stage, questions: Iterable[Question]) -> Shown:
    return {question: stage.ask(question).skills for question in questions}


def _obeys(child: Stage, usual: Shown, mode: str) -> int:
    return _compare(child, usual, child.allowed, mode)


def _compare(child: Stage, usual: Shown, allowed: frozenset[str], mode: str) -> int:
    """Every answer of a child against what it shows while the seal says yes, less what is denied now."""
    for question, before in usual.items():
        shown = child.ask(question).skills
        if shown - allowed:
            raise _more(child, question, shown - allowed, mode, f"though {child.swapped.world}")
        if mode in EXACT and (before & allowed) - shown:
            raise _less(child, question, (before & allowed) - shown, mode)
    return len(usual)


def _more(child: Stage, question: Question, skills: frozenset[str], mode: str, why: str) -> Fallen:
    did = "lists" if question.lists else "lets out"
    message = f"`{question.surface}` of a child {did} {quoted(skills)}, {why}"
    script = (*child.script, f"in the child, {question}: {quoted(skills)} comes out")
    return Fallen(Reason.LEAKED, message, REMEDIES[mode], script)


def _less(child: Stage, question: Question, skills: frozenset[str], mode: str) -> Fallen:
    did = "does not list" if question.lists else "does not let out"
    message = f"`{question.surface}` of a child {did} {quoted(skills)}, which the policy `child: {mode}` gives it"
    script = (*child.script, f"in the child, {question}: {quoted(skills)} does not come out")
    return Fallen(Reason.DISAGREES, f"{message}, though {child.swapped.world}", REMEDIES[mode], script)
