"""Scripts: what is done to an agent, as data, and as a line of text that people can give back to be played again.

    open 0; load ledger; deny ledger notes; resume fresh; call activate ledger "LEDGER"

`open N` opens an agent under the N-th of the host's facts; `open N denying ...` while the seal says no already.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_invariants.probe.worlds import DENY, World, without

ALL = "*"
BARE = re.compile(r"[\w./:@*-]+", re.ASCII)
TOKEN = re.compile(r"""\s*(?:(;)|("(?:[^"\\]|\\.)*")|([^\s;"]+))""")


class ScriptError(Exception):
    """A text that is no script. The message says what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Move:
    """One step: what is done, and with what."""

    verb: str
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((self.verb, *map(_written, self.words)))


@dataclass(frozen=True, slots=True)
class Script:
    """An agent opens under the facts of this number, while `denied` is sealed, and the moves are made."""

    moves: tuple[Move, ...] = ()
    facts: int = 0
    denied: tuple[str, ...] = ()

    def __str__(self) -> str:
        denying = ("denying", *self.denied) if self.denied else ()
        return "; ".join(map(str, (Move("open", (str(self.facts), *denying)), *self.moves)))


def world_of(denied: tuple[str, ...]) -> World:
    """The world in which these skills are denied; `*` stands for everything."""
    return DENY if ALL in denied else without(*denied)


def parsed(text: str) -> Script:
    """The script that a text says. Raises ScriptError."""
    moves = [_move(tokens) for tokens in _sentences(text)]
    if not moves:
        raise ScriptError("the script is empty; begin it with `open 0`")
    if moves[0].verb != "open":
        return Script(tuple(moves))
    number, *rest = moves[0].words or ("0",)
    if not number.isdigit() or (rest and (rest[0] != "denying" or len(rest) < 2)):
        raise ScriptError(f"`{moves[0]}` is no beginning; write `open 0`, or `open 0 denying NAME ...`")
    return Script(tuple(moves[1:]), int(number), tuple(rest[1:]))


def _move(tokens: list[str]) -> Move:
    return Move(tokens[0], tuple(tokens[1:]))


def _sentences(text: str) -> Iterator[list[str]]:
    sentence: list[str] = []
    position, end = 0, len(text.rstrip())
    while position < end:
        found = TOKEN.match(text, position)
        if found is None:
            raise ScriptError(f"the script cannot be read from {text[position:]!r:.40} on; close the quotation mark")
        position = found.end()
        if not found[1]:
            sentence.append(_unquoted(found[2]) if found[2] else found[3])
        elif sentence:
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def _unquoted(text: str) -> str:
    try:
        return str(json.loads(text))
    except ValueError as error:
        raise ScriptError(f"{text} is no string; write it as JSON does") from error


def _written(word: str) -> str:
    return word if BARE.fullmatch(word) else json.dumps(word)
