"""Targets: what an assignment binds, and what an augmented one finds there first."""

from __future__ import annotations

import ast
from collections.abc import Callable
from copy import copy
from functools import partial
from typing import TYPE_CHECKING

from pytest_invariants.flow.calls import opened
from pytest_invariants.flow.containers import containers, entries, holding, lookups
from pytest_invariants.flow.domain.relevance import known_of
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import Cell, State, Template
from pytest_invariants.flow.domain.values import Const, Dict, Foreign, Obj, Seq, Sym, Tuple, Value, term_of, with_labels
from pytest_invariants.flow.machine import names
from pytest_invariants.flow.machine.machine import Arguments
from pytest_invariants.flow.machine.reading import split
from pytest_invariants.flow.objects import implicit, namespaces

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

Binder = Callable[[Value, State], list[State]]


def held(m: Analysis, target: ast.expr, state: State, scope: Scope) -> list[tuple[Value, Binder, State]]:
    """What a target holds, and how it is bound anew."""
    match target:
        case ast.Attribute(value=base, attr=name):
            return [
                (old, partial(_set_attribute, m, owner, name, scope, target), after)
                for owner, middle in m.evaluate(base, state, scope)
                for old, after in m.attribute(owner, name, middle, scope, target)
            ]
        case ast.Subscript(value=base, slice=index) if not isinstance(index, ast.Slice):
            return [
                (old, partial(set_item, m, owner, key, scope, target), after)
                for (owner, given), before in m.evaluate_all([base, index], state, scope)
                for key, middle in lookups.by_truth(m, owner, given, before, scope)
                for old, after in lookups.lookup(m, owner, key, middle, scope, target)
            ]
    load = copy(target)
    load.ctx = ast.Load()  # type: ignore[attr-defined]
    return [
        (old, lambda new, end: unpack(m, target, new, end, scope), after)
        for old, after in m.evaluate(load, state, scope)
    ]


def unpack(m: Analysis, target: ast.expr, value: Value, state: State, scope: Scope) -> list[State]:
    """Bind a value to a target."""
    match target:
        case ast.Name(id=name):
            if frame := next((f for f in reversed(scope.chain) if f.startswith("comprehension ")), None):
                state.bind(frame if frame == scope.frame else names.frame_of(name, scope), name, value)
            else:
                names.assign(m, name, value, state, scope)
            return [state]
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return _spread(m, parts, value, state, scope)
        case ast.Starred(value=inner):
            return unpack(m, inner, value, state, scope)
        case ast.Attribute(value=base, attr=name):
            owners = m.evaluate(base, state, scope)
            return [
                end for owner, after in owners for end in _set_attribute(m, owner, name, scope, target, value, after)
            ]
        case ast.Subscript(value=base, slice=ast.Slice() as part):
            return [_set_slice(m, owner, part, value, after) for owner, after in m.evaluate(base, state, scope)]
        case ast.Subscript(value=base, slice=index):
            pairs = m.evaluate_all([base, index], state, scope)
            return [
                end
                for (owner, given), before in pairs
                for key, after in lookups.by_truth(m, owner, given, before, scope)
                for end in set_item(m, owner, key, scope, base, value, after)
            ]
        case _:
            return [state]


def _set_attribute(
    m: Analysis, owner: Value, name: str, scope: Scope, node: ast.expr, value: Value, state: State
) -> list[State]:
    ends = implicit.assigned(m, owner, name, value, state, scope, node)
    if ends is not None:
        return ends
    m.set_attribute(owner, name, value, state, scope)
    return [state]


def set_item(
    m: Analysis, owner: Value, key: Value, scope: Scope, node: ast.AST, value: Value, state: State
) -> list[State]:
    if isinstance(owner, Dict):
        containers.put_key(m, owner.address, key, value, state)
    elif isinstance(owner, Seq):
        containers.put_at(m, owner.address, key, value, state)
    elif isinstance(owner, Obj) and owner.cls.lookup("__setitem__"):
        setters = m.attribute(owner, "__setitem__", state, scope, node)
        called = [pair for method, end in setters for pair in m.call(method, Arguments((key, value)), end, scope, node)]
        return [end for _, end in called]
    elif isinstance(owner, Sym) and owner.term in m.namespaces:
        namespaces.put(m, m.namespaces[owner.term], key, value, state, scope)
    elif isinstance(owner, Foreign) and owner.path == "sys.modules":
        opened.replaced(m, key, scope)
    else:
        holding.hold(m, term_of(owner), (key, value), state)
        if isinstance(owner, Sym) and not m.past:
            entries.put(m, owner.term, key, value, state)
        m.persist(term_of(owner), f"key {term_of(key)!r}", value, state, key)
    return [state]


def _set_slice(m: Analysis, owner: Value, part: ast.Slice, value: Value, state: State) -> State:
    """`x[:] = y` leaves what `y` holds, a smaller slice some of what was there as well."""
    if isinstance(owner, Seq):
        put = _sized(m, value, state)
        rows = containers.elements_of(m, put, state)
        containers.shortened(owner, state)
        if part.lower is None and part.upper is None and part.step is None:
            state.heap[owner.address] = Cell(version=state.cell(owner.address).version)
        containers.extend_by(m, owner.address, rows, state)
    else:
        holding.hold(m, term_of(owner), (value,), state)
        m.persist(term_of(owner), "element", value, state)
    return state


def _spread(m: Analysis, parts: list[ast.expr], value: Value, state: State, scope: Scope) -> list[State]:
    star = next((i for i, part in enumerate(parts) if isinstance(part, ast.Starred)), None)
    items = _items(m, value, state)
    if items is not None and star is not None and len(items) >= len(parts) - 1:
        items = _with_rest(m, items, star, len(items) - len(parts) + 1, state)
    states = [state]
    if items is not None and len(parts) == len(items):
        for part, item in zip(parts, items, strict=True):
            states = [end for before in states for end in unpack(m, part, item, before, scope)]
        return states
    for position, part in enumerate(parts):
        place = position if star is None or position < star else position - len(parts)
        states = [end for before in states for end in _spread_one(m, part, place, value, before, scope)]
    return states


def _items(m: Analysis, value: Value, state: State) -> list[Value] | None:
    """The elements in order, where all are known."""
    if isinstance(value, Tuple):
        return [with_labels(item, value.labels) for item in value.items]
    cell = state.find(value.address) if isinstance(value, Seq) and not m.past else None
    if cell is None or not cell.exact:
        return None
    for template in cell.templates:
        state.facts |= template.facts
    return [with_labels(template.value, value.labels) for template in cell.templates]


def _with_rest(m: Analysis, items: list[Value], star: int, size: int, state: State) -> list[Value]:
    """The elements with those that the star takes as one list."""
    rest = Seq(address=m.allocate(state))
    rows = tuple(Template(item, known_of(item, state.facts)) for item in items[star : star + size])
    state.heap[rest.address] = Cell(rows, exact=True)
    return [*items[:star], rest, *items[star + size :]]


def _spread_one(m: Analysis, part: ast.expr, position: int, value: Value, state: State, scope: Scope) -> list[State]:
    if isinstance(part, ast.Starred):
        rest = containers.copied(m, value, state, "list", whole=False)
        return unpack(m, part, rest, state, scope)
    return [
        end
        for item, after in lookups.lookup(m, _sized(m, value, state), Const(value=position), state, scope, part)
        for option, ready in split(item, after)
        for end in unpack(m, part, option, ready, scope)
    ]


def _sized(m: Analysis, value: Value, state: State) -> Value:
    from pytest_invariants.flow.calls.thunks import drained
    from pytest_invariants.flow.domain.values import Thunk

    return drained(m, value, state) if isinstance(value, Thunk) else value
