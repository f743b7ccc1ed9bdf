"""Tasks and threads have a context of their own: what they set in context variables is not set for whoever waits for them.

A task sees what was set when it was made, a pool's thread nothing at all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.state import SET, State
from pytest_invariants.flow.domain.terms import Term
from pytest_invariants.flow.domain.values import TRUE, Sym, Thunk, Tuple, Value, options_of, union
from pytest_invariants.flow.machine.machine import Results

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

Held = dict[tuple[Term, str], Value]


def _held(state: State) -> Held:
    return {key: value for key, value in state.fields.items() if key[1] == SET}


def _place(value: Thunk) -> str:
    return f"context {value.number}"


def copied(value: Value, state: State) -> None:
    """It will run in a copy of this context."""
    if isinstance(value, Thunk):
        pairs = {repr(term): Tuple(items=(Sym(term=term), held)) for (term, _), held in _held(state).items()}
        state.frames[_place(value)] = {"": TRUE, **pairs}


def empty(value: Thunk, state: State) -> None:
    """It will run in a context in which nothing has been set."""
    state.frames[_place(value)] = {"": TRUE}


def _own(value: Value, state: State) -> Held:
    kept = state.frame(_place(value)) if isinstance(value, Thunk) else {}
    if "" not in kept:
        return _held(state)
    found: Held = {}
    for held in kept.values():
        pairs = [one.items for one in options_of(held) if isinstance(one, Tuple)]
        if pairs and isinstance(pairs[0][0], Sym):
            found[pairs[0][0].term, SET] = union([value for _, value in pairs])
    return found


def _become(state: State, held: Held) -> None:
    state.fields = {key: value for key, value in state.fields.items() if key[1] != SET} | held


def apart(m: Analysis, value: Value, state: State, run: Callable[[State], Results]) -> Results:
    """Run it in its own context, and go on in this one."""
    outer = _held(state)
    _become(state, _own(value, state))
    with m.collecting() as raised:
        results = run(state)
    for one in raised:
        _become(one.state, outer)
        m.throw(one)
    for _, end in results:
        _become(end, outer)
    return results
