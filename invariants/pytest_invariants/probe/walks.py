"""Walks: the short scripts that are always played, one for every lever; drawn scripts would need luck to find them."""

from __future__ import annotations

from collections.abc import Callable

from pytest_invariants.probe.answers import Fallen
from pytest_invariants.probe.compare import Questions, approve, compare, compare_child
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.worlds import ALLOW, DENY, without
from pytest_invariants.verdict import Reason

Move = Callable[[Stage], object]

MOVES: dict[str, Move] = {
    "step": lambda stage: stage.pull("step"),
    "turn": lambda stage: stage.pull("turn"),
    "compact": lambda stage: stage.pull("compact"),
    "resume": lambda stage: stage.pull("resume", False),
    "reload": lambda stage: stage.pull("reload"),
    "restart": lambda stage: stage.pull("restart"),
}


def walk(session: ProbeSession, questions: Questions) -> None:
    """Play every walk for whose lever the host has a method. Raises Fallen for the first that goes wrong."""
    for lever, move in MOVES.items():
        if session.has(lever):
            _past(session, questions, move, lists_complete=lever != "compact" or keeps(session))
    if session.has("resume"):
        _past(session, questions, lambda stage: stage.pull("resume", True))
    if session.has("connect") and session.has("drop"):
        _past(session, questions, _reconnect)
    if session.has("spawn_child"):
        _child(session, questions)
    if session.has("pend") and session.has("approve"):
        for skill in session.skills:
            _late_approval(session, skill)


def keeps(session: ProbeSession) -> bool:
    return session.policy("compaction", "resets") == "keeps"


def _reconnect(stage: Stage) -> None:
    stage.pull("drop")
    stage.pull("connect")


def _load_all(stage: Stage) -> None:
    if stage.session.has("load"):
        for skill in stage.session.skills:
            stage.pull("load", skill)


def _past(session: ProbeSession, questions: Questions, move: Move, *, lists_complete: bool = True) -> None:
    """What was loaded and used before the move gives way to a no that comes after it, or before it."""
    with session.stage() as stage:
        _load_all(stage)
        move(stage)
        compare(stage, questions, lists_complete=lists_complete)
        if session.changeable:
            stage.enter(DENY)
            compare(stage, questions)
            move(stage)
            compare(stage, questions)


def _child(session: ProbeSession, questions: Questions) -> None:
    with session.stage() as stage:
        _load_all(stage)
        compare_child(stage, questions)
        if session.changeable:
            stage.enter(DENY)
            compare_child(stage, questions)


def _late_approval(session: ProbeSession, skill: str) -> None:
    """Approved while it is allowed, a call runs; approved after the no, it does not."""
    with session.stage() as stage:
        stage.pull("pend", skill)
        if not approve(stage, skill):
            message = f"a call of `{skill}` that waited for approval does not run though {ALLOW}"
            remedy = "let `pend` leave a call that `approve` carries out, or leave both out of the host"
            raise Fallen(Reason.NOT_SHOWN, message, remedy, tuple(stage.script))
        if session.changeable:
            stage.pull("pend", skill)
            group = next((group for group in session.groups(stage.facts) if skill in group), None)
            stage.enter(without(*group) if group else DENY)
            approve(stage, skill)
