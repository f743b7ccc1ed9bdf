"""Models of `operator`: what the operators do, as functions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import lookups
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.values import NO_LABELS, Cond, Const, Foreign, Partial, Sym
from pytest_invariants.flow.library.models import Model
from pytest_invariants.flow.machine.machine import Arguments, Results
from pytest_invariants.flow.objects import implicit

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def _compared(operator: str) -> Model:
    def model(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
        left, right = arguments.positional[:2]
        found = implicit.compared(m, operator, left, right, state, scope, node)
        return found if found is not None else [(Cond(NO_LABELS, operator, (left, right)), state)]

    return model


def _contains(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """`contains(a, b)` is `b in a`."""
    right, left = arguments.positional[:2]
    return _compared("in")(m, Arguments((left, right)), state, scope, node)


def _combined(operator: type[ast.operator]) -> Model:
    def model(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
        from pytest_invariants.flow.machine.expressions import combine

        left, right = arguments.positional[:2]
        found = implicit.operated(m, operator(), left, right, state, scope, node)
        return found if found is not None else [(combine(m, operator(), left, right, state), state)]

    return model


def _truth(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    return [(Cond(NO_LABELS, "not", (Cond(NO_LABELS, "not", arguments.positional[:1]),)), state)]


def _item(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    receiver, key = arguments.positional[:2]
    return [
        pair
        for chosen, ready in lookups.by_truth(m, receiver, key, state, scope)
        for pair in lookups.lookup(m, receiver, chosen, ready, scope, node)
    ]


def _call(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    function, *given = arguments.positional
    rest = Arguments(tuple(given), arguments.keywords, arguments.more, arguments.options)
    return m.call(function, rest, state, scope, node)


def _method_caller(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    """`methodcaller(name, ...)`: a function that calls the method of whatever it is given."""
    held = Partial(function=Foreign(path="flow.method"), args=arguments.positional, keywords=arguments.keywords)
    return [(held, state)]


def _method(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    name, *given, target = arguments.positional
    if not isinstance(name, Const) or not isinstance(name.value, str):
        return [(Sym(target.labels, m.fresh("method")), state)]
    return [
        pair
        for method, ready in m.attribute(target, name.value, state, scope, node)
        for pair in m.call(method, Arguments(tuple(given), arguments.keywords), ready, scope, node)
    ]


OPERATING: dict[str, Model] = {
    "operator.truth": _truth,
    "operator.contains": _contains,
    "operator.getitem": _item,
    "operator.call": _call,
    "operator.methodcaller": _method_caller,
    "flow.method": _method,
    **{
        f"operator.{name}": _compared(sign)
        for name, sign in (
            ("is_", "is"), ("is_not", "is not"), ("eq", "=="), ("ne", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="),
        )
    },
    **{
        f"operator.{name}": _combined(operator)
        for name, operator in (
            ("or_", ast.BitOr), ("and_", ast.BitAnd), ("xor", ast.BitXor), ("add", ast.Add), ("concat", ast.Add),
        )
    },
}  # fmt: skip
