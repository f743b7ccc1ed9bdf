"""Callees that lead neither to the seal nor to a capability: followed for what they give where that is short, or passed over."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from pytest_invariants.flow.calls.binding import bind
from pytest_invariants.flow.domain import types
from pytest_invariants.flow.domain.reachable import leaves
from pytest_invariants.flow.domain.scope import Scope, module_frame
from pytest_invariants.flow.domain.state import State, Template
from pytest_invariants.flow.domain.terms import Applied, Field, Named
from pytest_invariants.flow.domain.values import (
    NO_LABELS,
    NONE,
    Dict,
    Func,
    Labels,
    Obj,
    Seq,
    Value,
    put_in,
    term_of,
    union,
    with_labels,
)
from pytest_invariants.flow.library import context_vars
from pytest_invariants.flow.machine.machine import Arguments, Raised, Results
from pytest_invariants.flow.machine.reading import may_be_changed
from pytest_invariants.flow.seal.granting import deep_labels
from pytest_invariants.verdict import Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

ASIDE = 120
"""Steps that a callee may take which leads neither to the seal nor to a capability."""


def tried(m: Analysis, function: Func, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """A callee that cannot matter is followed for what it gives back, where that takes few steps."""
    from pytest_invariants.flow.calls import calls

    if function.info not in m.long:
        steps = ASIDE if m.coarse or not m.pressed else ASIDE // 4
        with m.stepping_aside():
            found = m.attempt(steps, lambda: calls.follow(m, function, arguments, state.fork()))
        if found is not None:
            return found
        m.long.add(function.info)
    value, after = passed_over(m, function, arguments, state, scope, node)
    return _yielded(m, function, value, after, scope) if function.info.is_generator else [(value, after)]


def passed_over(
    m: Analysis, function: Func, arguments: Arguments, state: State, scope: Scope, node: ast.AST
) -> tuple[Value, State]:
    """A callee that mentions neither the seal nor a capability, nor anything that does: it hands on what it was given."""
    bound = bind(m, function, arguments, state)
    declared = m.return_type(function, state)
    whole = m.reads_capabilities(function.info) or not types.scalar(declared)
    labels = _through(NO_LABELS.union(*(deep_labels(m, v, state, objects=whole) for v in bound.values())))
    for value in bound.values():
        m.escape(value, state, scope, node, tuple(v for v in bound.values() if v is not value))
        _changed(m, function, value, labels, state)
    may_be_changed(m, function.info, state)
    if m.reach is not None:
        context_vars.changed(m, partial(m.reach.sets_variable, function.info), labels, state)
        for variable in m.reach.binds(function.info):
            _rebound(function, variable, labels, state)
    if function.info.is_async:
        state.epoch += 1  # it may wait
    if m.may_catch:
        m.throw(Raised(state.fork(), "builtins.Exception"))
    term = Applied(function.info.reference, tuple(term_of(value) for value in bound.values()))
    return with_labels(types.shape(m, term, declared), labels), state


def _changed(m: Analysis, function: Func, value: Value, labels: Labels, state: State) -> None:
    """What a callee that is not followed may have put into what it was given: something that carries what it had."""
    items = m.reach is None or m.reach.changes_items(function.info)
    for one in [value] if m.past else leaves(m, value, state):
        if isinstance(one, Seq | Dict) and (items or (labels and one is value)):
            key = put_in(NO_LABELS, one.address, "key put in") if isinstance(one, Dict) else None
            state.add(one.address, Template(put_in(labels, one.address), key=key))
            state.note_loss(one.address)
        if isinstance(one, Obj) and m.reach is not None:
            for (address, name), held in [pair for pair in state.fields.items() if pair[0][0] == one.address]:
                if m.reach.changes(function.info, one.cls, name):
                    state.set_field(address, name, union([held, put_in(labels, Field(address, name))]))


def _rebound(function: Func, variable: str, labels: Labels, state: State) -> None:
    """A variable of a module, or of a function around the callee, may stand for something else."""
    module, _, name = variable.rpartition(":")
    for frame in [module_frame(module)] if module else function.chain:
        held = state.frame(frame).get(name)
        if held is not None:
            state.bind(frame, name, union([held, put_in(labels, Named(f"{frame}:{name}"))]))


def passed_around(
    m: Analysis, function: Func, arguments: Arguments, state: State, scope: Scope, node: ast.AST
) -> tuple[Value, State]:
    """A context manager that is passed over: what the block is given."""
    value, after = passed_over(m, function, arguments, state, scope, node)
    kind = types.element_type(m.return_type(function, state))
    return with_labels(types.shape(m, m.fresh(f"entered by {function.info.name}"), kind), value.labels), after


def _through(labels: Labels) -> Labels:
    """What went through a callee that is not followed: it may have become something else."""
    doubt = Reason.TOO_MANY_TARGETS
    return frozenset(la if la.cleared is not None or la.doubt else replace(la, doubt=doubt) for la in labels)


def _yielded(m: Analysis, function: Func, value: Value, state: State, scope: Scope) -> Results:
    """A generator that was passed over yields nothing, or something that was made of what it was given."""
    kind = types.element_type(m.return_type(function, state))
    element = with_labels(types.shape(m, m.fresh(f"yielded by {function.info.name}"), kind), value.labels)
    inside = state.fork()
    onward = m.yields[-1](element, inside, scope) if m.yields else None
    return [(NONE, state), *((NONE, after) for after in (onward if onward is not None else [inside]))]
