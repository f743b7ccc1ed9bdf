"""Two rules for the order of a table, both made for the same end: that the bytes in front stay what they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from skills.model import Schema

UNLISTED = "<unlisted-tools>"
"""Where tools go that an order list does not name."""


@dataclass(frozen=True, slots=True)
class OrderList:
    """Seats the tools that it names; the others go, by name, where the marker stands.

    Raises:
        ValueError: the marker is missing, or something stands twice: told when the list is made, not when it is used.
    """

    names: tuple[str, ...]

    def __post_init__(self) -> None:
        if UNLISTED not in self.names:
            raise ValueError(f"the order list has no {UNLISTED}: say where tools go that it does not name")
        if len(set(self.names)) < len(self.names):
            raise ValueError("the order list names something twice: give each name one seat")

    def arrange(self, table: Sequence[Schema]) -> tuple[Schema, ...]:
        seats = {name: seat for seat, name in enumerate(self.names)}
        return tuple(sorted(table, key=lambda schema: (seats.get(schema.name, seats[UNLISTED]), schema.name)))


def builtin_first(builtin: Sequence[Schema], foreign: Sequence[Schema]) -> tuple[Schema, ...]:
    """The tools of this process by name, then those of MCP servers by name; a name that clashes is the built-in's.

    Sorted into one list, a new MCP tool would land among the built-in ones and void the cache of all behind it.
    """
    own = {schema.name for schema in builtin}
    others = [schema for schema in foreign if schema.name not in own]
    return (*sorted(builtin, key=_name), *sorted(others, key=_name))


def denied(rules: Sequence[str], name: str) -> bool:
    """Whether a deny rule matches: a name, or a pattern such as `mcp__shop__*`."""
    return any(fnmatchcase(name, rule) for rule in rules)


def _name(schema: Schema) -> str:
    return schema.name
