"""What a test of a class, or an annotation, tells of a value of which nothing else is known."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain import types
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.values import (
    ANY,
    BOOL,
    NO_LABELS,
    Class,
    Func,
    Obj,
    Sym,
    Tuple,
    Type,
    Value,
    carries_nothing,
)
from pytest_invariants.program.code import ClassInfo

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def by_test(m: Analysis, value: Value, classes: Value, state: State, scope: Scope) -> None:
    """`isinstance(value, classes)` is true: the variables that hold the value hold an instance."""
    told = _instance(m, value, classes)
    for frame in scope.chain if told is not None else ():
        if not frame.startswith(("module ", "class ")):
            for name, held in state.frame(frame).items():
                if told is not None and held == value:
                    state.bind(frame, name, told)


def as_declared(m: Analysis, function: Func, value: Value, state: State) -> Value:
    """What a call gave of which only the origin is known, where the function says that it gives a truth value: that holds nothing."""
    if not isinstance(value, Sym) or value.type != ANY or not carries_nothing(value):
        return value
    return replace(value, labels=NO_LABELS, type=BOOL) if m.return_type(function, state) == BOOL else value


def _instance(m: Analysis, value: Value, classes: Value) -> Value | None:
    """The value as an instance of the one class of the program that it is tested for."""
    options = classes.items if isinstance(classes, Tuple) else (classes,)
    if len(options) != 1 or not isinstance(options[0], Class) or options[0].info.is_protocol:
        return None
    wanted = options[0].info
    if isinstance(value, Obj):
        return replace(value, cls=wanted) if not value.exact and _below(wanted, value.cls) else None
    if isinstance(value, Sym) and (value.type == ANY or wanted in [t.cls for t in value.type.alternatives()]):
        m.class_of[value.term] = wanted
        return Obj(value.labels, value.term, wanted)
    return None


def _below(cls: ClassInfo, base: ClassInfo) -> bool:
    return cls is not base and base in cls.mro


def by_parameters(m: Analysis, function: Func, bound: dict[str, Value], state: State) -> dict[str, Value]:
    """Arguments of which nothing is known are what the annotations of the parameters say."""
    spec = function.info.node.args
    for node in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs):
        value = bound.get(node.arg)
        if node.annotation is not None and isinstance(value, Sym) and value.type == ANY and not value.abroad:
            declared = _annotated(m, function, node, state)
            if declared != ANY and declared.name != "Any":
                bound[node.arg] = m.typed(value, declared)
    return bound


def _annotated(m: Analysis, function: Func, node: ast.arg, state: State) -> Type:
    if len(function.chain) > 1 or m.past:
        return types.read(m, node.annotation, state, m.scope_of_function(function))
    if node not in m.annotated:
        m.annotated[node] = types.read(m, node.annotation, m.world, m.scope_of_function(function))
    return m.annotated[node]


__all__ = ["by_parameters", "by_test"]
