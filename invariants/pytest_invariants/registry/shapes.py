"""Kinds of values that hold others: lists, mappings, alternatives. (Records have a module of their own.)"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, TypeVar, cast

from yaml.nodes import Node

from pytest_invariants.registry.kinds import Formed, Kind, Schema, Text, misfit
from pytest_invariants.registry.nodes import MERGE, entries, is_merge_source, kind_of, line_of, own_entries
from pytest_invariants.registry.problems import quoted
from pytest_invariants.registry.spot import FAILED, Failure, Spot

T = TypeVar("T", covariant=True)


def keyed(node: Node, spot: Spot) -> Iterator[tuple[str, Node, Node]]:
    """The entries of a mapping as (key, key's node, value's node); what its merge keys add comes last.

    A key that is no word, or stands twice, is noted, and so is a merge of anything but mappings.
    """
    _note_bad_keys(node, spot)
    taken: set[str] = set()
    for key, value in entries(node):
        if isinstance(key.value, str) and key.value not in taken:
            taken.add(key.value)
            yield key.value, key, value


def _note_bad_keys(node: Node, spot: Spot) -> None:
    seen: dict[str, int] = {}
    for key, value in own_entries(node):
        if not isinstance(key.value, str):
            spot.fail(key, f"a key of {spot} must be a word, not a collection", "write it as in `key: value`")
        elif key.value in seen:
            message = f"the key {quoted(key.value)} of {spot} stands twice, first in line {seen[key.value]}"
            spot.fail(key, message, "remove or rename one of them")
        elif key.tag == MERGE and not is_merge_source(value):
            spot.fail(value, f"`<<` in {spot} must name a mapping or a list of mappings", "write it as in `<<: *alias`")
        else:
            seen[key.value] = line_of(key)


def _note_empty(kind: Kind[object], node: Node, spot: Spot) -> None:
    spot.fail(node, f"{spot} is empty: there is nothing to examine", f"write it as in `{spot.prefix}{kind.example}`")


@dataclass(frozen=True)
class ListOf(Formed[tuple[T, ...]]):
    """A list of at least `least` items, which differ where it is `unique`."""

    forms: ClassVar[tuple[str, ...]] = ("seq",)
    what: ClassVar[str] = "a list"
    of: Kind[T]
    least: int = 0
    unique: bool = True

    @property
    def example(self) -> str:
        return f"[{self.of.example}]"

    def value(self, node: Node, spot: Spot) -> tuple[T, ...] | Failure:
        known = len(spot.problems)
        values = [self.of.read(item, spot.item(index)) for index, item in enumerate(node.value)]
        if len(values) < self.least:
            _note_empty(self, node, spot)
        if self.unique:
            self._note_repeated(node, values, spot)
        return FAILED if len(spot.problems) > known else cast(tuple[T, ...], tuple(values))

    def _note_repeated(self, node: Node, values: list[T | Failure], spot: Spot) -> None:
        seen: dict[object, int] = {}
        for item, value in zip(node.value, values, strict=True):
            if value in seen:
                message = f"{quoted(item.value)} stands twice in {spot}, first in line {seen[value]}"
                spot.fail(item, message, "remove one of them")
            elif value is not FAILED:
                seen[value] = line_of(item)

    def schema(self) -> Schema:
        limits: Schema = {"minItems": self.least} if self.least else {}
        return {"type": "array", "items": self.of.schema(), **limits, **({"uniqueItems": True} if self.unique else {})}


@dataclass(frozen=True)
class MapOf(Formed[dict[str, T]]):
    """A mapping of at least `least` names, which the registry's author chooses."""

    forms: ClassVar[tuple[str, ...]] = ("map",)
    what: ClassVar[str] = "a mapping"
    key: Text[str]
    of: Kind[T]
    least: int = 0

    @property
    def example(self) -> str:
        return f"{{{self.key.example}: {self.of.example}}}"

    def value(self, node: Node, spot: Spot) -> dict[str, T] | Failure:
        known = len(spot.problems)
        values: dict[str, T | Failure] = {}
        for name, key, value in keyed(node, spot):
            self.key.parse(name, key, spot)
            values[name] = self.of.read(value, spot.into(key))
        if len(values) < self.least and len(spot.problems) == known:
            _note_empty(self, node, spot)
        return FAILED if len(spot.problems) > known else cast(dict[str, T], values)

    def schema(self) -> Schema:
        names: Schema = {key: rule for key, rule in self.key.schema().items() if key != "type"}
        limits: Schema = {"minProperties": self.least} if self.least else {}
        return {"type": "object", "propertyNames": names, "additionalProperties": self.of.schema(), **limits}


@dataclass(frozen=True)
class Either(Kind[T]):
    """Alternatives that differ in their YAML type."""

    kinds: tuple[Formed[T], ...]

    @property
    def what(self) -> str:
        return ", or ".join(kind.what for kind in self.kinds)

    @property
    def example(self) -> str:
        return self.kinds[0].example

    def read(self, node: Node, spot: Spot) -> T | Failure:
        for kind in self.kinds:
            if kind_of(node) in kind.forms:
                return kind.value(node, spot)
        return misfit(self, node, spot)

    def schema(self) -> Schema:
        return {"anyOf": [kind.schema() for kind in self.kinds]}


@dataclass(frozen=True)
class Optional(Kind[T | None]):
    """A value that may be left empty."""

    kind: Kind[T]

    @property
    def what(self) -> str:
        return f"{self.kind.what}, or nothing"

    @property
    def example(self) -> str:
        return self.kind.example

    def read(self, node: Node, spot: Spot) -> T | Failure | None:
        return None if kind_of(node) == "null" else self.kind.read(node, spot)

    def schema(self) -> Schema:
        return {"anyOf": [self.kind.schema(), {"type": "null"}]}
