"""Kinds of values: each reads a node and states the same rule as JSON schema. This module has those of one word."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import ClassVar, Generic, TypeAlias, TypeVar

from yaml.nodes import Node

from pytest_invariants.registry.nodes import describe, kind_of
from pytest_invariants.registry.problems import listed, quoted
from pytest_invariants.registry.spot import FAILED, Failure, Spot

T = TypeVar("T", covariant=True)
Json: TypeAlias = "Mapping[str, Json] | list[Json] | str | int | bool | None"
Schema: TypeAlias = dict[str, Json]

__all__ = [
    "FAILED",
    "Choice",
    "Day",
    "Failure",
    "Flag",
    "Formed",
    "Json",
    "Kind",
    "Schema",
    "Text",
    "Version",
    "misfit",
]


class Kind(ABC, Generic[T]):
    """What may stand at a place of the registry."""

    @property
    @abstractmethod
    def what(self) -> str:
        """The kind in words, for messages."""

    @property
    @abstractmethod
    def example(self) -> str:
        """A value as YAML, for messages."""

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
        return self.value(node, spot) if kind_of(node) in self.forms else misfit(self, node, spot)

    @abstractmethod
    def value(self, node: Node, spot: Spot) -> T | Failure:
        """The value of a node whose YAML type is one of `forms`."""


def misfit(kind: Kind[object], node: Node, spot: Spot) -> Failure:
    """Note that a node has the wrong YAML type for a kind."""
    found = kind_of(node)
    remedy = f"write it as in `{spot.prefix}{kind.example}`"
    if found is None:
        return spot.fail(node, f"{spot} carries the tag {quoted(node.tag)}", "remove the tag")
    if found == "null":
        return spot.fail(node, f"{spot} has no value", f"{remedy}, or remove the key")
    if isinstance(kind, Text) and isinstance(node.value, str):
        remedy = f"put it in quotes, or {remedy}"
    return spot.fail(node, f"{spot} must be {kind.what}, not {describe(node)}", remedy)


@dataclass(frozen=True)
class Text(Formed[T]):
    """Text that matches a pattern as a whole; `label` says it in words. `repair` guesses what was meant."""

    forms: ClassVar[tuple[str, ...]] = ("str",)
    label: str
    pattern: str
    convert: Callable[[str], T]
    sample: str
    repair: Callable[[str], str] = str.strip

    @property
    def what(self) -> str:
        return self.label

    @property
    def example(self) -> str:
        return self.sample

    def value(self, node: Node, spot: Spot) -> T | Failure:
        return self.parse(node.value, node, spot)

    def parse(self, text: str, node: Node, spot: Spot) -> T | Failure:
        if re.fullmatch(self.pattern, text):
            return self.convert(text)
        guess = self.repair(text)
        known = guess != text and re.fullmatch(self.pattern, guess)
        remedy = f"did you mean {quoted(guess)}?" if known else f"write it as in `{self.example}`"
        return spot.fail(node, f"{spot}: {quoted(text)} is not {self.what}", remedy)

    def schema(self) -> Schema:
        hint = f"write {self.label}, as in {self.sample}"
        return {"type": "string", "pattern": f"^(?:{self.pattern})$", "patternErrorMessage": hint}


@dataclass(frozen=True)
class Choice(Formed[T]):
    """One of a few words."""

    forms: ClassVar[tuple[str, ...]] = ("str",)
    words: Mapping[str, T]

    @property
    def what(self) -> str:
        return f"one of {listed(self.words)}"

    @property
    def example(self) -> str:
        return next(iter(self.words))

    def value(self, node: Node, spot: Spot) -> T | Failure:
        if node.value in self.words:
            return self.words[node.value]
        near = spot.near(node.value, self.words)
        remedy = f"did you mean `{near}`?" if near else f"write {self.what}"
        return spot.fail(node, f"unknown value {quoted(node.value)} of {spot}", remedy)

    def schema(self) -> Schema:
        return {"enum": list(self.words)}


@dataclass(frozen=True)
class Flag(Formed[bool]):
    """`true` or `false`, and not the older `yes` and `on`, which YAML 1.2 and so the schema take for text."""

    forms: ClassVar[tuple[str, ...]] = ("bool",)
    what: ClassVar[str] = "`true` or `false`"
    example: ClassVar[str] = "true"

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

    @property
    def example(self) -> str:
        return str(self.number)

    def value(self, node: Node, spot: Spot) -> int | Failure:
        if node.value == str(self.number):
            return self.number
        message = f"{spot}: this release does not know version {quoted(node.value)} of the format"
        return spot.fail(node, message, f"write `{spot.prefix}{self.number}`, or install a release that knows it")

    def schema(self) -> Schema:
        return {"type": "integer", "const": self.number}


@dataclass(frozen=True)
class Day(Formed[date]):
    """A calendar day, in quotes or without."""

    forms: ClassVar[tuple[str, ...]] = ("timestamp", "str")
    what: ClassVar[str] = "a day such as 2027-06-30"
    example: ClassVar[str] = "2027-06-30"
    pattern: ClassVar[str] = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"

    def value(self, node: Node, spot: Spot) -> date | Failure:
        if not re.fullmatch(self.pattern, node.value):
            return spot.fail(node, f"{spot}: {quoted(node.value)} is not {self.what}", f"write {self.what}")
        try:
            return date.fromisoformat(node.value)
        except ValueError:
            return spot.fail(node, f"{spot}: there is no day {quoted(node.value)}", "write a day of the calendar")

    def schema(self) -> Schema:
        return {"type": "string", "pattern": f"^{self.pattern}$", "format": "date"}
