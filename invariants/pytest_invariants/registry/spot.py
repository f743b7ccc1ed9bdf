"""Where a reading stands, and the problems that it has noted so far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from yaml.nodes import Node

from pytest_invariants.registry.nodes import column_of, line_of
from pytest_invariants.registry.problems import Problem, quoted
from pytest_invariants.registry.suggest import closest
from pytest_invariants.verdict import Place

MAX_GUESSES = 500


class Failure(Enum):
    """The value of a node that does not read; its problems have been noted."""

    FAILED = "failed"


FAILED = Failure.FAILED


@dataclass(frozen=True, slots=True)
class Spot:
    """A place of the registry: file, repository, and the keys that lead here (`trail`, the last of them `key`).

    `problems` is one list for the whole file; every spot adds to it.
    """

    path: str
    root: Path
    problems: list[Problem]
    trail: str = ""
    key: Node | None = None

    def into(self, key: Node) -> Spot:
        """The value of a key."""
        trail = f"{self.trail}.{key.value}" if self.trail else str(key.value)
        return Spot(self.path, self.root, self.problems, trail, key)

    def item(self, index: int) -> Spot:
        """An item of the list that stands here; `index` counts from 0."""
        return Spot(self.path, self.root, self.problems, f"{self.trail}[{index}]")

    def __str__(self) -> str:
        return quoted(self.trail) if self.trail else "the registry"

    @property
    def name(self) -> str:
        """The key whose value stands here, or nothing for an item of a list."""
        return str(self.key.value) if self.key else ""

    @property
    def prefix(self) -> str:
        return f"{self.name}: " if self.key else ""

    def at(self, node: Node) -> Place:
        """The line of a row: that of its key, or of its first value where it is an item of a list."""
        return Place(self.path, line_of(self.key or node))

    def near(self, word: str, candidates: Iterable[str]) -> str | None:
        """The closest match, unless the file has so many mistakes that guessing would only take time."""
        return closest(word, candidates) if len(self.problems) < MAX_GUESSES else None

    def fail(self, node: Node, message: str, remedy: str) -> Failure:
        """Note a problem of `node`."""
        self.problems.append(Problem(self.path, line_of(node), column_of(node), message, remedy))
        return FAILED
