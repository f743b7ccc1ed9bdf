"""The closest match of a word that nobody knows: `surfces` is probably `surfaces`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

LONGEST = 64
"""Longer words get no suggestion: nobody mistypes them, and the comparison is quadratic."""


def closest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate with the fewest typing slips from `word`, the first of equals, or None where none is near.

    Near means at most one slip in three characters (and one in a word of two); case does not count.
    """
    if not 1 < len(word) <= LONGEST:
        return None
    best, fewest = None, max(1, len(word) // 3) + 1
    for candidate in candidates:
        if abs(len(candidate) - len(word)) < fewest and (slips := _slips(word.lower(), candidate.lower())) < fewest:
            best, fewest = candidate, slips
    return best


def _slips(one: str, other: str) -> int:
    """The optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours."""
    before: Sequence[int] = ()
    row: Sequence[int] = range(len(other) + 1)
    for i, char in enumerate(one, 1):
        two_before, before, row = before, row, [i]
        for j, wanted in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (char != wanted))
            if i > 1 < j and char == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, two_before[j - 2] + 1)
            row.append(cost)
    return row[-1]
