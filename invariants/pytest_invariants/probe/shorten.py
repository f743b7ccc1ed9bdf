"""From a script that fails to one that does not get shorter: every move of it is needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pytest_invariants.probe.answers import Fallen
from pytest_invariants.probe.compare import Questions
from pytest_invariants.probe.player import play
from pytest_invariants.probe.script import ALL, Move, Script
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.verdict import Reason

PLAYS = 150
"""How many shorter scripts are tried: an agent that is slow to open would be opened hundreds of times."""


class Shortener:
    """Tries shorter scripts for as long as there is patience. It counts plays, not seconds, to be the same everywhere."""

    def __init__(self, session: ProbeSession, questions: Questions, plays: int = PLAYS) -> None:
        self._session = session
        self._questions = questions
        self._left = plays

    def shortest(self, script: Script, fallen: Fallen) -> Fallen:
        """The failure of the shortest script that is found; of this one where no other fails."""
        best = self._failure(script, fallen)
        if best is None:
            return fallen
        best.replay = str(script)
        while (found := self._shorter(script, fallen.reason)) is not None:
            script, best = found
            best.replay = str(script)
        return best

    def _shorter(self, script: Script, reason: Reason) -> tuple[Script, Fallen] | None:
        for candidate in _candidates(script):
            failure = self._failure(candidate, None, reason)
            if failure is not None:
                return candidate, failure
        return None

    def _failure(self, script: Script, known: Fallen | None, reason: Reason | None = None) -> Fallen | None:
        """How it fails; None where it does not, where it fails for want of a positive control, or patience is at an end."""
        if self._left <= 0:
            return None
        self._left -= 1
        try:
            play(self._session, self._questions, script)
        except Fallen as fallen:
            control = fallen.reason is Reason.NOT_SHOWN
            return fallen if control is ((known.reason if known else reason) is Reason.NOT_SHOWN) else None
        return None


def _candidates(script: Script) -> Iterator[Script]:
    """Shorter scripts: large parts left out first, then single moves, then simpler beginnings and denials."""
    moves = script.moves
    size = len(moves) // 2
    while size:
        for start in range(len(moves) - size, -1, -size):
            yield replace(script, moves=moves[:start] + moves[start + size :])
        size //= 2
    if script.facts:
        yield replace(script, facts=0)
    if script.denied:
        yield replace(script, denied=())
    yield from (replace(script, denied=fewer) for fewer in _fewer(script.denied))
    for place, move in enumerate(moves):
        for fewer in _simpler(move):
            yield replace(script, moves=(*moves[:place], fewer, *moves[place + 1 :]))


def _simpler(move: Move) -> Iterator[Move]:
    if move.verb == "deny":
        yield from (Move("deny", fewer) for fewer in _fewer(move.words))


def _fewer(denied: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Everything is as simple as it gets, for whoever reads it has nothing to look up; then one skill alone."""
    if len(denied) > 1:
        yield (ALL,)
        yield from ((skill,) for skill in denied)
