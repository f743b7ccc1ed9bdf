"""Kinds of values: each reads a node and states the same rule as JSON schema. This module has those of one word."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import Enum
from pathlib import Path
from typing import ClassVar, Generic, TypeAlias, TypeVar

from yaml.nodes import Node

from pytest_invariants.registry.nodes import column_of, describe, kind_of, line_of
from pytest_invariants.registry.problems import Problem, listed, quoted
from pytest_invariants.registry.suggest import closest
from pytest_invariants.verdict import Place

T = TypeVar("T", covariant=True)
Json: TypeAlias = "Mapping[str, Json] | list[Json] | str | int | bool | None"
Schema: TypeAlias = dict[str, Json]


class Failure(Enum):
    """The value of a node that does not read; its problems have been noted."""

    FAILED = "failed"


FAILED = Failure.FAILED


@dataclass(frozen=True, slots=True)
class Spot:
    """Where the reading stands: file, repository, the keys that lead here; and the problems of the whole file."""

    path: str
    root: Path
    problems: list[Problem]
    trail: str = ""
    key: Node | None = None

    def into(self, key: Node) -> Spot:
        trail = f"{self.trail}.{key.value}" if self.trail else key.value
        return Spot(self.path, self.root, self.problems, trail, key)

    def item(self, index: int) -> Spot:
        return Spot(self.path, self.root, self.problems, f"{self.trail}[{index}]")

    @property
    def name(self) -> str:
        return self.key.value if self.key else ""

    def __str__(self) -> str:
        return quoted(self.trail) if self.trail else "the registry"

    def at(self, node: Node) -> Place:
        """The line of a row: that of its key, or of its first value where it is an item of a list."""
        return Place(self.path, line_of(self.key or node))

    def fail(self, node: Node, message: str, remedy: str) -> Failure:
        self.problems.append(Problem(self.path, line_of(node), column_of(node), message, remedy))
        return FAILED


class Kind(ABC, Generic[T]):
    """What may stand at a place of the registry."""

    @property
    @abstractmethod
    def what(self) -> str:
        """The kind in words, for messages."""

    @abstractmethod
    def read(self, node: Node, spot: Spot) -> T | Failure:
        """The value of a node, or FAILED once its problems have been noted."""

    @abstractmethod
    def schema(self) -> Schema:
        """The same rule as JSON schema."""


class Formed(Kind[T]):
    """A kind that accepts the YAML types in `forms` and no others."""

    forms: ClassVar[tuple[str, ...]]

    def read(self, node: Node, spot: Spot) -> T | Failure:
        return self.value(node, spot) if kind_of(node) in self.forms else wrong_kind(self.what, node, spot)

    @abstractmethod
    def value(self, node: Node, spot: Spot) -> T | Failure:
        """The value of a node whose YAML type is one of `forms`."""


def wrong_kind(what: str, node: Node, spot: Spot) -> Failure:
    return spot.fail(node, f"{spot} must be {what}, not {describe(node)}", f"write {what}")


@dataclass(frozen=True)
class Text(Formed[T]):
    """Text that matches a pattern as a whole. `repair` guesses what was meant."""

    forms: ClassVar[tuple[str, ...]] = ("str",)
    words: str
    pattern: str
    convert: Callable[[str], T]
    repair: Callable[[str], str] = str
    example: str = ""

    @property
    def what(self) -> str:
        return self.words

    def value(self, node: Node, spot: Spot) -> T | Failure:
        return self.parse(node.value, node, spot)

    def parse(self, text: str, node: Node, spot: Spot) -> T | Failure:
        if re.fullmatch(self.pattern, text):
            return self.convert(text)
        guess = self.repair(text)
        known = guess != text and re.fullmatch(self.pattern, guess)
        remedy = f"did you mean {quoted(guess)}?" if known else f"write {self.words}, as in `{self.example}`"
        return spot.fail(node, f"{spot}: {quoted(text)} is not {self.words}", remedy)

    def schema(self) -> Schema:
        return {"type": "string", "pattern": f"^(?:{self.pattern})$"}


@dataclass(frozen=True)
class Choice(Formed[T]):
    """One of a few words."""

    forms: ClassVar[tuple[str, ...]] = ("str",)
    words: Mapping[str, T]

    @property
    def what(self) -> str:
        return f"one of {listed(self.words)}"

    def value(self, node: Node, spot: Spot) -> T | Failure:
        if node.value in self.words:
            return self.words[node.value]
        near = closest(node.value, self.words)
        remedy = f"did you mean `{near}`?" if near else f"write {self.what}"
        return spot.fail(node, f"unknown value {quoted(node.value)} of {spot}", remedy)

    def schema(self) -> Schema:
        return {"enum": list(self.words)}


@dataclass(frozen=True)
class Flag(Formed[bool]):
    """`true` or `false`, and not the older `yes` and `on`, which YAML 1.2 and so the schema take for text."""

    forms: ClassVar[tuple[str, ...]] = ("bool",)
    what: ClassVar[str] = "`true` or `false`"

    def value(self, node: Node, spot: Spot) -> bool | Failure:
        word = node.value.lower()
        if word in ("true", "false"):
            return bool(word == "true")
        return spot.fail(node, f"{spot}: {quoted(node.value)} is not {self.what}", f"write {self.what}")

    def schema(self) -> Schema:
        return {"type": "boolean"}


@dataclass(frozen=True)
class Version(Formed[int]):
    """The version of the format: a number that must be the one this release reads."""

    forms: ClassVar[tuple[str, ...]] = ("int",)
    number: int

    @property
    def what(self) -> str:
        return f"the number {self.number}"

    def value(self, node: Node, spot: Spot) -> int | Failure:
        if node.value == str(self.number):
            return self.number
        message = f"{spot}: this release does not know version {quoted(node.value)} of the format"
        return spot.fail(node, message, f"write `version: {self.number}`, or install a release that knows it")

    def schema(self) -> Schema:
        return {"type": "integer", "const": self.number}


@dataclass(frozen=True)
class Day(Formed[date]):
    """A calendar day, as in 2027-06-30, in quotes or without."""

    forms: ClassVar[tuple[str, ...]] = ("timestamp", "str")
    what: ClassVar[str] = "a date such as 2027-06-30"
    pattern: ClassVar[str] = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"

    def value(self, node: Node, spot: Spot) -> date | Failure:
        try:
            if re.fullmatch(self.pattern, node.value):
                return date.fromisoformat(node.value)
        except ValueError:
            return spot.fail(node, f"{spot}: there is no day {quoted(node.value)}", f"write {self.what}")
        return spot.fail(node, f"{spot}: {quoted(node.value)} is not {self.what}", f"write {self.what}")

    def schema(self) -> Schema:
        return {"type": "string", "pattern": f"^{self.pattern}$", "format": "date"}
