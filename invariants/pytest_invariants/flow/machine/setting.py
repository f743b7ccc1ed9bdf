"""Setting attributes: of modules, classes, functions and instances."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.calls.opened import CLASS, INNARDS
from pytest_invariants.flow.containers import holding
from pytest_invariants.flow.domain.scope import Scope, module_frame
from pytest_invariants.flow.domain.state import OWN, Fact, Open, Related, State, Unless
from pytest_invariants.flow.domain.terms import Applied, Field, Term
from pytest_invariants.flow.domain.values import (
    Class,
    Descriptor,
    Foreign,
    Func,
    Module,
    Obj,
    Sym,
    Value,
    term_of,
    union,
)
from pytest_invariants.flow.objects import attached, namespaces
from pytest_invariants.verdict import Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def set_attribute(m: Analysis, owner: Value, name: str, value: Value, state: State, scope: Scope | None) -> None:
    if isinstance(owner, Module):
        _of_module(m, owner, name, value, state, scope)
        return
    if isinstance(owner, Class) and m.past and scope is not None and scope.module != owner.info.module:
        found = owner.info.lookup(name)
        value = union([found[1], value]) if found is not None else value
    if scope is not None:
        _opened(m, owner, name, scope)
    address = term_of(owner)
    if _is_there_already(owner, name, value, state):
        return
    if isinstance(owner, Sym):
        holding.hold(m, address, (value,), state)
    if isinstance(address, Applied) and address.function == "drawn":  # what it is a view of has changed as well
        original, kept = address.arguments[0], state.field(address.arguments[0], name)
        state.set_field(original, name, union([kept, value]) if kept is not None else value)
    _principal_changed(address, name, state)
    if attached.write(m, owner, name, value, state):
        return
    if name == OWN:
        namespaces.of(m, owner, state)  # what stood there until now: others may hold it
    state.set_field(address, name, value)
    m.persist(address, f"field {name}", value, state)


def _is_there_already(owner: Value, name: str, value: Value, state: State) -> bool:
    """`turn.category = turn.category`: a plain attribute that is set to what nobody has changed since it was brought."""
    if not isinstance(owner, Obj) or state.field(owner.address, name) is not None:
        return False
    found = owner.cls.lookup(name)
    plain = found is None or not isinstance(found[1], Descriptor | Obj)
    return plain and owner.cls.lookup("__setattr__") is None and term_of(value) == Field(owner.address, name)


def _of_module(m: Analysis, owner: Module, name: str, value: Value, state: State, scope: Scope | None) -> None:
    frame = module_frame(owner.name)
    if scope is not None:
        m.note_rebinding(frame, name, value, state, scope)
    old = state.frame(frame).get(name)
    elsewhere = m.past and scope is not None and scope.module != owner.name
    state.bind(frame, name, union([old, value]) if elsewhere and old is not None else value)


def _opened(m: Analysis, owner: Value, name: str, scope: Scope) -> None:
    """What runs where the owner is used may be something else from now on."""
    if isinstance(owner, Func) and name in INNARDS:
        m.opened.function(owner.info, scope.here, Reason.OPAQUE_CALLABLE)
    if isinstance(owner, Obj) and name == CLASS:
        m.opened.methods(owner.cls, m.functions.values(), scope.here)
    if isinstance(owner, Foreign) and owner.path == "builtins":
        m.opened.builtin(name, scope.here)


def _principal_changed(address: Term, name: str, state: State) -> None:
    """What is asked when it is drawn will be asked on behalf of somebody else."""
    for place, cell in list(state.heap.items()):
        if cell is not None and cell.lazy:
            templates = tuple(replace(t, facts=_without(t.facts, address, name)) for t in cell.templates)
            state.heap[place] = replace(cell, templates=templates)


def _without(facts: frozenset[Fact], address: Term, name: str) -> frozenset[Fact]:
    return frozenset(f for f in facts if isinstance(f, Related) or not _asks_for(f, address, name))


def _asks_for(fact: Open | Unless, address: Term, name: str) -> bool:
    call = fact.fact.call if isinstance(fact, Unless) else fact.call
    terms = [term_of(value) for _, value in call.principals]
    return any(isinstance(t, Field) and t.base == address and name in (t.name, OWN) for t in terms)
