"""Attributes of modules, and of functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_invariants.flow.calls import opened
from pytest_invariants.flow.domain.scope import module_frame
from pytest_invariants.flow.domain.state import OWN, State
from pytest_invariants.flow.domain.terms import Field, Named
from pytest_invariants.flow.domain.values import (
    STR,
    Bound,
    Const,
    Foreign,
    Func,
    Module,
    Partial,
    Sym,
    Value,
    Wrapped,
    term_of,
)
from pytest_invariants.flow.machine.machine import Arguments, Results
from pytest_invariants.flow.machine.reading import read_again
from pytest_invariants.flow.objects import namespaces
from pytest_invariants.verdict import Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def of_module(m: Analysis, receiver: Module, name: str, state: State) -> Results:
    frame = module_frame(receiver.name)
    if name == OWN:
        return [(namespaces.of(m, receiver, state), state)]
    value = state.frame(frame).get(name)
    opened.note_import(m, frame, name, state)
    if value is not None:
        return read_again(m, (Named(frame), name), [(m.resolve_import(value, state), state)])
    if m.load(f"{receiver.name}.{name}"):
        return [(Module(name=f"{receiver.name}.{name}"), state)]
    getter = state.frame(frame).get("__getattr__")
    if isinstance(getter, Func):
        home = m.scope_of_module(receiver.name)
        return m.call(getter, Arguments((Const(value=name),)), state, home, getter.info.node)
    return [(Sym(term=Field(term_of(receiver), name), why=Reason.DYNAMIC_ATTRIBUTE), state)]


def of_function(m: Analysis, receiver: Value, name: str, state: State) -> Results:
    kept = state.field(term_of(receiver), name)
    if kept is not None:
        return [(kept, state)]
    if isinstance(receiver, Wrapped) and name == "register" and receiver.kind.startswith("singledispatch"):
        return [(Partial(function=Foreign(path="flow.register"), args=(receiver,)), state)]
    if isinstance(receiver, Wrapped) and name == "__wrapped__":
        return [(receiver.function, state)]
    if isinstance(receiver, Bound) and name == "__self__":
        return [(receiver.receiver, state)]
    if name in ("__name__", "__qualname__", "__doc__", "__module__"):
        return [(Sym(term=Field(term_of(receiver), name), type=STR), state)]
    return [(Sym(term=Field(term_of(receiver), name), why=Reason.DYNAMIC_ATTRIBUTE), state)]
