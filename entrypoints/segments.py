"""Context segments. A segment's key holds the table's fingerprint: another table is another segment.

A provider that refused the content of a segment is skipped for the rest of it and asked again in the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from entrypoints.table import fingerprint
from entrypoints.turn import Thread
from skills.model import Schema


@dataclass(frozen=True, slots=True)
class Segment:
    thread: str
    table: str

    @classmethod
    def of(cls, thread: Thread, table: Sequence[Schema]) -> Segment:
        return cls(thread.id, fingerprint(table))


@dataclass(slots=True)
class Quarantine:
    """Who refused what. One per session."""

    _refused: set[tuple[Segment, str]] = field(default_factory=set)

    def add(self, segment: Segment, provider: str) -> None:
        self._refused.add((segment, provider))

    def holds(self, segment: Segment, provider: str) -> bool:
        return (segment, provider) in self._refused
