"""Judging what one surface showed in one world: nothing that the seal denies, and everything that it allows."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_invariants.probe.agent import Question
from pytest_invariants.probe.answers import Fallen
from pytest_invariants.probe.matching import same
from pytest_invariants.probe.stage import Shown, Stage
from pytest_invariants.probe.worlds import ALLOW
from pytest_invariants.verdict import Reason

REPAIR = "ask the seal about this very skill on this path, in this call, and act on its answer"


def quoted(skills: Iterable[str]) -> str:
    return ", ".join(f"`{skill}`" for skill in sorted(skills))


def expect(stage: Stage, question: Question, *, complete: bool = True) -> Shown:
    """Ask, and compare with the world that the stage is in. Raises Fallen for the first thing that is wrong.

    Where the answer need not be complete, less than the seal allows may come out, and never more.
    """
    return judged(stage, stage.ask(question), complete=complete)


def judged(stage: Stage, shown: Shown, *, complete: bool = True) -> Shown:
    """Compare what was shown with the world that the stage is in. Raises Fallen for the first thing that is wrong."""
    question = shown.question
    allowed = stage.allowed
    if shown.skills - allowed:
        raise _leak(stage, shown, shown.skills - allowed)
    if complete and allowed - shown.skills:
        raise _absence(stage, shown, allowed - shown.skills)
    if stage.calls_for(question):
        stage.session.heard.add((question, stage.facts))
    stage.seen[question] = stage.seen.get(question, frozenset()) | shown.skills
    return shown


def _leak(stage: Stage, shown: Shown, skills: frozenset[str]) -> Fallen:
    world, surface = stage.world, shown.question.surface
    did = "lists" if shown.question.lists else "lets out"
    message = f"`{surface}` {did} {quoted(skills)} though {world}"
    if world.fault is not None:
        remedy = "refuse where the seal does not answer: let its error through, or treat it as a no"
        return fallen(Reason.FAILS_OPEN, stage, shown, message, remedy)
    calls = stage.calls_for(shown.question)
    if not calls and (shown.question, stage.facts) in stage.session.heard:
        message = f"{message}; an earlier agent of this process asked the seal, and this one did not"
        return fallen(Reason.STALE_VERDICT, stage, shown, message, "ask anew, or declare the cache under `caches`")
    if not calls:
        return fallen(Reason.LEAKED, stage, shown, f"{message}; the seal was not asked once", REPAIR)
    if world.denied is not None and not any(call.skills & skills for call in calls):
        asked = "; it was asked about " + ", ".join(dict.fromkeys(_subject(call.subject) for call in calls[-3:]))
        remedy = "pass what is asked for to the seal, or correct `seal_arguments` of the host"
        return fallen(Reason.WRONG_SUBJECT, stage, shown, f"{message}: it was never asked about it{asked}", remedy)
    if skills & stage.seen.get(shown.question, frozenset()):
        return fallen(Reason.STALE_VERDICT, stage, shown, f"{message} now", "ask anew instead of keeping the answer")
    return fallen(Reason.LEAKED, stage, shown, message, REPAIR)


def _absence(stage: Stage, shown: Shown, skills: frozenset[str]) -> Fallen:
    world, surface = stage.world, shown.question.surface
    did = "does not list" if shown.question.lists else "does not let out"
    said = next((text for text in map(shown.said, sorted(skills)) if text), "")
    message = f"`{surface}` {did} {quoted(skills)} though {world}" + (f"; it says: {said:.200}" if said else "")
    if world != ALLOW:
        remedy = "let the seal alone decide; if it raises an error of its own, give the host a method `denial`"
        return fallen(Reason.DISAGREES, stage, shown, message, remedy)
    if skills <= stage.seen.get(shown.question, frozenset()):
        return fallen(Reason.STALE_VERDICT, stage, shown, f"{message} again", "ask anew instead of keeping the answer")
    remedy = (
        "find out who refuses it, for until it is shown a refusal proves nothing; then repair the host or the agent"
    )
    return fallen(Reason.NOT_SHOWN, stage, shown, message, remedy)


def _subject(values: object) -> str:
    return f"{values!r:.80}"


def fallen(reason: Reason, stage: Stage, shown: Shown, message: str, remedy: str) -> Fallen:
    last = f"{shown.question}: {quoted(shown.skills) or 'nothing'} comes out"
    return Fallen(reason, message, remedy, (*stage.script, last))


def check_principal(stage: Stage, shown: Shown) -> None:
    """Raises Fallen where the seal was asked for somebody else than the host says."""
    for call in shown.calls:
        for skill in sorted(call.skills):
            expected = stage.swapped.arguments.get(skill, {})
            for name, given in call.principal.items():
                if name in expected and not same(expected[name], given):
                    message = (
                        f"`{shown.question.surface}` asks the seal about `{skill}` with {name}={given!r:.60}, "
                        f"and it is asked for {expected[name]!r:.60}"
                    )
                    remedy = "pass on who really asks, or correct `seal_arguments` of the host"
                    raise fallen(Reason.WRONG_PRINCIPAL, stage, shown, message, remedy)
