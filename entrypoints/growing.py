"""The skills that one run has loaded: a set that only grows.

A provider caches by prefix and reads tools before everything else, so taking a skill away saves its schemas and costs
the whole history. Here nothing can be taken away; the next run begins with nothing loaded.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class LoadedPolicy(StrEnum):
    """Two honest ways to say which skills are loaded; a session follows one of them."""

    FOLLOWS_HISTORY = "follows-history"
    """Those whose loading message is still there: what compaction takes away is masked again."""
    GROWS = "grows"
    """Those that were loaded since the question was put: what compaction takes away stays loaded."""


@dataclass(frozen=True, slots=True)
class Grown:
    """Names in the order of their first appearance, each once."""

    names: tuple[str, ...] = ()

    def merged(self, new: Iterable[str]) -> Grown:
        """This and more. There is no operation for less."""
        return Grown(tuple(dict.fromkeys((*self.names, *new))))
