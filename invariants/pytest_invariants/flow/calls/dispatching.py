"""`singledispatch`: which function is registered for the class of the first argument."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain import types
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.values import (
    Class,
    Const,
    Descriptor,
    Foreign,
    Func,
    Obj,
    Partial,
    Seq,
    Sym,
    Tuple,
    Value,
    Wrapped,
)
from pytest_invariants.flow.machine.machine import Arguments, Results
from pytest_invariants.program.code import ClassInfo

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

Kind = ClassInfo | str
"""A class of the program, or the path of another one."""


def register(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    """`show.register(cls, function)`, or a decorator, with the class or with an annotation that names it."""
    dispatcher, *given = arguments.positional
    inner = dispatcher.function if isinstance(dispatcher, Wrapped) else None
    if not isinstance(inner, Func) or not given:
        return [(given[-1] if given else dispatcher, state)]
    if len(given) == 1 and isinstance(given[0], Class | Foreign):
        return [(Partial(function=Foreign(path="flow.register"), args=(dispatcher, given[0])), state)]
    kinds = [_kind(given[0])] if len(given) > 1 else _annotated(m, given[0], state, dispatcher)
    m.dispatchers.setdefault(inner.info, []).extend((kind, given[-1]) for kind in kinds)
    return [(given[-1], state)]


def _kind(value: Value) -> Kind:
    return value.info if isinstance(value, Class) else value.path if isinstance(value, Foreign) else ""


def _annotated(m: Analysis, value: Value, state: State, dispatcher: Value) -> list[Kind]:
    function = value.function if isinstance(value, Descriptor) else value
    if not isinstance(function, Func):
        return [""]
    position = int(isinstance(dispatcher, Wrapped) and dispatcher.kind == "singledispatchmethod")
    spec = function.info.node.args
    names = [*spec.posonlyargs, *spec.args][position:]
    declared = types.read(m, names[0].annotation if names else None, state, m.scope_of_function(function))
    return [one.cls or f"builtins.{one.name}" for one in declared.alternatives()]


def dispatched(
    m: Analysis, function: Wrapped, arguments: Arguments, state: State, scope: Scope, node: ast.AST
) -> Results:
    position = int(function.kind == "singledispatchmethod")
    value = arguments.positional[position] if len(arguments.positional) > position else Sym(term=m.fresh("argument"))
    inner = function.function
    entries = m.dispatchers.get(inner.info, []) if isinstance(inner, Func) else []
    chosen = _chosen(value, entries, inner)
    return [pair for one in chosen for pair in m.call(one, arguments, state.fork(), scope, node)]


def _chosen(value: Value, entries: list[tuple[Kind, Value]], default: Value) -> list[Value]:
    """The functions that may be meant, the most special first; all of them where the class is not known."""
    known = dict(entries)
    unclear = [f for kind, f in entries if isinstance(kind, str) and not kind.startswith("builtins.")]
    match value:
        case Obj():
            own = next((known[cls] for cls in value.cls.mro if cls in known), default)
            heirs = [] if value.exact else [known[cls] for cls in value.cls.descendants() if cls in known]
            return list(dict.fromkeys([own, *heirs, *unclear]))
        case Const() | Tuple() | Seq():
            name = "tuple" if isinstance(value, Tuple) else value.kind if isinstance(value, Seq) else _class_of(value)
            return list(dict.fromkeys([known.get(f"builtins.{name}", default), *unclear]))
        case _:
            return list(dict.fromkeys([*(f for _, f in entries), default]))


def _class_of(value: Const) -> str:
    return "None" if value.value is None else type(value.value).__name__
