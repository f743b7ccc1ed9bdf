"""The skills that one run has loaded: a set that only grows, and the table that is projected from it.

A provider caches by prefix and reads tools before everything else, so taking a skill away saves its schemas and costs
the whole history. Here nothing can be taken away; the next run begins with nothing loaded. What compaction removes
from the messages stays loaded, where the other policy (`table.build_table`) masks it again: an agent declares which of
the two it follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from entrypoints.messages import Message
from entrypoints.table import show_table
from entrypoints.turn import Turn
from skills.model import Schema


@dataclass(frozen=True, slots=True)
class Grown:
    """Names in the order of their first appearance, each once."""

    names: tuple[str, ...] = ()

    def merged(self, new: Iterable[str]) -> Grown:
        """This and more. There is no operation for less."""
        return Grown(tuple(dict.fromkeys((*self.names, *new))))


def project(turn: Turn, grown: Grown, messages: Sequence[Message]) -> tuple[Schema, ...]:
    """The table of one model call. It is a view: neither the set nor the messages are touched."""
    return show_table(turn, grown.names, messages)
