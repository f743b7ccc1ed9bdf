"""A refusal says what the policy promises: the truth, or nothing that tells a sealed skill from one that is not there.

What it states
    The registry declares `policies: {refusal: truthful}` or `{refusal: indistinguishable}`.

    - *truthful*: who asks by name for a sealed skill hears why, in a text that is not the one for an unknown name, and
      that names the facts that the host lists in `refusal_facts`.
    - *indistinguishable*: the answer for a sealed skill is the answer for an unknown name, but for the name itself.

Why it matters
    "No such skill, did you mean ..." for a skill that is only sealed sends people and models in search of a bug. Where
    existence itself is a secret, the opposite holds, and one surface that tells is enough to give it away.

A failing example
    ::

        def activate(turn, name):
            skill = open_skills(turn).get(name)         # the sealed ones are not in it
            return skill or Refusal(f"no such skill: {name}")

    Under the policy *truthful* refuted, `disagrees`: the sealed `payroll` and the unknown `no-such-skill` hear the
    same words.

The repair
    Ask the seal before looking the name up, and take the text of the refusal from one place.

Its limits
    Texts are compared after the name has been taken out. Timing and other side channels are not measured.
"""

from __future__ import annotations

import re

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.agent import Question
from pytest_invariants.probe.answers import Fallen, Lacking, of_surface
from pytest_invariants.probe.host import Outcome
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.worlds import without
from pytest_invariants.registry.model import Manner, Surface
from pytest_invariants.verdict import Reason

ID = "refusal-truthful"


@of_surface(ID)
def play(session: ProbeSession, surface: Surface) -> str:
    policy = session.registry.policies.get("refusal")
    if policy is None:
        raise Lacking("the registry declares no policy `refusal`")
    question = session.named_question(surface)
    groups = session.groups(session.facts[0])
    if not groups:
        raise Lacking("the host's `seal_arguments` do not say what the seal is asked about")
    for facts in session.facts:
        worlds = [without(*group) for group in groups]
        session.through(facts, worlds, lambda stage: _listen(stage, question, policy))
    return f"the refusals are {policy}"


def _listen(stage: Stage, question: Question, policy: str) -> None:
    for skill in sorted(stage.swapped.world.denied or ()):
        if not stage.dead:
            _check(stage, question, skill, policy)


def _check(stage: Stage, question: Question, skill: str, policy: str) -> None:
    unknown = stage.unknown
    sealed, absent = stage.agent.ask(question.surface, skill), stage.agent.ask(question.surface, unknown)
    script = (*stage.script, _told(question, skill, sealed), _told(question, unknown, absent))
    if sealed.ran:
        message = (
            f"`{question.surface}` lets out `{skill}` though {stage.swapped.world}, so there is no refusal to read"
        )
        raise Fallen(Reason.LEAKED, message, "repair what seal-decides shows first", script)
    if absent.ran:
        message = f"`{question.surface}` runs for `{unknown}`, which does not exist"
        raise Fallen(Reason.NOT_SHOWN, message, "let the host's `unknown` return a name that no skill has", script)
    same = _without_name(sealed.text, skill) == _without_name(absent.text, unknown)
    if policy == "truthful":
        _truthful(stage, question, skill, sealed, same, script)
    elif not same:
        message = f"`{question.surface}` answers the sealed `{skill}` in other words than the unknown `{unknown}`"
        raise Fallen(Reason.DISAGREES, message, "give one answer for both, from one place", script)


def _truthful(
    stage: Stage, question: Question, skill: str, sealed: Outcome, same: bool, script: tuple[str, ...]
) -> None:
    if not sealed.text.strip():
        message = f"`{question.surface}` refuses `{skill}` without a word"
        raise Fallen(Reason.DISAGREES, message, "say that the skill is sealed, and for what", script)
    if same:
        message = f"`{question.surface}` answers the sealed `{skill}` as if it did not exist"
        raise Fallen(Reason.DISAGREES, message, "ask the seal before the name is looked up", script)
    due = stage.agent.names("refusal_facts", skill) if stage.session.has("refusal_facts") else ()
    missing = [fact for fact in due if fact not in sealed.text]
    if missing:
        message = f"the refusal of `{skill}` by `{question.surface}` does not name {', '.join(map(repr, missing))}"
        raise Fallen(Reason.DISAGREES, message, "take the refusal's text from the one place that names them", script)


def _told(question: Question, name: str, outcome: Outcome) -> str:
    return f"{question.surface} is asked for {name}: {outcome.text or 'no word'!r:.200}"


def _without_name(text: str, name: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "<name>", text)


INVARIANT = Invariant(id=ID, family="doors", scope=Scope.SURFACE, page=__doc__ or "", play=play, manner=Manner.NAMED)
