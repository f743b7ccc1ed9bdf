"""Mappings with known keys: what may stand under each, and the row that comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, cast

from yaml.nodes import Node

from pytest_invariants.registry.kinds import Formed, Json, Kind, Schema
from pytest_invariants.registry.problems import listed, quoted
from pytest_invariants.registry.shapes import keyed
from pytest_invariants.registry.spot import FAILED, Failure, Spot
from pytest_invariants.verdict import Place

S = TypeVar("S")
T = TypeVar("T", covariant=True)


@dataclass(frozen=True)
class Field(Generic[T]):
    """A key of a record, what may stand under it, and what it is for."""

    name: str
    kind: Kind[T]
    about: str
    required: bool = False

    @property
    def example(self) -> str:
        return f"{self.name}: {self.kind.example}"

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
    what: ClassVar[str] = "a mapping"
    fields: tuple[Field[Any], ...]
    build: Callable[[Row], T]
    one_of: tuple[str, ...] = ()
    check: Callable[[Row, Node, Spot], None] | None = None
    sample: str = ""

    @property
    def example(self) -> str:
        if self.sample:
            return self.sample
        shown = [field for field in self.fields if field.required or field.name in self.one_of[:1]]
        return "{" + ", ".join(field.example for field in shown or self.fields[:1]) + "}"

    def read(self, node: Node, spot: Spot) -> T | Failure:
        if isinstance(node.value, str) and (name := self._glued(node.value)):
            return spot.fail(node, f"{spot} must be a mapping, not text", f"put a space after `{name}:`")
        return super().read(node, spot)

    def value(self, node: Node, spot: Spot) -> T | Failure:
        known = len(spot.problems)
        values, meant = self._read_fields(node, spot)
        self._note_missing(values.keys() | meant, node, spot)
        if len(spot.problems) > known:
            return FAILED
        row = Row(spot.name, spot.at(node), values)
        if self.check:
            self.check(row, node, spot)
        return FAILED if len(spot.problems) > known else self.build(row)

    def _read_fields(self, node: Node, spot: Spot) -> tuple[dict[str, object], set[str]]:
        """The values of the known keys, and the keys that the unknown ones probably mean."""
        fields = {field.name: field for field in self.fields}
        values: dict[str, object] = {}
        meant: set[str] = set()
        for name, key, value in keyed(node, spot):
            if name in fields:
                values[name] = fields[name].kind.read(value, spot.into(key))
            else:
                meant.add(self._note_unknown(name, key, spot))
        return values, meant

    def _note_unknown(self, name: str, key: Node, spot: Spot) -> str:
        near = spot.near(name, [field.name for field in self.fields])
        if glued := self._glued(name):
            near, remedy = glued, f"put a space after `{glued}:`"
        elif near:
            remedy = f"did you mean `{near}`?"
        else:
            remedy = f"known keys are {listed(field.name for field in self.fields)}"
        spot.fail(key, f"unknown key {quoted(name)}" + (f" in {spot}" if spot.trail else ""), remedy)
        return near or name

    def _glued(self, text: str) -> str | None:
        """The known key to which a value is glued, as in `grant:value`."""
        start, colon, _ = text.partition(":")
        return start if colon and any(field.name == start for field in self.fields) else None

    def _note_missing(self, present: Iterable[str], node: Node, spot: Spot) -> None:
        present = set(present)
        for field in self.fields:
            if field.required and field.name not in present:
                spot.fail(node, f"{spot} lacks `{field.name}`", f"add `{field.example}`")
        chosen = [name for name in self.one_of if name in present]
        if self.one_of and len(chosen) != 1:
            message = f"{spot} has {listed(chosen)} at once" if chosen else f"{spot} lacks {listed(self.one_of)}"
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
