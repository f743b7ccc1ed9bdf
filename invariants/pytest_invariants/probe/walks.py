"""Walks: the scripts that are always played; drawn scripts would need luck to find what they show."""

from __future__ import annotations

import random
from collections.abc import Iterator

from pytest_invariants.probe.answers import Fallen
from pytest_invariants.probe.compare import Questions, approve
from pytest_invariants.probe.player import VERBS, play
from pytest_invariants.probe.script import ALL, Move, Script
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.worlds import ALLOW
from pytest_invariants.verdict import Reason

QUIET = frozenset({"open", "load", "pend", "drop"})
"""Moves that only prepare the next one: in a short walk nobody is asked after them."""
SINGLE = ("step", "turn", "reload", "restart", "compact", "resume same", "resume fresh", "connect", "child")
ROUNDS = 3
"""Every three moves, in whatever order, come one after the other somewhere in so many rounds of all moves."""
TOURS = 2
NO = Move("deny", (ALL,))


def walk(session: ProbeSession, questions: Questions) -> tuple[Script, Fallen] | None:
    """Play every short walk: the first that fails, and how; None where none does."""
    for script in walks(session):
        try:
            play(session, questions, script, quiet=QUIET)
        except Fallen as fallen:
            return script, fallen
    return None


def tour(session: ProbeSession, questions: Questions) -> tuple[Script, Fallen] | None:
    """Play every tour: the first that fails, and how; None where none does."""
    for script in tours(session):
        try:
            play(session, questions, script)
        except Fallen as fallen:
            return script, fallen
    return None


def walks(session: ProbeSession) -> Iterator[Script]:
    """What was loaded and used before a move gives way to a no that comes after it, or before it."""
    loads = tuple(Move("load", (skill,)) for skill in session.skills) if session.has("load") else ()
    no = (NO,) if session.changeable else ()
    for move in _moves(session):
        yield Script((*loads, *move, *no, *(move if no else ())))
    for skill in dict.fromkeys((session.skills[0], session.skills[-1])) if no else ():
        if _usable(session, "approve"):
            yield Script((Move("pend", (skill,)), NO, Move("approve")))
        if _usable(session, "edit"):
            yield Script((Move("pend", (session.skills[0],)), NO, Move("edit", (skill,))))


def tours(session: ProbeSession) -> Iterator[Script]:
    """All moves in an order that a seed makes, over and over, with a no that comes at the beginning or later."""
    single = [move for moves in _moves(session) for move in moves]
    skill = session.skills[0]
    kinds = ("load", "pend", "approve", "forge", "search")
    usable = [Move(kind, (skill,) if kind != "approve" else ()) for kind in kinds if _usable(session, kind)]
    for seed in range(TOURS if session.changeable else 0):
        moves: list[Move] = []
        for place in range(ROUNDS):
            some = list(dict.fromkeys((*single, *usable)))
            random.Random(seed * ROUNDS + place).shuffle(some)
            moves += [NO, *some] if place == seed % ROUNDS else some
        yield Script(tuple(moves))


def _usable(session: ProbeSession, verb: str) -> bool:
    return all(map(session.has, VERBS[verb].needs))


def _moves(session: ProbeSession) -> Iterator[tuple[Move, ...]]:
    for text in SINGLE:
        verb, *words = text.split()
        if _usable(session, verb):
            yield (Move(verb, tuple(words)),)
    if _usable(session, "drop"):
        yield (Move("drop"), Move("connect"))


def controls(session: ProbeSession) -> None:
    """A call that waited for approval runs while it is allowed. Raises Fallen where it does not."""
    if not (session.has("pend") and session.has("approve")):
        return
    with session.stage() as stage:
        skill = session.skills[0]
        stage.pull("pend", skill)
        if not approve(stage, skill):
            message = f"a call of `{skill}` that waited for approval does not run though {ALLOW}"
            remedy = "let `pend` leave a call that `approve` carries out, or leave both out of the host"
            raise Fallen(Reason.NOT_SHOWN, message, remedy, tuple(stage.script))
