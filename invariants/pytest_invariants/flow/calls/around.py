"""Context managers as decorators: whenever the function is called, a new one is entered around the call."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.outcomes import Arguments, Outcome
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.values import NONE, Bound, Func, Obj, Partial, Thunk, Value, Wrapped
from pytest_invariants.flow.machine.machine import Results

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

DECORATORS = ("contextlib.ContextDecorator", "contextlib.AsyncContextDecorator")
AROUND = "around"
"""The kind of a function that a context manager stands around: its first argument is the manager."""


def decorates(manager: Value, arguments: Arguments) -> bool:
    """Whether this is a context manager that is called with the function that it is to stand around."""
    if isinstance(manager, Obj):
        manages = any(base in DECORATORS for base in manager.cls.foreign_bases())
    else:
        manages = isinstance(manager, Thunk) and manager.kind == "context" and isinstance(manager.function, Func)
    given = arguments.every()
    return manages and len(given) == 1 and isinstance(given[0], Func | Bound | Partial | Wrapped)


def decorated(manager: Value, arguments: Arguments, state: State) -> Results:
    if isinstance(manager, Thunk):  # it is not this one that will be entered
        state.pending = frozenset(p for p in state.pending if p[0] != manager.number)
    (function,) = arguments.every()
    return [(Partial(function=Wrapped(function=function, kind=AROUND), args=(manager,)), state)]


def called(m: Analysis, function: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """The function is called inside the context; where that is asynchronous, once the call is waited for."""
    manager, *given = arguments.positional
    inner = replace(arguments, positional=tuple(given))
    if isinstance(manager, Thunk):
        manager = replace(manager, number=m.number(state))
    if not _is_asynchronous(manager):
        return _inside(m, manager, function, inner, state, scope, node)
    later = Thunk(
        kind="around",
        number=m.number(state),
        function=function,
        args=(manager, *given),
        keywords=inner.keywords,
        at=scope.at(node),
        more=inner.more,
        options=inner.options,
    )
    state.pending |= {(later.number, "coroutine", scope.at(node))}
    return [(later, state)]


def _is_asynchronous(manager: Value) -> bool:
    if isinstance(manager, Obj):
        return manager.cls.lookup("__exit__") is None
    return isinstance(manager, Thunk) and isinstance(manager.function, Func) and manager.function.info.is_async


def waited_for(m: Analysis, later: Thunk, state: State, scope: Scope, node: ast.AST) -> Results:
    manager, *given = later.args
    arguments = Arguments(tuple(given), later.keywords, later.more, later.options)
    return _inside(m, manager, later.function, arguments, state, scope, node)


def _inside(
    m: Analysis, manager: Value, function: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST
) -> Results:
    from pytest_invariants.flow.calls.thunks import await_value
    from pytest_invariants.flow.machine.contexts import enter

    def block(_value: Value, entered: State) -> list[Outcome]:
        results = m.call(function, arguments, entered, scope, node)
        if _is_asynchronous(manager):
            results = [end for made, after in results for end in await_value(m, made, after, scope, node)]
        return [Outcome("return", after, made) for made, after in results]

    place = node if isinstance(node, ast.expr) else ast.Constant(None, lineno=scope.statement, col_offset=0)
    return [(one.value or NONE, one.state) for one in enter(m, manager, state, scope, place, block)]
