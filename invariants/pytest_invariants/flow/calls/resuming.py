"""Generators of context managers that an exit stack has entered: they go on at their `yield` when the stack is left."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.values import TRUE, Const, Func, Thunk, Value
from pytest_invariants.flow.machine.machine import Effects, Raised, kept_arguments

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def remember(manager: Thunk, state: State, inner: Scope) -> None:
    """Where the generator stands still."""
    state.frames[_place(manager)] = {"frame": Const(value=inner.frame), "at": Const(value=inner.here)}


def _place(manager: Thunk) -> str:
    return f"entered {manager.number}"


def resume(
    m: Analysis, manager: Thunk, state: State, thrown: Raised | None, scope: Scope, node: ast.AST
) -> list[State]:
    """The generator's body is walked to the `yield` once more, for what stands behind it only: there the path goes on that
    leaves, with the variables that the generator had, and with the exception that comes up there, if any."""
    from pytest_invariants.flow.calls.calls import follow

    function = manager.function
    if not isinstance(function, Func) or function.info in m.seal.functions or function.info in m.stack:
        return _untouched(m, state, thrown)
    mark = f"resumed {m.number(state)}"

    def sink(_value: Value, reached: State, inner: Scope) -> list[State]:
        kept = state.frame(_place(manager))
        at, frame = kept.get("at"), kept.get("frame")
        if isinstance(at, Const) and at.value != inner.here:
            return []
        going = state.fork()
        held = going.frame(str(frame.value)) if isinstance(frame, Const) else {}
        going.frames[inner.frame] = held or reached.frame(inner.frame)
        going.frames[mark] = {"": TRUE}
        if thrown is None:
            return [going]
        m.throw(replace(thrown, state=going))
        return []

    held, m.effects = m.effects, Effects()
    with m.collecting() as raised, m.yielding(sink), m.closing(False):
        ends = [end for _, end in follow(m, function, kept_arguments(manager), state.fork())]
    done, m.effects = m.effects, held
    done.events = [event for event in done.events if mark in event.state.frames]
    m.effects.take(done)
    for one in raised:
        if one.state.frames.pop(mark, None) is not None:
            m.throw(one)
    return [end for end in ends if end.frames.pop(mark, None) is not None]


def _untouched(m: Analysis, state: State, thrown: Raised | None) -> list[State]:
    if thrown is None:
        return [state]
    m.throw(thrown)
    return []
