"""Whether a capability gives something, or does something."""

from __future__ import annotations

import ast

from pytest_invariants.scaffold.reading import Reading
from pytest_invariants.scaffold.survey import Function

_DEEP = 4
"""Calls that are followed to see whether one of them acts."""
_READING = frozenset({"get", "values", "items", "keys", "join", "format", "strip", "split", "lower", "upper", "copy"})
"""Methods of the usual containers and of text."""


def grant_of(code: Reading, ref: str) -> str:
    """`call` where calling it does something beyond reading and building; `value` where it only gives something."""
    function = code.survey.functions.get(ref)
    if function is None and ref.rpartition(".")[0] not in code.survey.classes and ref in code.graph.callers:
        return "call"  # a method of another package's class
    if function is None or is_property(function):
        return "value"
    return "call" if _acts(code, function, frozenset()) else "value"


def is_property(function: Function) -> bool:
    return any(ast.unparse(each).endswith("property") for each in function.node.decorator_list)


def _acts(code: Reading, function: Function, seen: frozenset[str]) -> bool:
    if isinstance(function.node, ast.AsyncFunctionDef) or len(seen) > _DEEP:
        return True
    return any(isinstance(node, ast.Call) and _act(code, function, node, seen) for node in function.nodes)


def _act(code: Reading, function: Function, node: ast.Call, seen: frozenset[str]) -> bool:
    target = code.types[function.ref].target(node)
    if target in code.survey.classes or (isinstance(node.func, ast.Name) and target is None):
        return False
    if target in seen:
        return False
    if target in code.survey.functions:
        return _acts(code, code.survey.functions[str(target)], seen | {function.ref})
    return not (isinstance(node.func, ast.Attribute) and node.func.attr in _READING)
