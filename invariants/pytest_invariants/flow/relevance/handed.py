"""Functions that are taken as values: passed, stored or returned, so that a callable of unknown origin may be one of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from pytest_invariants.flow.relevance.mentions import REFLECTION
from pytest_invariants.program.code import FunctionInfo
from pytest_invariants.program.nodes import children

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


class Handed:
    """Told by the text: a name that stands anywhere but where it is called, or under its dot. Found once, when first asked for."""

    def __init__(self, m: Analysis) -> None:
        self.m = m

    def any_of(self, functions: Iterable[FunctionInfo]) -> bool:
        """Whether one of these is taken as a value somewhere in the program."""
        return any(_is_handed(info) or self._is_taken(info.name) for info in functions)

    def _is_taken(self, name: str) -> bool:
        self.m.program.read.taken.add(name)
        return name in self._names

    @cached_property
    def _names(self) -> frozenset[str]:
        found: set[str] = set()
        for module in self.m.program.sources:
            tree = self.m.program.tree(module)
            with self.m.program.read.glancing():
                found |= _taken(tree) if tree is not None else set()
        return frozenset(found)

    @cached_property
    def granting(self) -> bool:
        """Whether a function by which a capability may be reached is taken as a value."""
        reach = self.m.reach
        return reach is None or self.any_of(i for i in self.m.functions.values() if reach.grants(i))


PLAIN = frozenset({"property", "staticmethod", "classmethod", "abstractmethod", "override", "overload"})


def _is_handed(info: FunctionInfo) -> bool:
    """A lambda, what is called of an object that is passed, and what a decorator is given."""
    if isinstance(info.node, ast.Lambda) or info.name == "__call__":
        return True
    return any(ast.unparse(d).rpartition(".")[2] not in PLAIN for d in info.node.decorator_list)


def _taken(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    stack: list[tuple[ast.AST, bool]] = [(tree, False)]
    while stack:
        node, used = stack.pop()
        match node:
            case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name, ctx=ast.Load()) if not used:
                found.add(name)
            case ast.Call(func=ast.Name(id=name)) if name in REFLECTION:
                found |= {a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)}
        stack += [(child, _is_used(node, child)) for child in children(node)]
    return found


def _is_used(node: ast.AST, child: ast.AST) -> bool:
    """Whether the child is what a call calls, or the base of an attribute."""
    return (isinstance(node, ast.Call) and node.func is child) or isinstance(node, ast.Attribute)


__all__ = ["Handed"]
