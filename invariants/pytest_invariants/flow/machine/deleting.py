"""`del`: names, attributes and entries that are gone."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import containers
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.terms import Applied
from pytest_invariants.flow.domain.values import Descriptor, Dict, Obj, Seq, Sym, Value
from pytest_invariants.flow.machine import names, removing
from pytest_invariants.flow.machine.machine import Outcome
from pytest_invariants.flow.objects import implicit, namespaces
from pytest_invariants.verdict import Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def deleted(m: Analysis, node: ast.Delete, state: State, scope: Scope) -> list[Outcome]:
    states = [state]
    for target in node.targets:
        states = [end for before in states for end in _delete(m, target, before, scope)]
    return [Outcome("next", end) for end in states]


def _delete(m: Analysis, target: ast.expr, state: State, scope: Scope) -> list[State]:
    match target:
        case ast.Name(id=name):
            state.unbind(names.frame_of(name, scope), name)
            return [state]
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            states = [state]
            for part in parts:
                states = [end for before in states for end in _delete(m, part, before, scope)]
            return states
        case ast.Attribute(value=base, attr=name):
            owners = m.evaluate(base, state, scope)
            return [attribute(m, owner, name, after, scope) for owner, after in owners]
        case ast.Subscript(value=base, slice=index) if not isinstance(index, ast.Slice):
            pairs = m.evaluate_all([base, index], state, scope)
            return [end for (owner, key), after in pairs for end in entry(m, owner, key, after, scope, target)]
        case ast.Subscript(value=base):
            return [_shorter(m, owner, after) for owner, after in m.evaluate(base, state, scope)]
        case _:
            return [state]


def attribute(m: Analysis, owner: Value, name: str, state: State, scope: Scope) -> State:
    """What the instance hid, its class shows again."""
    if isinstance(owner, Obj):
        found = owner.cls.lookup(name)
        if isinstance(found and found[1], Descriptor) and (owner.address, name) in state.fields:
            del state.fields[owner.address, name]  # the value that was remembered: it is computed anew
            return state
        missing = Sym(term=Applied("deleted", (owner.address,)), why=Reason.DYNAMIC_ATTRIBUTE)
        m.set_attribute(owner, name, found[1] if found is not None else missing, state, scope)
    return state


def entry(m: Analysis, owner: Value, key: Value, state: State, scope: Scope, node: ast.AST) -> list[State]:
    if implicit.defines(owner, "__delitem__"):
        return [end for _, end in implicit.special(m, owner, "__delitem__", (key,), state, scope, node)]
    if isinstance(owner, Sym) and owner.term in m.namespaces:
        namespaces.remove(m, m.namespaces[owner.term], key, state, scope)
        return [state]
    after = _shorter(m, owner, state)
    if isinstance(owner, Dict):
        removing.took(owner.address, key, after)
    return [after]


def _shorter(m: Analysis, owner: Value, state: State) -> State:
    if isinstance(owner, Seq | Dict):
        containers.contents(m, owner, state)
        containers.shortened(owner, state)
    return state
