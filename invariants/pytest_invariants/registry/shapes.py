"""Kinds of values that hold others: lists, mappings, records, and alternatives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, cast

from yaml.nodes import Node

from pytest_invariants.registry.kinds import FAILED, Failure, Formed, Json, Kind, Schema, Spot, Text, wrong_kind
from pytest_invariants.registry.nodes import entries, kind_of, line_of, own_entries
from pytest_invariants.registry.problems import listed, quoted
from pytest_invariants.registry.suggest import closest
from pytest_invariants.verdict import Place

S = TypeVar("S")
T = TypeVar("T", covariant=True)
NOTHING = "then there is nothing to examine"


def keyed(node: Node, spot: Spot) -> Iterator[tuple[str, Node, Node]]:
    """The entries of a mapping as (key, key's node, value's node). A key that is no word, or stands twice, is noted."""
    seen: dict[str, int] = {}
    for key, _ in own_entries(node):
        if not isinstance(key.value, str):
            spot.fail(key, f"a key of {spot} must be a word, not a collection", "write `key: value`")
        elif key.value in seen:
            message = f"the key {quoted(key.value)} of {spot} stands twice, first in line {seen[key.value]}"
            spot.fail(key, message, "remove or rename one of them")
        else:
            seen[key.value] = line_of(key)
    taken: set[str] = set()
    for key, value in entries(node):
        if isinstance(key.value, str) and key.value not in taken:
            taken.add(key.value)
            yield key.value, key, value


@dataclass(frozen=True)
class ListOf(Formed[tuple[T, ...]]):
    """A list. `least` is the number of items without which there is nothing to examine."""

    forms: ClassVar[tuple[str, ...]] = ("seq",)
    of: Kind[T]
    least: int = 0
    unique: bool = True

    @property
    def what(self) -> str:
        return f"a list, each item {self.of.what}"

    def value(self, node: Node, spot: Spot) -> tuple[T, ...] | Failure:
        known = len(spot.problems)
        values = [self.of.read(item, spot.item(index)) for index, item in enumerate(node.value)]
        if len(values) < self.least:
            spot.fail(node, f"{spot} is empty, and {NOTHING}", f"add {self.of.what}")
        if self.unique:
            self._note_repeated(node, spot)
        return FAILED if len(spot.problems) > known else cast(tuple[T, ...], tuple(values))

    def _note_repeated(self, node: Node, spot: Spot) -> None:
        seen: dict[str, int] = {}
        for item in node.value:
            if not isinstance(item.value, str):
                continue
            if item.value in seen:
                message = f"{quoted(item.value)} stands twice in {spot}, first in line {seen[item.value]}"
                spot.fail(item, message, "remove one of them")
            seen.setdefault(item.value, line_of(item))

    def schema(self) -> Schema:
        limits: Schema = {"minItems": self.least} if self.least else {}
        return {"type": "array", "items": self.of.schema(), **limits, **({"uniqueItems": True} if self.unique else {})}


@dataclass(frozen=True)
class MapOf(Formed[dict[str, T]]):
    """A mapping from names that the registry's author chooses."""

    forms: ClassVar[tuple[str, ...]] = ("map",)
    key: Text[str]
    of: Kind[T]
    least: int = 0

    @property
    def what(self) -> str:
        return f"a mapping from {self.key.what} to {self.of.what}"

    def value(self, node: Node, spot: Spot) -> dict[str, T] | Failure:
        known = len(spot.problems)
        values: dict[str, T | Failure] = {}
        for name, key, value in keyed(node, spot):
            self.key.parse(name, key, spot)
            values[name] = self.of.read(value, spot.into(key))
        if len(values) < self.least:
            spot.fail(node, f"{spot} is empty, and {NOTHING}", f"add {self.of.what}")
        return FAILED if len(spot.problems) > known else cast(dict[str, T], values)

    def schema(self) -> Schema:
        names: Schema = {"pattern": self.key.schema()["pattern"]}
        limits: Schema = {"minProperties": self.least} if self.least else {}
        return {"type": "object", "propertyNames": names, "additionalProperties": self.of.schema(), **limits}


@dataclass(frozen=True)
class Field(Generic[T]):
    """A key of a record: what may stand there, what it is for, and how it is written."""

    name: str
    kind: Kind[T]
    about: str
    example: str
    required: bool = False

    def schema(self) -> Schema:
        return {"description": self.about, **self.kind.schema()}


@dataclass(frozen=True)
class Row:
    """A record that has been read. `name` is the key under which it stands; fields that were left out are absent."""

    name: str
    at: Place
    values: Mapping[str, object]

    def __getitem__(self, field: Field[S]) -> S:
        return cast(S, self.values[field.name])

    def get(self, field: Field[S], default: S) -> S:
        return cast(S, self.values.get(field.name, default))

    def find(self, field: Field[S]) -> S | None:
        return cast("S | None", self.values.get(field.name))


@dataclass(frozen=True)
class Record(Formed[T]):
    """A mapping with known keys. Exactly one of `one_of` must stand. `check` notes what no schema can say."""

    forms: ClassVar[tuple[str, ...]] = ("map",)
    fields: tuple[Field[Any], ...]
    build: Callable[[Row], T]
    one_of: tuple[str, ...] = ()
    check: Callable[[Row, Node, Spot], None] | None = None

    @property
    def what(self) -> str:
        return "{" + ", ".join(f"{field.name}: {field.example}" for field in self.fields if self._shown(field)) + "}"

    def _shown(self, field: Field[Any]) -> bool:
        return field.required or field.name in self.one_of[:1]

    def value(self, node: Node, spot: Spot) -> T | Failure:
        known = len(spot.problems)
        values = self._read_fields(node, spot)
        self._note_missing(values, node, spot)
        if len(spot.problems) > known:
            return FAILED
        row = Row(spot.name, spot.at(node), values)
        if self.check:
            self.check(row, node, spot)
        return FAILED if len(spot.problems) > known else self.build(row)

    def _read_fields(self, node: Node, spot: Spot) -> dict[str, object]:
        fields = {field.name: field for field in self.fields}
        values: dict[str, object] = {}
        for name, key, value in keyed(node, spot):
            if name in fields:
                values[name] = fields[name].kind.read(value, spot.into(key))
            else:
                self._note_unknown(name, key, spot)
        return values

    def _note_unknown(self, name: str, key: Node, spot: Spot) -> None:
        names = [field.name for field in self.fields]
        start, colon, _ = name.partition(":")
        if colon and start in names:
            remedy = f"put a space after `{start}:`"
        elif near := closest(name, names):
            remedy = f"did you mean `{near}`?"
        else:
            remedy = f"known keys are {listed(names)}"
        spot.fail(key, f"unknown key {quoted(name)}" + (f" in {spot}" if spot.trail else ""), remedy)

    def _note_missing(self, values: Mapping[str, object], node: Node, spot: Spot) -> None:
        for field in self.fields:
            if field.required and field.name not in values:
                spot.fail(node, f"{spot} lacks `{field.name}`", f"add `{field.name}: {field.example}`")
        chosen = [name for name in self.one_of if name in values]
        if self.one_of and len(chosen) != 1:
            message = f"{spot} has {listed(chosen)}" if chosen else f"{spot} lacks one of {listed(self.one_of)}"
            spot.fail(node, message, f"write exactly one of {listed(self.one_of)}")

    def schema(self) -> Schema:
        required: list[Json] = [field.name for field in self.fields if field.required]
        either: list[Json] = [{"required": [name]} for name in self.one_of]
        return {
            "type": "object",
            "properties": {field.name: field.schema() for field in self.fields},
            "additionalProperties": False,
            **({"required": required} if required else {}),
            **({"oneOf": either} if either else {}),
        }


@dataclass(frozen=True)
class Either(Kind[T]):
    """Alternatives that differ in their YAML type."""

    kinds: tuple[Formed[T], ...]

    @property
    def what(self) -> str:
        return ", or ".join(kind.what for kind in self.kinds)

    def read(self, node: Node, spot: Spot) -> T | Failure:
        for kind in self.kinds:
            if kind_of(node) in kind.forms:
                return kind.value(node, spot)
        return wrong_kind(self.what, node, spot)

    def schema(self) -> Schema:
        return {"anyOf": [kind.schema() for kind in self.kinds]}


@dataclass(frozen=True)
class Optional(Kind[T | None]):
    """A value that may be left empty."""

    kind: Kind[T]

    @property
    def what(self) -> str:
        return f"{self.kind.what}, or nothing"

    def read(self, node: Node, spot: Spot) -> T | Failure | None:
        return None if kind_of(node) == "null" else self.kind.read(node, spot)

    def schema(self) -> Schema:
        return {"anyOf": [self.kind.schema(), {"type": "null"}]}
