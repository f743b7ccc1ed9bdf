"""`getattr`: a name that is written out, one that begins with a known prefix, or one that may be anything."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.terms import Applied
from pytest_invariants.flow.domain.values import (
    BOOL,
    FALSE,
    NO_LABELS,
    TRUE,
    Bound,
    Class,
    Const,
    Dict,
    Foreign,
    Func,
    Label,
    Labels,
    Module,
    Obj,
    Partial,
    Seq,
    Sym,
    Thunk,
    Tuple,
    Value,
    term_of,
)
from pytest_invariants.flow.machine.machine import Arguments, Raised, Results
from pytest_invariants.program.code import ClassInfo
from pytest_invariants.verdict import Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


PREFIX = "f-string "


def get_attribute(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    target, name = arguments.positional[:2]
    default = arguments.positional[2] if len(arguments.positional) > 2 else None
    if isinstance(name, Const) and isinstance(name.value, str):
        return _written_out(m, target, name.value, default, state, scope, node)
    prefix = _prefix(name)
    if prefix and isinstance(target, Obj):
        results: Results = []
        for method in sorted({n for cls in target.cls.mro for n in cls.namespace if n.startswith(prefix)}):
            results += m.attribute(target, method, state.fork(), scope, node)
        if results:
            return [*results, (default, state.fork())] if default is not None else results
    labels = _any_field(m, target, scope, node)
    term = Applied("getattr", (term_of(target), term_of(name)))
    return [(Sym(labels | target.labels, term, why=Reason.DYNAMIC_ATTRIBUTE), state)]


def _written_out(
    m: Analysis, target: Value, name: str, default: Value | None, state: State, scope: Scope, node: ast.AST
) -> Results:
    if default is None:
        return m.attribute(target, name, state, scope, node)
    known = has_attribute(m, target, name, state)
    if known is False:
        return [(default, state)]
    results = m.attribute(target, name, state.fork(), scope, node)
    return results if known else [*results, (default, state)]


def has_attribute(m: Analysis, target: Value, name: str, state: State) -> bool | None:
    """Whether instances have the attribute; None where the class cannot tell."""
    if isinstance(target, Obj):
        if _declares(target.cls, name) or state.field(target.address, name) is not None:
            return True
        if m.constructed_field(target.cls, name) is not None:
            return True
        closed = not target.cls.foreign_bases() and not target.cls.opaque_base and not target.cls.descendants()
        return False if closed and not target.cls.lookup("__getattr__") else None
    if isinstance(target, Class):
        return True if target.info.lookup(name) else None
    if isinstance(target, Func) and m.past and not name.startswith("__"):
        return _set_on_function(target, name, state)
    return None


def _set_on_function(target: Func, name: str, state: State) -> bool | None:
    """While modules are loaded: whether a decorator has given the function this attribute. `wraps` copies those of another."""
    if state.field(term_of(target), name) is not None:
        return True
    decorators = getattr(target.info.node, "decorator_list", ())
    return None if any("wraps" in ast.unparse(one) for one in decorators) else False


def awaitable(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    """`inspect.isawaitable` and its kin: a call that has not run, or something plain."""
    match arguments.positional:
        case (Thunk(kind="coroutine" | "task" | "gather" | "thread"), *_):
            return [(TRUE, state)]
        case (Const() | Tuple() | Seq() | Dict() | Func() | Class(), *_):
            return [(FALSE, state)]
        case _:
            return [(Sym(term=m.fresh("awaitable"), type=BOOL), state)]


def subclass_of(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    """`issubclass` of a class of the program."""
    from pytest_invariants.flow.machine.trying import catches

    match arguments.positional:
        case (Class(info=info), (Class() | Foreign() | Tuple()) as kinds) if info.is_exception:
            options = kinds.items if isinstance(kinds, Tuple) else (kinds,)
            found = [catches(kind, Raised(state, info)) for kind in options]
            if True in found or None not in found:
                return [(Const(value=True in found), state)]
    return [(Sym(term=m.fresh("subclass"), type=BOOL), state)]


def is_callable(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    match arguments.positional:
        case (Func() | Bound() | Class() | Partial(), *_):
            return [(TRUE, state)]
        case (Const() | Tuple() | Seq() | Dict(), *_):
            return [(FALSE, state)]
        case _:
            return [(Sym(term=m.fresh("callable"), type=BOOL), state)]


def of_kind(*, waits: bool, yields: bool) -> Callable[[Analysis, Arguments, State, Scope, ast.AST], Results]:
    """`inspect.iscoroutinefunction` and its kin: told by how the function is defined."""

    def model(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
        inner = arguments.positional[0] if arguments.positional else None
        while isinstance(inner, Bound | Partial):
            inner = inner.function
        if isinstance(inner, Func):
            info = inner.info
            return [(Const(value=info.is_async is waits and info.is_generator is yields), state)]
        return [(Sym(term=m.fresh("kind of function"), type=BOOL), state)]

    return model


def _declares(cls: ClassInfo, name: str) -> bool:
    return cls.lookup(name) is not None or cls.field_annotation(name) is not None


def _prefix(name: Value) -> str:
    if isinstance(name, Sym) and isinstance(name.term, Applied) and name.term.function.startswith(PREFIX):
        return name.term.function.removeprefix(PREFIX)
    return ""


def _any_field(m: Analysis, target: Value, scope: Scope, node: ast.AST) -> Labels:
    """A name that may be anything may be that of a capability."""
    if isinstance(target, Module):
        return NO_LABELS
    found: set[Label] = set()
    for owners in m.capabilities.fields.values():
        for number, owner in owners:
            known = isinstance(target, Obj) and owner not in target.cls.mro and owner not in target.cls.descendants()
            if not known:
                found.add(Label(number, term_of(target), scope.at(node), doubt=Reason.DYNAMIC_ATTRIBUTE))
    return frozenset(found)
