"""Texts that are made of values: f-strings. Two texts of the same form are the same where their values are shown alike."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.values import STR, Const, Value, with_labels
from pytest_invariants.flow.machine.machine import Results
from pytest_invariants.flow.objects import implicit

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def formatted(m: Analysis, node: ast.JoinedStr, state: State, scope: Scope) -> Results:
    parts = [part for part in ast.walk(node) if isinstance(part, ast.FormattedValue)]
    results: Results = []
    for values, after in m.evaluate_all([part.value for part in parts], state, scope):
        prefix = str(node.values[0].value) if node.values and isinstance(node.values[0], ast.Constant) else ""
        name = f"{'formatted' if _is_formatted(node) else 'f-string'} {prefix}"
        whole = _known_text(node, values)
        labels = implicit.as_text(m, values, after, scope, node)
        shown = [*values, *([Const(value=rest)] if (rest := _around(node)) else [])]
        made = Const(value=whole) if whole is not None else _made_of(m, name, shown, after)
        results.append((with_labels(made, labels), after))
    return results


def _made_of(m: Analysis, name: str, shown: list[Value], state: State) -> Value:
    from pytest_invariants.flow.machine.expressions import derived

    return derived(m, name, shown, state, STR)


def _around(node: ast.JoinedStr) -> str:
    """What the text says besides its beginning and its values, and how it shows these: another text of the same values."""
    first = bool(node.values) and isinstance(node.values[0], ast.Constant)
    rest = "".join(ast.unparse(ast.JoinedStr([_unnamed(part)])) for part in node.values[first:])
    return "" if rest == ITSELF else rest


ITSELF = "f'{_}'"
"""A text that ends with the value as it is."""


def _is_formatted(node: ast.JoinedStr) -> bool:
    """Whether some value is not shown as it is: two values may look alike then."""
    return any(part.format_spec is not None for part in node.values if isinstance(part, ast.FormattedValue))


def _unnamed(part: ast.expr) -> ast.expr:
    if not isinstance(part, ast.FormattedValue):
        return part
    return ast.FormattedValue(ast.Name("_", ast.Load()), part.conversion, part.format_spec)


def _known_text(node: ast.JoinedStr, values: list[Value]) -> str | None:
    left = iter(values)
    text: str = ""
    for part in node.values:
        value = Const(value=part.value) if isinstance(part, ast.Constant) else next(left)
        if not isinstance(value, Const) or value.labels:
            return None
        text += value.value if isinstance(value.value, str) else f"{value.value!r}"
    return text
