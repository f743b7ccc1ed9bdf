"""What a provider's prefix cache would make of a series of requests: how often the prefix breaks, and what that costs.

A request is read in the order tools, system prompt, messages. What equals the last request from the first byte on is
not read again; everything behind the first difference is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from entrypoints.model import Request

LIFETIME = 300.0
"""Seconds for which a cached prefix lives: the usual five minutes."""
LETTERS = 4
"""Letters to a token: an estimate that is good enough to compare two policies."""


@dataclass(frozen=True, slots=True)
class Bill:
    """`breaks`: requests that do not continue the one before. `reread`: tokens that were known and are read again."""

    breaks: int = 0
    reread: int = 0


def tokens(text: str) -> int:
    return len(text) // LETTERS


def serialised(request: Request) -> tuple[str, ...]:
    """The parts of a request, in the order in which a provider reads them."""
    return tuple(_parts(request))


def bill(requests: Iterable[Request], pause: float = 0.0) -> Bill:
    """What a series of requests costs that are `pause` seconds apart.

    When the cache has died in between, everything known is read again, whatever the table does.
    """
    breaks = reread = 0
    known: tuple[str, ...] = ()
    for request in requests:
        parts = serialised(request)
        same = _shared(known, parts)
        breaks += same < len(known)
        lost = known if pause > LIFETIME else known[same:]
        reread += sum(map(tokens, lost))
        known = parts
    return Bill(breaks, reread)


def _parts(request: Request) -> Iterator[str]:
    for schema in request.tools:
        yield json.dumps(schema.to_json(), ensure_ascii=False)
    yield request.system
    for message in request.messages:
        yield message.to_json()


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """How many parts two requests have in common from the beginning."""
    pairs = zip(one, other, strict=False)
    return next((number for number, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
