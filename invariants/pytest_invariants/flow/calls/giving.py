"""The arguments that a call gives, as far as `*` and `**` are known."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.calls.binding import given_one_by_one
from pytest_invariants.flow.containers import containers
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.values import Const, Seq, Tuple, Value, with_labels
from pytest_invariants.flow.machine.machine import Arguments

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def evaluate_arguments(m: Analysis, node: ast.Call, state: State, scope: Scope) -> list[tuple[Arguments, State]]:
    paths: list[tuple[Arguments, State]] = [(Arguments(), state)]
    for argument in node.args:
        paths = _fewer(m, [pair for before in paths for pair in _positional(m, argument, before, scope)])
    for keyword in node.keywords:
        paths = _fewer(m, [pair for before in paths for pair in _keyword(m, keyword, before, scope)])
    return paths


def _fewer(m: Analysis, paths: list[tuple[Arguments, State]]) -> list[tuple[Arguments, State]]:
    """The arguments that are given in the same way, where there are too many paths to them."""
    shapes: dict[object, list[tuple[Arguments, State]]] = {}
    for a, after in paths:
        shape = (len(a.positional), tuple(name for name, _ in a.keywords), a.more, a.options)
        shapes.setdefault(shape, []).append((a, after))
    return [
        (_with_values(group[0][0], values), after)
        for group in shapes.values()
        for values, after in m.combined([([*a.positional, *(v for _, v in a.keywords)], after) for a, after in group])
    ]


def _with_values(shape: Arguments, values: list[Value]) -> Arguments:
    places = len(shape.positional)
    names = (name for name, _ in shape.keywords)
    return replace(shape, positional=tuple(values[:places]), keywords=tuple(zip(names, values[places:], strict=True)))


def _positional(
    m: Analysis, node: ast.expr, before: tuple[Arguments, State], scope: Scope
) -> list[tuple[Arguments, State]]:
    given, state = before
    starred = isinstance(node, ast.Starred)
    found = []
    for value, after in m.evaluate(node.value if isinstance(node, ast.Starred) else node, state, scope):
        known = _spread(value, after) if starred else (value,)
        handed = given_one_by_one(m, value, after) if starred and given.more is None else None
        if handed is not None:
            now = replace(given, positional=given.positional + handed[0], more=handed[1])
        elif known is not None and given.more is None:
            now = replace(given, positional=given.positional + known)
        else:
            parts = [part for part in (given.more, value if starred else None) if part is not None]
            now = replace(given, more=containers.gathered(m, parts, after, () if starred else (value,)))
        found.append((now, after))
    return found


def _spread(value: Value, state: State) -> tuple[Value, ...] | None:
    """What `*value` brings, where all of it is known."""
    if isinstance(value, Tuple):
        return value.items
    cell = state.find(value.address) if isinstance(value, Seq) else None
    if cell is None or not cell.exact:
        return None
    for template in cell.templates:
        state.facts |= template.facts
    return tuple(with_labels(t.value, value.labels) for t in cell.templates)


def _keyword(
    m: Analysis, node: ast.keyword, before: tuple[Arguments, State], scope: Scope
) -> list[tuple[Arguments, State]]:
    given, state = before
    found = []
    for value, after in m.evaluate(node.value, state, scope):
        known, more = (((node.arg, value),), None) if node.arg is not None else _brought(m, value, after)
        parts = [part for part in (given.options, more) if part is not None]
        options = containers.gathered(m, parts, after)
        found.append((replace(given, keywords=given.keywords + known, options=options), after))
    return found


def _brought(m: Analysis, value: Value, state: State) -> tuple[tuple[tuple[str, Value], ...], Value | None]:
    """What `**value` brings by name, and what else."""
    handed = given_one_by_one(m, value, state)
    if handed is not None:
        pairs = [pair.items for pair in handed[0] if isinstance(pair, Tuple)]
        return tuple((str(key.value), held) for key, held in pairs if isinstance(key, Const)), handed[1]
    known = containers.known_items(value, state)
    return (known, None) if known else ((), value)
