"""Functions handed to code that is not followed: it may call them at once, and hand on what they give."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import changing
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import UNSTEADY, State
from pytest_invariants.flow.domain.values import (
    NO_LABELS,
    NONE,
    Bound,
    Dict,
    Func,
    Labels,
    Method,
    Partial,
    Seq,
    Thunk,
    Tuple,
    Value,
    Wrapped,
    union,
)
from pytest_invariants.flow.domain.wrapped import innermost
from pytest_invariants.flow.machine.comprehensions import keep
from pytest_invariants.flow.machine.machine import Arguments
from pytest_invariants.flow.machine.reading import run_at_any_time, unsteady
from pytest_invariants.flow.seal.granting import deep_labels, settle
from pytest_invariants.registry.model import Grant

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


NESTED = 6
"""Calls into each other up to which callbacks are followed."""


def run(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Labels:
    """Call each function among the arguments on the others; the labels of what comes of it, settled by what it asked."""
    if m.past or m.making or len(m.stack) > NESTED:
        return NO_LABELS
    values = arguments.every()
    functions = [v for v in values if isinstance(v, Func | Bound | Partial | Wrapped)]
    found = NO_LABELS
    for value in values:
        _changed(value, values, m, state)
    for function in functions:
        inner = innermost(function)
        if isinstance(inner, Func) and inner.info not in m.stack and _matters(m, inner, Arguments(values), state):
            others = [v for v in values if v is not function]
            found |= _outcome(m, function, _fitting(m, inner, function, others, state), state, scope, node)
        elif isinstance(inner, Func):
            run_at_any_time(m, inner.info, values, state)
    return found


def _changed(value: Value, given: tuple[Value, ...], m: Analysis, state: State) -> None:
    """A method of a collection: it may put in what else the call is given."""
    if isinstance(value, Method) and isinstance(value.receiver, Seq | Dict) and value.name not in changing.PURE:
        others = [inner for v in given if v is not value for inner in (v.items if isinstance(v, Tuple) else (v,))]
        changing.changed(m, value.receiver, tuple(others), state)
        state.fields[value.receiver.address, UNSTEADY] = NONE


def _matters(m: Analysis, inner: Func, given: Arguments, state: State) -> bool:
    """A capability that gives something matters, whatever its own text leads to."""
    number = m.capabilities.functions.get(inner.info)
    gives = number is not None and m.registry.capabilities[number].grant is Grant.VALUE
    return gives or m.matters(inner, given, state)


def on_each(m: Analysis, source: Value | None, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> None:
    """What orders or groups the elements of `source` is called on each: a capability that is handed as such is exercised."""
    run(m, arguments, state, scope, node)
    if source is None or m.past or m.making:
        return
    for function in arguments.every():
        inner = innermost(function)
        if isinstance(inner, Func) and inner.info in m.capabilities.functions:
            with m.collecting():
                for value, drawn in m.iterate(source, state.fork(), scope, node):
                    m.call(function, Arguments((value,)), drawn, scope, node)


def _outcome(m: Analysis, function: Value, given: Arguments, state: State, scope: Scope, node: ast.AST) -> Labels:
    from pytest_invariants.flow.calls.thunks import LAZY, await_value, drained

    labels = NO_LABELS
    with m.collecting():
        results = m.call(function, given, state.fork(), scope, node)
        for value, end in results:
            made = [(value, end)]
            if isinstance(value, Thunk):
                lazy = value.kind == "generator" or value.kind in LAZY
                made = [(drained(m, value, end), end)] if lazy else await_value(m, value, end, scope, node)
            for inner, after in made:
                labels |= settle(m, deep_labels(m, inner, after, objects=True), after.facts, after)
                unsteady(state, after)
                keep(m, state, after)
    return labels


def _fitting(m: Analysis, inner: Func, function: Value, others: list[Value], state: State) -> Arguments:
    """Any of the other arguments, or of their elements, in the place of each parameter."""
    spec = inner.info.node.args
    names = [*spec.posonlyargs, *spec.args]
    taken = len(function.args) if isinstance(function, Partial) else 0
    room = len(names) - len(spec.defaults) - isinstance(function, Bound) - taken
    some = [option for other in others for option in _options(m, other, state)]
    if not some or room <= 0:
        return Arguments()
    return Arguments((union(some),) * room)


def _options(m: Analysis, value: Value, state: State) -> list[Value]:
    from pytest_invariants.flow.containers.containers import elements_of

    if isinstance(value, Func | Bound | Partial | Wrapped):
        return []
    if isinstance(value, Tuple):
        return [inner for item in value.items for inner in _options(m, item, state)]
    if isinstance(value, Seq | Dict):
        return [value, *(t.value for t in elements_of(m, value, state))]
    return [value]
