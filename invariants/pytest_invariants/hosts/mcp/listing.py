"""Judging lists: their order and bytes, and whether the names in them can be told apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from itertools import combinations
from urllib.parse import unquote

from pytest_invariants.hosts.mcp.kinds import KINDS, RESOURCES, TEMPLATES, Kind, kind_of
from pytest_invariants.hosts.mcp.seen import Listing, Seen
from pytest_invariants.probe.answers import Fallen, Lacking
from pytest_invariants.verdict import Reason

LISTS = tuple(kind.lists for kind in KINDS)
SHOWN = 8
"""Lines of a difference that are shown."""


def stable(seen: Seen, method: str) -> str:
    """Asked twice, and in every process or session, a list has the same things in the same order, byte for byte."""
    kind = kind_of(method)
    asked = [
        (f"{visit.title}, {time} time", listing)
        for visit in seen.visits
        for time, listing in (("first", visit.first[method]), ("second", visit.second[method]))
        if not listing.fault
    ]
    if not asked:
        raise Lacking(f"no list of {kind.word}s could be gone through to its end")
    (begin, first), *rest = asked
    for title, other in rest:
        if other.lines != first.lines:
            raise _other(kind, (begin, first), (title, other))
    where = "processes with different hash seeds" if seen.starts else "sessions"
    return f"{len(first.items)} in the same order, byte for byte, asked twice in {len(seen.visits)} {where}"


def _other(kind: Kind, one: tuple[str, Listing], other: tuple[str, Listing]) -> Fallen:
    (begin, first), (title, second) = one, other
    moved = sorted(first.lines) == sorted(second.lines)
    what = "are in another order" if moved else "are not the same"
    message = f"the {kind.word}s {what}: {begin}, and {title}"
    remedy = (
        "sort where they are registered, listed or kept in sets"
        if moved
        else "let the list depend on nothing that moves"
    )
    return Fallen(Reason.DISAGREES, message, remedy, _difference(begin, first, title, second))


def _difference(begin: str, first: Listing, title: str, second: Listing) -> tuple[str, ...]:
    if sorted(first.names) == sorted(second.names) and first.names != second.names:
        return tuple(f"{where}: {', '.join(each.names):.200}" for where, each in ((begin, first), (title, second)))
    gone = [f"{begin}: {line:.200}" for line in first.lines if line not in second.lines]
    new = [f"{title}: {line:.200}" for line in second.lines if line not in first.lines]
    return tuple([line for pair in zip(gone, new, strict=False) for line in pair][:SHOWN] or (gone + new)[:SHOWN])


def told_apart(seen: Seen, method: str) -> str:
    """No two names of a list are the same, or become the same where a client handles them."""
    kind = kind_of(method)
    names = seen.listing(kind).names
    for one, other in combinations(names, 2):
        reason = next((why for why, fold in _folds(kind) if fold(one) == fold(other)), None)
        if reason:
            message = f"the {kind.word}s {one!r} and {other!r} {reason}"
            raise Fallen(Reason.AMBIGUOUS, message, "give each a name of its own that differs in letters or digits")
    return f"{len(names)} names can be told apart"


def _folds(kind: Kind) -> tuple[tuple[str, Callable[[str], str]], ...]:
    """What clients and people take for the same, and why."""
    if kind in (RESOURCES, TEMPLATES):
        return (("have the same address", str), ("have the same address once it is decoded", unquote))
    return (
        ("have the same name", str),
        ("differ only in case, or in forms that Unicode takes for the same", _folded),
        ("are the same once a client has put `_` for what a provider does not take", _sanitised),
    )


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold().strip()


def _sanitised(name: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)
