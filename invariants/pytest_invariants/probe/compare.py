"""Asking every surface at once, and saying who is right and who is wrong."""

from __future__ import annotations

from pytest_invariants.probe.agent import Question
from pytest_invariants.probe.answers import Fallen
from pytest_invariants.probe.judge import expect, quoted
from pytest_invariants.probe.levers import words
from pytest_invariants.probe.stage import Stage
from pytest_invariants.verdict import Reason

Questions = tuple[Question, ...]


def compare(stage: Stage, questions: Questions, *, complete: bool = True, lists_complete: bool = True) -> list[str]:
    """Ask every surface; what each answered. Raises Fallen where one shows what the seal denies, or less than it allows.

    Where answers (or lists) need not be complete, a surface may show less than the seal allows, and never more.
    """
    wrong: list[Fallen] = []
    right: list[str] = []
    for question in questions:
        try:
            shown = expect(stage, question, complete=complete and (lists_complete or not question.lists))
            right.append(f"{question}: {quoted(shown.skills) or 'nothing'} comes out, rightly")
        except Fallen as fallen:
            wrong.append(fallen)
    if wrong:
        raise _disagreement(wrong, right)
    return right


def _disagreement(wrong: list[Fallen], right: list[str]) -> Fallen:
    first = wrong[0]
    reason = Reason.DISAGREES if right and first.reason is not Reason.NOT_SHOWN else first.reason
    answers = [f"{each.script[-1]}, wrongly" for each in wrong] + right
    return Fallen(reason, first.message, first.remedy, (*first.script[:-1], *answers))


def approve(stage: Stage, skill: str, edited: str | None = None) -> bool:
    """Approve the call of a skill's tool that waits, as it is or changed into another skill's; whether it ran.

    Raises Fallen where the seal denies now what runs.
    """
    lever, arguments = ("approve_edited", (edited,)) if edited else ("approve", ())
    stage.script.append(words(lever, *arguments))
    if stage.dead or not stage.agent.outcome(lever, *arguments).ran:
        return False
    if (edited or skill) not in stage.allowed:
        changed = f" changed into one of `{edited}`" if edited else ""
        message = f"a call of `{skill}` that waited for approval runs{changed} though {stage.world}"
        remedy = "ask the seal again when the call is carried out, not only when it is asked for"
        raise Fallen(Reason.LEAKED if edited else Reason.STALE_VERDICT, message, remedy, tuple(stage.script))
    return True
