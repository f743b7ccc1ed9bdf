"""Exit stacks: what was entered is left when the stack is, from the last to the first, and may swallow what was raised."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.contexts import Block, leave, swallow
from pytest_invariants.flow.machine import Arguments, Outcome, Raised
from pytest_invariants.flow.scope import Scope
from pytest_invariants.flow.state import State
from pytest_invariants.flow.values import NONE, Func, Obj, Sym, Thunk, Tuple, Union, Value

if TYPE_CHECKING:
    from pytest_invariants.flow.analysis import Analysis


def stacked(m: Analysis, stack: Thunk, state: State, scope: Scope, node: ast.expr, block: Block) -> list[Outcome]:
    state.frames[_frame(stack)] = {"": Tuple(items=tuple(entered(stack, state)[0]))}
    with m.collecting() as raised:
        outcomes = block(stack, state)
    left: list[Outcome] = []
    for outcome in outcomes:
        ends = close(m, stack, outcome.state, scope, node)
        left += [Outcome(outcome.kind, end, outcome.value) for end in ends]
    for one in raised:
        managers, certain = entered(stack, one.state)
        left += _unwound(m, managers[::-1], certain, one, scope, node)
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
    """Everything that was entered is left, with no exception; where it is not certain what was, it may not have been."""
    managers, certain = entered(stack, state)
    ends = [state]
    for manager in reversed(managers):
        passed = [] if certain else [before.fork() for before in ends]
        ends = passed + [end for before in ends for end in _closed(m, manager, before, scope, node)]
    for end in ends:
        end.frames[_frame(stack)] = {"": Tuple()}
    return ends


def _closed(m: Analysis, manager: Value, state: State, scope: Scope, node: ast.AST) -> list[State]:
    if isinstance(manager, Thunk) and manager.kind == "callback":
        given = Arguments(manager.args, manager.keywords)
        return [end for _, end in m.call(manager.function, given, state, scope, node)]
    if isinstance(manager, Obj) and manager.cls.lookup("__exit__"):
        return [
            end
            for method, ready in m.attribute(manager, "__exit__", state, scope, node)
            for _, end in m.call(method, Arguments((NONE, NONE, NONE)), ready, scope, node)
        ]
    return [state]


def _unwound(
    m: Analysis, managers: list[Value], certain: bool, one: Raised, scope: Scope, node: ast.expr
) -> list[Outcome]:
    """The exception passes the managers from the last one to the first; what none of them takes goes on."""
    outcomes: list[Outcome] = []
    going = [one]
    for manager in managers:
        onward: list[Raised] = []
        for current in going:
            with m.collecting() as passed:
                outcomes += _passing(m, manager, current, scope, node)
            onward += passed if certain else [*passed, current]
        going = onward
    for current in going:
        m.throw(current)
    return outcomes


def _passing(m: Analysis, manager: Value, one: Raised, scope: Scope, node: ast.expr) -> list[Outcome]:
    from pytest_invariants.flow.trying import catches

    match manager:
        case Thunk(kind="suppress"):
            takes = [catches(kind, one) for kind in manager.args]
            if True not in takes:
                m.throw(one)
            return [Outcome("next", swallow(one))] if any(take is not False for take in takes) else []
        case Obj() if manager.cls.lookup("__exit__"):
            return leave(m, manager, "__exit__", one, scope, node)
        case Thunk(kind="context", function=Func() as function) if _handles(function):
            m.throw(one)
            return [Outcome("next", swallow(one))]
        case Thunk():
            m.throw(one)
            return []
        case _:
            return _asked(m, manager, one, scope, node)


def _handles(function: Func) -> bool:
    """Whether the generator of a context manager has a handler around its `yield`."""
    return any(isinstance(n, ast.Try | ast.TryStar) and n.handlers for n in ast.walk(function.info.node))


def _asked(m: Analysis, function: Value, one: Raised, scope: Scope, node: ast.expr) -> list[Outcome]:
    """A function that was pushed: a true answer ends the exception."""
    error = one.value or Sym(term=m.fresh("exception"))
    given = Arguments((Sym(term=m.fresh("exception class")), error, NONE))
    outcomes: list[Outcome] = []
    for answer, end in m.call(function, given, one.state, scope, node):
        for kept in m.assume(answer, True, end.fork(), scope):
            outcomes.append(Outcome("next", swallow(Raised(kept, one.cls, one.refusal, one.value))))
        for lost in m.assume(answer, False, end, scope):
            m.throw(Raised(lost, one.cls, one.refusal, one.value))
    return outcomes
