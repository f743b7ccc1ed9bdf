"""What has been started and not been waited for: it may run wherever the path waits for something, or not at all."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import RUNNING, State
from pytest_invariants.flow.domain.terms import elements_in
from pytest_invariants.flow.domain.values import Thunk, Tuple, Value, options_of, term_of
from pytest_invariants.flow.machine.contexts import swallow
from pytest_invariants.flow.machine.machine import Results, kept_arguments

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def start(m: Analysis, value: Value, state: State) -> None:
    if isinstance(value, Thunk) and not (m.past or m.making or m.coarse):
        state.frames[RUNNING] = {"": Tuple(items=tuple(dict.fromkeys((*started(state), value))))}


def started(state: State) -> tuple[Value, ...]:
    held = state.frame(RUNNING).get("")
    options = options_of(held) if held is not None else ()
    return tuple(dict.fromkeys(item for one in options if isinstance(one, Tuple) for item in one.items))


def over(value: Value, state: State) -> None:
    """It has been waited for."""
    running = started(state)
    if value in running:
        state.frames[RUNNING] = {"": Tuple(items=tuple(one for one in running if one != value))}


def _place(thunk: Thunk) -> str:
    return f"done {thunk.number}"


def ended_with(thunk: Value, result: Value, state: State) -> None:
    """Keep what it came to; not of one that stands for each element of a collection, or for the current one of a loop."""
    if isinstance(thunk, Thunk) and not any(elements_in(term_of(value)) for value in kept_arguments(thunk).every()):
        state.frames[_place(thunk)] = {"": result}


def result_of(thunk: Value, state: State) -> Value | None:
    return state.frame(_place(thunk)).get("") if isinstance(thunk, Thunk) else None


def waited(m: Analysis, results: Results, epoch: int, scope: Scope, node: ast.AST) -> Results:
    """The path has waited since `epoch`: each of what is running may have run by now."""
    found: Results = []
    for value, state in results:
        found.append((value, state))
        ends = [state]
        for one in started(state) if state.epoch > epoch else ():
            more = [end for before in ends for end in _run(m, one, before, scope, node)]
            found += [(value, end) for end in more]
            ends += more
    return found


def _run(m: Analysis, thunk: Value, before: State, scope: Scope, node: ast.AST) -> list[State]:
    """How it may end, where it leaves a trace; it may break off after having done some of it."""
    from pytest_invariants.flow.calls.thunks import task_done
    from pytest_invariants.flow.library.own_contexts import apart

    state = before.fork()
    over(thunk, state)
    assert isinstance(thunk, Thunk)
    with m.collecting() as raised:
        if thunk.kind == "callback":
            given = kept_arguments(thunk)
            results = apart(m, thunk, state, lambda own: m.call(thunk.function, given, own, scope, node))
        else:
            results = task_done(m, thunk, state, scope, node)
    ends = [*(end for _, end in results), *(swallow(one) for one in raised)]
    return [end for end in ends if _traces(before, end)]


def _traces(before: State, end: State) -> bool:
    if any(before.find(address) not in (None, cell) for address, cell in end.heap.items()):
        return True
    if any(before.field(*key) not in (None, value) for key, value in end.fields.items()):
        return True
    names = (name for name in end.frames if name not in (RUNNING, "result"))
    return any(before.frame(name) and before.frame(name) != end.frame(name) for name in names)
