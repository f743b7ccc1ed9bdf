"""A list leaves sealed skills out, and does not talk about them.

What it states
    Where the seal denies a skill, a browse surface goes on working and says nothing about it: it raises no error, and
    no line of its text names the skill that did not name it when the skill was open.

Why it matters
    "3 more skills are sealed for you: payroll, ..." puts into every prompt what nobody asked for. And a list that
    breaks because of one sealed skill takes all others away.

A failing example
    ::

        def index(turn):
            return [line(skill) if not sealed(skill, turn) else f"- {skill.name}: sealed" for skill in skills]

    Refuted, `leaked`: the line `- payroll: sealed` names a sealed skill.

The repair
    Leave sealed skills out before the text is made. Explain where somebody asks by name.

Its limits
    The text is examined where the host returns a `Listing` with it; of bare names only their absence is known, which
    `seal-decides` judges. A line that also stands there when everything is allowed (another skill's description that
    mentions this one) is no explanation.
"""

from __future__ import annotations

import re

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.agent import Question
from pytest_invariants.probe.answers import Fallen, Lacking, of_surface
from pytest_invariants.probe.host import Facts
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.worlds import DENY, without
from pytest_invariants.registry.model import Manner, Surface
from pytest_invariants.verdict import Reason

ID = "browse-silent"


@of_surface(ID)
def play(session: ProbeSession, surface: Surface) -> str:
    question = next((each for each in session.questions(surface) if each.lists), None)
    if question is None:
        raise Lacking("a surface that is asked by name may explain")
    texts = sum(_listens(session, facts, question) for facts in session.facts)
    if not texts:
        return "the list works whatever the seal denies; its text was not given, only its names"
    return "the list works whatever the seal denies, and names nothing that it leaves out"


def _listens(session: ProbeSession, facts: Facts, question: Question) -> bool:
    """Whether there was a text to examine."""
    with session.stage(facts) as stage:
        listing = stage.agent.listing(question.surface)
    usual = set(listing.text.splitlines())
    if listing.broke or not listing.names:
        message = f"`{question.surface}` lists nothing though {stage.swapped.world}: {listing.text:.200}"
        raise Fallen(Reason.NOT_SHOWN, message, "repair what seal-decides shows first", tuple(stage.script))
    worlds = [*(without(*group) for group in session.groups(facts)), DENY]
    session.through(facts, worlds, lambda stage: _check(stage, question, usual))
    return bool(usual)


def _check(stage: Stage, question: Question, usual: set[str]) -> None:
    if stage.dead:
        return
    denied = stage.swapped.world.denied
    denied = frozenset(stage.session.skills) if denied is None else denied
    listing = stage.agent.listing(question.surface)
    script = (*stage.script, f"{question.surface} says: {listing.text!r:.300}")
    if listing.broke:
        message = f"`{question.surface}` breaks though it has only to leave something out: {listing.text:.200}"
        remedy = "catch the refusal for each skill; if the seal raises an error of its own, give the host `denial`"
        raise Fallen(Reason.DISAGREES, message, remedy, script)
    for line in listing.text.splitlines():
        for skill in sorted(denied):
            if line not in usual and re.search(rf"(?<!\w){re.escape(skill)}(?!\w)", line):
                message = f"`{question.surface}` talks about the sealed `{skill}`: {line.strip()!r:.200}"
                raise Fallen(Reason.LEAKED, message, "leave sealed skills out before the text is made", script)


INVARIANT = Invariant(id=ID, family="doors", scope=Scope.SURFACE, page=__doc__ or "", play=play, manner=Manner.BROWSE)
