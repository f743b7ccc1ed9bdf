"""What the dictionaries of several paths have in common."""

from __future__ import annotations

from typing import TypeVar

Key = TypeVar("Key")
Held = TypeVar("Held")


def in_common(every: list[dict[Key, Held]]) -> dict[Key, Held]:
    """The entries that are the very same in all of these."""
    first, *others = every
    rows = list(first.items())
    lost = {at for at, (_, held) in enumerate(rows) if held is None}
    for one in others:
        if one is not first:
            _lose(rows, one, lost)
    found = first.copy()
    for at in lost:
        del found[rows[at][0]]
    return found


def _lose(rows: list[tuple[Key, Held]], one: dict[Key, Held], lost: set[int]) -> None:
    """Note the rows that are not so in one of them. Paths that went apart not long ago have nearly all in the same order: what
    stands at the same place in both need not be looked up."""
    start = 0
    for (key, held), (same, other) in zip(rows, one.items(), strict=False):
        if key is not same:
            break
        if held is not other:
            lost.add(start)
        start += 1
    for at in range(start, len(rows)):
        if at not in lost:
            key, held = rows[at]
            if one.get(key) is not held:
                lost.add(at)
