"""Add a row to a registry's text as its author would: comments, order, indentation and style stay as they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeAlias

from yaml.nodes import MappingNode, Node

from pytest_invariants.registry.grammar import SURFACES
from pytest_invariants.registry.layout import NewRow, append
from pytest_invariants.registry.nodes import compose, entries, own_entries
from pytest_invariants.registry.problems import Problem, RegistryError, quoted
from pytest_invariants.registry.spot import Spot

Data: TypeAlias = "tuple[str, str | tuple[Data, ...]]"
"""What a node says, whatever its style: its tag, and its text, its items, or its keys and values in turn."""

_BOM = "\ufeff"


class EditError(Exception):
    """The text cannot be changed safely; the message says why, and what to do instead."""


def add_surface(text: str, surface_id: str, function: str, manner: str) -> str:
    """The registry's `text` with one more row at the end of `surfaces`; nothing else in it changes.

    The row takes the style of the last one: braces or a block, quotes, indentation, aligned values.

    :raises EditError: where the row is no surface, is there already, or cannot be added safely.
    :raises RegistryError: where the text is no YAML.
    """
    row = NewRow(surface_id, {"function": function, "manner": manner})
    meant = _check(row)
    bom, text = (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)
    root = compose(text, "the registry")
    surfaces = _surfaces(root)
    if surfaces is None:
        raise _refusal("has no mapping `surfaces`", row)
    if any(key.value == surface_id for key, _ in entries(surfaces)):
        raise EditError(f"the surface {quoted(surface_id)} is there already; choose another id")
    changed = append(text, surfaces, row)
    if not _adds(changed, root, meant):
        raise _refusal("is laid out in a way that cannot be changed safely", row)
    return bom + changed


def _check(row: NewRow) -> Node:
    """The row as a mapping of its own, once it is known to be a surface."""
    problems: list[Problem] = []
    try:
        node = compose(json.dumps({row.name: dict(row.values)}, ensure_ascii=False), "the new row")
        SURFACES.kind.read(node, Spot("the new row", Path(), problems, "surfaces"))
    except RegistryError as error:
        raise EditError(str(error)) from None
    if problems:
        raise EditError("\n".join(f"{problem.message}; {problem.remedy}" for problem in problems))
    return node


def _surfaces(root: Node) -> MappingNode | None:
    for key, value in own_entries(root):
        if key.value == "surfaces" and isinstance(value, MappingNode):
            return value
    return None


def _adds(changed: str, root: Node, meant: Node) -> bool:
    """Whether the changed text says what `root` says, with the entries of `meant` at the end of its surfaces."""
    expected: list[Data] = []
    for key, value in own_entries(root):
        extra = [*own_entries(value), *own_entries(meant)] if key.value == "surfaces" else None
        expected += [_data(key), _mapping(value.tag, extra) if extra else _data(value)]
    try:
        return _data(compose(changed, "the registry")) == (root.tag, tuple(expected))
    except RegistryError:
        return False


def _data(node: Node) -> Data:
    if isinstance(node, MappingNode):
        return _mapping(node.tag, own_entries(node))
    if isinstance(node.value, str):
        return (node.tag, node.value)
    return (node.tag, tuple(_data(item) for item in node.value))


def _mapping(tag: str, rows: list[tuple[Node, Node]]) -> Data:
    return (tag, tuple(_data(node) for row in rows for node in row))


def _refusal(reason: str, row: NewRow) -> EditError:
    return EditError(f"the registry {reason}; add this row by hand: {row.in_flow()}")
