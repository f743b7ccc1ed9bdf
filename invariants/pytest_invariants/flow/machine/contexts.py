"""Context managers: entering, the block, and leaving by a normal end or by an exception."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.calls import aside, resuming
from pytest_invariants.flow.domain import types
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State, doubt_of_all
from pytest_invariants.flow.domain.values import ANY, NONE, Class, Const, Func, Obj, Sym, Thunk, Tuple, Union, Value
from pytest_invariants.flow.machine.machine import Arguments, Outcome, Raised, kept_arguments
from pytest_invariants.flow.machine.merging import reduced
from pytest_invariants.flow.machine.raising import joined
from pytest_invariants.flow.seal.sealing import consult
from pytest_invariants.program.code import ClassInfo, own_nodes
from pytest_invariants.verdict import Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


Block = Callable[[Value, State], list[Outcome]]


def enter(m: Analysis, manager: Value, state: State, scope: Scope, node: ast.expr, block: Block) -> list[Outcome]:
    match manager:
        case Thunk(kind="context"):
            return _of_generator(m, manager, state, scope, node, block)
        case Thunk(kind="suppress"):
            return _suppressing(m, manager, state, scope, block)
        case Thunk(kind="exitstack"):
            from pytest_invariants.flow.library.stacks import stacked

            return stacked(m, manager, state, scope, node, block)
        case Thunk(kind="taskgroup"):
            return _of_tasks(m, manager, state, scope, node, block)
        case Thunk(kind="null"):
            return block(manager.args[0] if manager.args else NONE, state)
        case Obj() if manager.cls.lookup("__exit__") or manager.cls.lookup("__aexit__"):
            return _of_class(m, manager, state, scope, node, block)
        case _:
            return block(manager, state)


def waits_itself(manager: Value) -> bool:
    """Whether entering and leaving it asynchronously may wait in code that is not followed."""
    followed = isinstance(manager, Obj) or (
        isinstance(manager, Thunk) and manager.kind in ("context", "suppress", "null")
    )
    return not followed


def open_context(m: Analysis, manager: Value, state: State, scope: Scope, node: ast.AST) -> list[tuple[Value, State]]:
    """`enter_context`: enter now, leave whenever the stack does."""
    found: list[tuple[Value, State]] = []

    def block(value: Value, entered: State) -> list[Outcome]:
        found.append((value, entered))
        return []

    assert isinstance(node, ast.expr)
    enter(m, manager, state, scope, node, block)
    return found


def _of_generator(
    m: Analysis, manager: Thunk, state: State, scope: Scope, node: ast.expr, block: Block
) -> list[Outcome]:
    """A `@contextmanager` function: the block runs where the generator yields, inside the generator's own `try`."""
    state.pending = frozenset(p for p in state.pending if p[0] != manager.number)
    arguments = kept_arguments(manager)
    function = manager.function
    if isinstance(function, Func) and function.info in m.seal.functions:
        from pytest_invariants.flow.calls.binding import bind

        results = consult(m, function, bind(m, function, arguments, state), state, scope, node)
        return [o for value, entered in results for o in block(value, entered)]
    from pytest_invariants.flow.calls.calls import follow, inline

    if not isinstance(function, Func):
        return block(Sym(term=m.fresh("entered")), state)
    beside = bool(m.stack) and function.info not in m.stack and not m.matters(function, arguments, state)
    if beside and _is_long(m, function, state):
        return block(*aside.passed_around(m, function, arguments, state, scope, node))
    stash = f"with {m.number(state)}"

    def sink(value: Value, entered: State, inner: Scope) -> list[State]:
        held = m.yields.pop()
        resuming.remember(manager, entered, inner)
        try:
            outcomes = block(value, entered)
        finally:
            m.yields.append(held)
        for outcome in outcomes:
            outcome.state.frames[stash] = {"kind": Const(value=outcome.kind), "value": outcome.value or NONE}
        return [outcome.state for outcome in outcomes]

    with m.yielding(sink), m.closing(False):
        ends = follow(m, function, arguments, state) if beside else inline(m, function, arguments, state, scope, node)
    return [outcome for _, end in ends for outcome in _unstashed(end, stash)]


LONG = 12
"""Statements from which on a generator that can neither ask, grant nor end an exception is not followed around the block."""


def _is_long(m: Analysis, function: Func, state: State) -> bool:
    """Whether it is long, and says what it yields."""
    told = types.element_type(m.return_type(function, state)) != ANY
    return told and sum(isinstance(node, ast.stmt) for node in own_nodes(function.info.node)) > LONG


def _unstashed(state: State, stash: str) -> list[Outcome]:
    """How the block ended on this path; on paths that were joined it may have ended in several ways."""
    kept = state.frames.pop(stash, None)
    if kept is None:
        return [Outcome("next", state)]
    kinds = kept["kind"].options if isinstance(kept["kind"], Union) else (kept["kind"],)
    return [Outcome(str(kind.value), state.fork(), kept["value"]) for kind in kinds if isinstance(kind, Const)]


def _of_tasks(m: Analysis, manager: Thunk, state: State, scope: Scope, node: ast.expr, block: Block) -> list[Outcome]:
    """A group of tasks: leaving the block waits for all of them, and raises what they raise."""
    from pytest_invariants.flow.calls import meanwhile
    from pytest_invariants.flow.calls.thunks import task_done

    outcomes: list[Outcome] = []
    for outcome in block(manager, state):
        tasks = outcome.state.frames.pop(f"tasks {manager.number}", {}).get("", Tuple())
        ends = [outcome.state]
        for task in tasks.items if isinstance(tasks, Tuple) else ():
            for end in ends:
                meanwhile.over(task, end)
            ends = [after for before in ends for _, after in task_done(m, task, before, scope, node)]
        outcomes += [Outcome(outcome.kind, end, outcome.value) for end in ends]
    return outcomes


def _suppressing(m: Analysis, manager: Thunk, state: State, scope: Scope, block: Block) -> list[Outcome]:
    from pytest_invariants.flow.machine.trying import catches

    with m.collecting() as raised:
        outcomes = block(NONE, state)
    for one in raised:
        takes = [catches(kind, one) for kind in manager.args]
        if any(take is not False for take in takes):
            outcomes.append(Outcome("next", swallow(one)))
        if True not in takes:
            m.throw(one)
    return outcomes


def swallow(one: Raised) -> State:
    state = one.state.fork()
    if one.refusal:
        state.outcomes = {n: "swallowed" if o == "denied" else o for n, o in state.outcomes.items()}
    return state


def _of_class(m: Analysis, manager: Obj, state: State, scope: Scope, node: ast.expr, block: Block) -> list[Outcome]:
    asynchronous = not manager.cls.lookup("__exit__")
    names = ("__aenter__", "__aexit__") if asynchronous else ("__enter__", "__exit__")
    outcomes: list[Outcome] = []
    entries = _method(m, manager, names[0], Arguments(), state, scope, node)
    for value, entered in entries:
        with m.collecting() as raised, m.sharing(len(entries)):
            inner = block(value, entered)
        if m.pressed:
            inner, raised = _alike_ends(m, inner), joined(m, raised)
        for outcome in inner:
            for _, end in _method(m, manager, names[1], Arguments((NONE, NONE, NONE)), outcome.state, scope, node):
                outcomes.append(Outcome(outcome.kind, end, outcome.value))
        for one in raised:
            outcomes += leave(m, manager, names[1], one, scope, node)
    return outcomes


def _alike_ends(m: Analysis, outcomes: list[Outcome]) -> list[Outcome]:
    """The ways in which a block ended, those of one kind and value joined where there are many."""
    groups: dict[object, list[Outcome]] = {}
    for one in outcomes:
        groups.setdefault((one.kind, one.value), []).append(one)
    return [
        replace(group[0], state=state)
        for group in groups.values()
        for state in reduced(m, [one.state for one in group], m.path_limit)
    ]


def kind_of(m: Analysis, one: Raised) -> Value:
    """The class of an exception, where it was raised as one of just that class."""
    exact = isinstance(one.value, Class) or (isinstance(one.value, Obj) and one.value.exact)
    if exact and isinstance(one.cls, ClassInfo):
        return Class(info=one.cls)
    return Sym(term=m.fresh("exception class"))


def leave(m: Analysis, manager: Obj, name: str, one: Raised, scope: Scope, node: ast.AST) -> list[Outcome]:
    """`__exit__` sees the exception; a true answer ends it."""
    error, kind = one.value or Sym(term=m.fresh("exception")), kind_of(m, one)
    answers = _method(m, manager, name, Arguments((kind, error, NONE)), one.state, scope, node)
    ends = [ended for answer, end in answers for ended in answered(m, answer, end, one, scope, node)]
    return [Outcome("next", ended) for ended in ends]


def answered(m: Analysis, answer: Value, end: State, one: Raised, scope: Scope, node: ast.AST) -> list[State]:
    """A true answer ends the exception; what was raised at all is not known where nobody raised it on purpose."""
    ends = [swallow(replace(one, state=kept)) for kept in m.assume(answer, True, end.fork(), scope)]
    if one.value is None and not one.refusal and not isinstance(answer, Const):
        doubt = doubt_of_all(Reason.OPAQUE_CALLABLE, scope.at(node), "what is called here may raise this")
        for ended in ends:
            ended.doubts |= {doubt}
    for lost in m.assume(answer, False, end, scope):
        m.throw(replace(one, state=lost))
    return ends


def _method(
    m: Analysis, manager: Obj, name: str, arguments: Arguments, state: State, scope: Scope, node: ast.AST
) -> list[tuple[Value, State]]:
    from pytest_invariants.flow.calls.thunks import await_value

    found = []
    for method, ready in m.attribute(manager, name, state, scope, node):
        for value, after in m.call(method, arguments, ready, scope, node):
            found += await_value(m, value, after, scope, node) if name.startswith("__a") else [(value, after)]
    return found
