"""What becomes of the value of an expression, told from the text around it: whether anybody could await it, or call it."""

from __future__ import annotations

import ast
from collections.abc import Container
from functools import cached_property

from pytest_invariants.flow.domain.reachable import SURROUNDINGS
from pytest_invariants.program.nodes import below, children

LOOKS = frozenset({
    "bool", "dict", "enumerate", "float", "int", "isinstance", "len", "list", "repr", "set", "sorted", "str", "sum", "tuple",
})  # fmt: skip
"""Builtins that neither await nor call what they are given, and do not hand it on: they look at it, or go through it."""
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
RUN = frozenset({"send", "throw", "asend", "athrow"})
"""Methods of coroutines and generators that run them."""


class Uses:
    """Answers for the expressions of one function, what is nested in it included; `names` are those of its module."""

    def __init__(self, node: ast.AST, names: Container[str]) -> None:
        self.node, self.names = node, names

    @cached_property
    def _above(self) -> dict[ast.AST, ast.AST]:
        return {child: node for node in below(self.node) for child in children(node)}

    @cached_property
    def _names(self) -> dict[str, list[ast.Name]]:
        found: dict[str, list[ast.Name]] = {}
        for node in self._above:
            if isinstance(node, ast.Name):
                found.setdefault(node.id, []).append(node)
        return found

    @cached_property
    def _shared(self) -> frozenset[str]:
        """Variables that somebody outside may read."""
        return frozenset(n for node in self._above if isinstance(node, ast.Global | ast.Nonlocal) for n in node.names)

    def call(self, node: ast.expr) -> ast.Call | None:
        """The call of which this expression is the function."""
        above = self._above.get(node)
        return above if isinstance(above, ast.Call) and above.func is node else None

    def only_looked_at(self, node: ast.expr, seen: frozenset[str] = frozenset()) -> bool:
        """Whether what the expression gives is tested, compared, read or dropped, and neither awaited, called nor handed on."""
        above = self._above.get(node)
        match above:
            case (
                ast.Expr()
                | ast.If()
                | ast.While()
                | ast.Assert()
                | ast.Compare()
                | ast.FormattedValue()
                | ast.UnaryOp()
            ):
                return True
            case ast.Starred(ctx=ast.Load()) | ast.keyword(arg=None):
                return True
            case ast.Attribute(attr=name):
                return name not in RUN and not name.startswith("__")
            case ast.Subscript(value=value, ctx=context):
                return value is node or isinstance(context, ast.Load)
            case ast.For(iter=source) | ast.comprehension(iter=source, is_async=0):
                return source is node or isinstance(above, ast.comprehension)
            case ast.BinOp(left=left, right=right):
                return isinstance(right if left is node else left, ast.Constant | ast.JoinedStr)
            case ast.IfExp(test=test) if test is node:
                return True
            case ast.BoolOp() | ast.IfExp():
                return self.only_looked_at(above, seen)
            case ast.NamedExpr(target=target):
                return self._variables([target], seen) and self.only_looked_at(above, seen)
            case ast.Assign(targets=targets):
                return self._variables(targets, seen)
            case ast.AnnAssign(target=target):
                return self._variables([target], seen)
            case ast.Call(func=ast.Name(id=name)):
                return name in LOOKS and name not in self._bound and name not in self.names
            case ast.FunctionDef(decorator_list=decorators) | ast.AsyncFunctionDef(decorator_list=decorators):
                return node in decorators
            case _:
                return False

    @cached_property
    def _bound(self) -> frozenset[str]:
        names = {name for name, nodes in self._names.items() if any(not isinstance(n.ctx, ast.Load) for n in nodes)}
        return frozenset(names | {node.arg for node in self._above if isinstance(node, ast.arg)})

    def _variables(self, targets: list[ast.expr], seen: frozenset[str]) -> bool:
        """Whether variables that an expression is assigned to are only looked at, wherever they stand."""
        names = {target.id for target in targets if isinstance(target, ast.Name)}
        if len(names) != len(targets) or not names.isdisjoint(self._shared) or not SURROUNDINGS.isdisjoint(self._names):
            return False
        if any(self._of_class(target) for target in targets):
            return False
        return all(
            self.only_looked_at(node, seen | names)
            for name in names - seen
            for node in self._names[name]
            if isinstance(node.ctx, ast.Load)
        )

    def _of_class(self, node: ast.AST) -> bool:
        """Whether a variable is one of a class's own body, and so an attribute."""
        above = self._above.get(node)
        while above is not None and not isinstance(above, FUNCTIONS | ast.ClassDef):
            above = self._above.get(above)
        return isinstance(above, ast.ClassDef)
