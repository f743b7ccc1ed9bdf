"""Exit stacks: what was entered is left when the stack is, from the last to the first, and may swallow what was raised."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.calls import resuming
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.values import NONE, Obj, Sym, Thunk, Tuple, Union, Value
from pytest_invariants.flow.machine.contexts import Block, answered, kind_of, leave, swallow
from pytest_invariants.flow.machine.machine import Arguments, Outcome, Raised, Results

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

Way = State | Raised
"""A path on its way out: at its normal end, or with an exception."""


def stacked(m: Analysis, stack: Thunk, state: State, scope: Scope, node: ast.expr, block: Block) -> list[Outcome]:
    state.frames[_frame(stack)] = {"": Tuple(items=tuple(entered(stack, state)[0]))}
    with m.collecting() as raised:
        outcomes = block(stack, state)
    left: list[Outcome] = []
    for outcome in outcomes:
        ends = close(m, stack, outcome.state, scope, node)
        left += [Outcome(outcome.kind, end, outcome.value) for end in ends if not _swallowed(stack, end)]
        left += [Outcome("next", end) for end in ends if _swallowed(stack, end)]
    for one in raised:
        left += [Outcome("next", end) for end in _left(m, stack, one, scope, node)]
    return left


def _frame(stack: Thunk) -> str:
    return f"stack {stack.number}"


def entered(stack: Thunk, state: State) -> tuple[list[Value], bool]:
    """What has been entered on this path, in order; not certain where paths that entered different things were joined."""
    held = state.frame(_frame(stack)).get("", Tuple())
    if isinstance(held, Tuple):
        return list(held.items), True
    options = held.options if isinstance(held, Union) else ()
    return list(dict.fromkeys(item for option in options if isinstance(option, Tuple) for item in option.items)), False


def push(stack: Value, manager: Value, state: State) -> None:
    if isinstance(stack, Thunk):
        items, _ = entered(stack, state)
        state.frames[_frame(stack)] = {"": Tuple(items=(*items, manager))}


def move(stack: Thunk, other: Thunk, state: State) -> None:
    state.frames[_frame(other)] = state.frame(_frame(stack))
    state.frames[_frame(stack)] = {"": Tuple()}


def close(m: Analysis, stack: Thunk, state: State, scope: Scope, node: ast.AST) -> list[State]:
    """Everything that was entered is left, with no exception at first."""
    return _left(m, stack, state, scope, node)


SWALLOWED = "swallowed"


def _swallowed(stack: Thunk, state: State) -> bool:
    """Whether something that was raised while the stack was left has been swallowed: the block's `return` is void then."""
    return SWALLOWED in state.frame(_frame(stack))


def _left(m: Analysis, stack: Thunk, way: Way, scope: Scope, node: ast.AST) -> list[State]:
    """Each manager is left in turn, with what those above it raised or let pass; where it is not certain what was entered, it
    may not have been."""
    state = way if isinstance(way, State) else way.state
    managers, certain = entered(stack, state)
    ways: list[tuple[Way, bool]] = [(way, False)]
    for manager in reversed(managers):
        passed = [] if certain else [(_fork(one), late) for one, late in ways]
        ways = passed + [pair for one, late in ways for pair in _past(m, manager, one, late, scope, node)]
    ends: list[State] = []
    for one, late in ways:
        if isinstance(one, Raised):
            m.throw(one)
        else:
            one.frames[_frame(stack)] = {"": Tuple(), SWALLOWED: NONE} if late else {"": Tuple()}
            ends.append(one)
    return ends


def _fork(way: Way) -> Way:
    return way.fork() if isinstance(way, State) else replace(way, state=way.state.fork())


def _past(m: Analysis, manager: Value, way: Way, late: bool, scope: Scope, node: ast.AST) -> list[tuple[Way, bool]]:
    """How one manager is left, and whether something was swallowed on the way."""
    with m.collecting() as raised:
        if isinstance(way, Raised):
            ends = [(end, True) for end in _passing(m, manager, way, scope, node)]
        else:
            ends = [(end, late) for end in _closed(m, manager, way, scope, node)]
    return [*ends, *((one, late) for one in raised)]


def _closed(m: Analysis, manager: Value, state: State, scope: Scope, node: ast.AST) -> list[State]:
    match manager:
        case Thunk(kind="callback"):
            return _called_back(m, manager, state, scope, node)
        case Thunk(kind="context"):
            return resuming.resume(m, manager, state, None, scope, node)
        case Obj() if (name := _exit(manager)) is not None:
            nothing = Arguments((NONE, NONE, NONE))
            methods = m.attribute(manager, name, state, scope, node)
            return [end for method, ready in methods for _, end in _call(m, method, nothing, ready, scope, node)]
        case Thunk():
            return [state]
        case _:
            return [end for _, end in _call(m, manager, Arguments((NONE, NONE, NONE)), state, scope, node)]


def _exit(manager: Obj) -> str | None:
    return next((name for name in ("__exit__", "__aexit__") if manager.cls.lookup(name)), None)


def _called_back(m: Analysis, manager: Thunk, state: State, scope: Scope, node: ast.AST) -> list[State]:
    given = Arguments(manager.args, manager.keywords)
    return [end for _, end in _call(m, manager.function, given, state, scope, node)]


def _call(m: Analysis, function: Value, given: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """What is left asynchronously is awaited."""
    from pytest_invariants.flow.calls.thunks import await_value

    found: Results = []
    for value, end in m.call(function, given, state, scope, node):
        waits = isinstance(value, Thunk) and value.kind == "coroutine"
        found += await_value(m, value, end, scope, node) if waits else [(value, end)]
    return found


def _passing(m: Analysis, manager: Value, one: Raised, scope: Scope, node: ast.AST) -> list[State]:
    """The states in which the exception is over; what goes on is thrown."""
    from pytest_invariants.flow.machine.trying import catches

    match manager:
        case Thunk(kind="suppress"):
            takes = [catches(kind, one) for kind in manager.args]
            if True not in takes:
                m.throw(one)
            return [swallow(one)] if any(take is not False for take in takes) else []
        case Obj() if (name := _exit(manager)) is not None:
            return [outcome.state for outcome in leave(m, manager, name, one, scope, node)]
        case Thunk(kind="context"):
            return resuming.resume(m, manager, one.state, one, scope, node)
        case Thunk(kind="callback"):
            held = dict(one.state.outcomes)
            for end in _called_back(m, manager, swallow(one), scope, node):
                end.outcomes.update(held)
                m.throw(replace(one, state=end))
            return []
        case Thunk():
            m.throw(one)
            return []
        case _:
            return _asked(m, manager, one, scope, node)


def _asked(m: Analysis, function: Value, one: Raised, scope: Scope, node: ast.AST) -> list[State]:
    """A function that was pushed: a true answer ends the exception."""
    given = Arguments((kind_of(m, one), one.value or Sym(term=m.fresh("exception")), NONE))
    answers = _call(m, function, given, one.state, scope, node)
    return [ended for answer, end in answers for ended in answered(m, answer, end, one, scope, node)]
