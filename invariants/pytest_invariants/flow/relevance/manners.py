"""Manners in which a method is mentioned: what has to be done with an attribute for the method behind it to run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pytest_invariants.flow.domain.values import Func, Value
from pytest_invariants.flow.relevance.uses import Uses
from pytest_invariants.program.code import FunctionInfo

SAYING = frozenset({"abstractmethod", "classmethod", "final", "override", "staticmethod"})
"""Decorators that leave a method what it is."""
MOST = 6
"""Arguments of a call that are counted."""


def manner_of(node: ast.Attribute, uses: Uses | None) -> str:
    """What is done with an attribute, as a mention says it."""
    if uses is None:
        return ""
    call = uses.call(node)
    if call is None:
        return "reads " if not isinstance(node.ctx, ast.Load) or uses.only_looked_at(node) else ""
    counted = not call.keywords and not any(isinstance(one, ast.Starred) for one in call.args)
    many = len(call.args) if counted and len(call.args) <= MOST else "*"
    return f"{'calls' if uses.only_looked_at(call) else 'awaits'} {many} "


def manners(info: FunctionInfo) -> Iterator[str]:
    """How a method has to be mentioned to run: decorators may make anything of it."""
    decorated = not all(tells_only(one) for one in getattr(info.node, "decorator_list", []))
    if decorated:
        yield "reads "
    spec = info.node.args
    taken = len(spec.posonlyargs) + len(spec.args)
    fewest = 0 if decorated else max(0, taken - len(spec.defaults) - 1)
    most = MOST if decorated or spec.vararg is not None else taken
    for many in ("*", *range(fewest, most + 1)):
        yield f"awaits {many} "
        if decorated or not info.is_async:
            yield f"calls {many} "


def tells_only(decorator: ast.expr) -> bool:
    """Whether a decorator leaves a method what it is."""
    return getattr(decorator, "id", getattr(decorator, "attr", "")) in SAYING


def every_manner(name: str) -> Iterator[str]:
    """All mentions of methods of this name."""
    yield from (f".{name}", f"reads .{name}")
    yield from (f"{verb} {many} .{name}" for verb in ("calls", "awaits") for many in ("*", *range(MOST + 1)))


def runs(value: Value, manner: str) -> bool:
    """Whether a member of a class runs, or may do so later, where it is mentioned in this manner."""
    if not isinstance(value, Func) or not manner:
        return True
    return manner in manners(value.info)
