"""Walks: the short scripts that are always played, one for every lever; drawn scripts would need luck to find them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pytest_invariants.probe.answers import Fallen
from pytest_invariants.probe.compare import Questions, approve, compare, compare_child
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.worlds import ALLOW, DENY, without
from pytest_invariants.verdict import Reason


@dataclass(frozen=True, slots=True)
class Move:
    """One step of a walk. After it every surface is asked, unless it only prepares the next."""

    act: Callable[[Stage, Questions], object]
    asks: bool = True
    lists_complete: bool = True


Walk = tuple[Move, ...]
NO = Move(lambda stage, _: stage.enter(DENY))
CHILD = Move(lambda stage, questions: compare_child(stage, questions), asks=False)


def lever(name: str, *arguments: object, asks: bool = True, lists_complete: bool = True) -> Move:
    return Move(lambda stage, _: stage.pull(name, *arguments), asks, lists_complete)


def walk(session: ProbeSession, questions: Questions) -> int:
    """Play every walk for whose levers the host has methods; how many. Raises Fallen for the first that goes wrong."""
    walks = list(_walks(session))
    for each in walks:
        try:
            _play(session, questions, each)
        except Fallen as fallen:
            raise _shorter(session, questions, each, fallen) from None
    if session.has("pend") and session.has("approve"):
        for skill in session.skills:
            _late_approval(session, skill)
    return len(walks)


def keeps(session: ProbeSession) -> bool:
    """Whether a compaction leaves what was loaded."""
    return session.policy("compaction", "resets") == "keeps"


def _walks(session: ProbeSession) -> Iterator[Walk]:
    """What was loaded and used before a move gives way to a no that comes after it, or before it."""
    loads = tuple(lever("load", skill, asks=False) for skill in session.skills) if session.has("load") else ()
    for move in _moves(session):
        yield (*loads, *move, NO, *move) if session.changeable else (*loads, *move)


def _moves(session: ProbeSession) -> Iterator[Walk]:
    for name in ("step", "turn", "reload", "restart"):
        if session.has(name):
            yield (lever(name),)
    if session.has("compact"):
        yield (lever("compact", lists_complete=keeps(session)),)
    if session.has("resume"):
        yield (lever("resume", False),)
        yield (lever("resume", True),)
    if session.has("drop") and session.has("connect"):
        yield (lever("drop", asks=False), lever("connect"))
    if session.has("spawn_child"):
        yield (CHILD,)


def _play(session: ProbeSession, questions: Questions, moves: Walk) -> None:
    with session.stage() as stage:
        for move in moves:
            move.act(stage, questions)
            if move.asks:
                compare(stage, questions, lists_complete=move.lists_complete)


def _shorter(session: ProbeSession, questions: Questions, moves: Walk, fallen: Fallen) -> Fallen:
    """What falls when moves that do not matter are left out."""
    for move in moves:
        fewer = tuple(each for each in moves if each is not move)
        try:
            _play(session, questions, fewer)
        except Fallen as other:
            moves, fallen = fewer, other
    return fallen


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
