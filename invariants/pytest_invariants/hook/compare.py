"""What a change did: how the agent stood before it, set against how it stands after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from pytest_invariants.hook.standing import Entry, Stand, Standing
from pytest_invariants.verdict import Place, Reason, Verdict


class Kind(StrEnum):
    """What happened to a door or a surface. The first group makes a commit fail."""

    NEW_DOOR = "new door"
    RENAMED = "renamed"
    """The row of the registry still has the old name."""
    REMOVED = "removed"
    """The row of the registry names a function that is gone."""
    UNGUARDED = "unguarded"
    UNDECIDED = "undecided"
    STALE = "stale exemption"
    UNEXAMINED = "not followed to its end"
    UNREADABLE = "unreadable"

    FOLLOWED = "renamed, and so is its row"
    DROPPED = "removed, and so is its row"
    ADDED = "new surface"
    BETTER = "better"
    WEAKER = "weaker, and still proved"
    ACCEPTED = "undecided, as the ledger says"
    KNOWN = "not proved before this change either"
    KNOWN_DOOR = "not registered before this change either"


FAILING = frozenset(list(Kind)[: list(Kind).index(Kind.FOLLOWED)])


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that a change did; `was` and `door` or `stand` are what it did it to."""

    kind: Kind
    name: str
    at: Place | None = None
    stand: Stand | None = None
    was: Stand | None = None
    door: Entry | None = None
    old: str = ""
    """The function's name before the change, where it had another."""

    @property
    def fails(self) -> bool:
        return self.kind in FAILING


Accepted = frozenset[tuple[str, str]]
"""Surfaces by id, and for each the reason for which its ledger says that it is undecided."""


def compare(
    before: Standing, after: Standing, renamed: Mapping[str, str], accepted: Accepted = frozenset()
) -> tuple[Change, ...]:
    """Everything that happened, what fails first. `renamed` gives new functions by old ones."""
    old_names = {new: old for old, new in renamed.items()}
    found = [
        *_doors(before, after, old_names),
        *_surfaces(before, after, renamed, accepted),
        *_rest(before, after),
    ]
    return tuple(sorted(found, key=lambda change: (not change.fails, change.at or Place("", 0), change.name)))


def _doors(before: Standing, after: Standing, old_names: Mapping[str, str]) -> Iterator[Change]:
    rows = {stand.function: stand for stand in after.surfaces if _is_missing(stand)}
    for function, door in after.loose.items():
        old = old_names.get(function, "")
        if old in rows:
            yield Change(Kind.RENAMED, function, door.at, stand=rows[old], door=door, old=old)
        else:
            known = function in before.loose or old in before.loose
            yield Change(Kind.KNOWN_DOOR if known else Kind.NEW_DOOR, function, door.at, door=door, old=old)


def _surfaces(before: Standing, after: Standing, renamed: Mapping[str, str], accepted: Accepted) -> Iterator[Change]:
    moved = {new: old for old, new in renamed.items()}
    known = {**{stand.function: stand for stand in before.surfaces}, **before.by_id}
    for stand in after.surfaces:
        was = before.by_id.get(stand.id) or known.get(moved.get(stand.function, ""))
        if _is_missing(stand) and stand.function in renamed:
            continue
        kind = _kind(stand, was, accepted)
        if kind is not None:
            yield Change(kind, stand.id, stand.finding.at or stand.row, stand=stand, was=was)
        if was is not None and was.function != stand.function and stand.function in moved:
            yield Change(Kind.FOLLOWED, stand.id, stand.row, stand=stand, was=was, old=was.function)
    yield from _dropped(before, after, moved)


def _dropped(before: Standing, after: Standing, moved: Mapping[str, str]) -> Iterator[Change]:
    there = {moved.get(stand.function, stand.function) for stand in after.surfaces}
    for was in before.surfaces:
        if was.id not in after.by_id and was.function not in there:
            yield Change(Kind.DROPPED, was.id, was=was)


def _kind(stand: Stand, was: Stand | None, accepted: Accepted) -> Kind | None:
    """What happened to a surface; None where nothing did."""
    if stand.proved:
        return _of_a_proof(stand, was)
    if was is not None and was.rank <= stand.rank and was.finding.verdict is not Verdict.PROVED:
        return Kind.KNOWN
    if _is_missing(stand):
        return Kind.REMOVED
    if stand.finding.verdict is Verdict.REFUTED:
        return Kind.UNGUARDED
    return Kind.ACCEPTED if (stand.id, str(stand.finding.reason)) in accepted else Kind.UNDECIDED


def _of_a_proof(stand: Stand, was: Stand | None) -> Kind | None:
    if was is None:
        return Kind.ADDED
    if was.rank == stand.rank:
        return None
    return Kind.BETTER if was.rank < stand.rank else Kind.WEAKER


def _is_missing(stand: Stand) -> bool:
    return stand.finding.reason is Reason.MISSING_FUNCTION


def _rest(before: Standing, after: Standing) -> Iterator[Change]:
    for function in after.stale:
        if function not in before.stale:
            yield Change(Kind.STALE, function)
    for function in after.unexamined:
        if function not in before.unexamined:
            yield Change(Kind.UNEXAMINED, function)
    known = {place.path for place in before.unreadable}
    for place in after.unreadable:
        if place.path not in known:
            yield Change(Kind.UNREADABLE, place.path, place)
