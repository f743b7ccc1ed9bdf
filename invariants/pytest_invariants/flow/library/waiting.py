"""Models of what runs later or around something: tasks, threads, groups of them, and contexts of the standard library."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.calls import callbacks, meanwhile
from pytest_invariants.flow.containers import containers
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.terms import Field
from pytest_invariants.flow.domain.values import NO_LABELS, NONE, Const, Seq, Sym, Thunk, Tuple, Value
from pytest_invariants.flow.library import own_contexts
from pytest_invariants.flow.library.models import IDENTITY, Model
from pytest_invariants.flow.machine.machine import Arguments, Results
from pytest_invariants.flow.seal.granting import deep_labels

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def _run(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    from pytest_invariants.flow.calls.thunks import await_value

    value = arguments.positional[0]
    if isinstance(value, Thunk):
        return await_value(m, value, state, scope, node)
    results = m.call(value, replace(arguments, positional=arguments.positional[1:]), state, scope, node)
    return [pair for made, after in results for pair in await_value(m, made, after, scope, node)]


def _gather(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    from pytest_invariants.flow.containers.containers import gathered

    more = arguments.more
    for part in arguments.positional:
        own_contexts.copied(part, state)
    parts = arguments.positional if more is None else (gathered(m, [more], state, arguments.positional) or more,)
    return [(Thunk(NO_LABELS, "gather", m.number(state), IDENTITY, parts, arguments.keywords, scope.at(node)), state)]


def _task(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """A task runs some time: what it exercises is exercised, what it asks has not been answered."""
    value = arguments.positional[0]
    m.escape(value, state, scope, node, ())
    own_contexts.copied(value, state)
    meanwhile.start(m, value, state)
    return [(Thunk(NO_LABELS, "task", m.number(state), IDENTITY, (value,), (), scope.at(node)), state)]


def soon(m: Analysis, function: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> None:
    """A function or coroutine is handed to an event loop, which runs it when the path waits."""
    term = function.term if isinstance(function, Sym) else None
    if not isinstance(term, Field) or term.name not in SOON or arguments.more is not None:
        return
    first, *rest = arguments.positional[SOON[term.name] :] or (NONE,)
    if isinstance(first, Const):
        return
    given = (tuple(rest), arguments.keywords, scope.at(node), *open_ended(arguments))
    task = first if isinstance(first, Thunk) else Thunk(NO_LABELS, "callback", m.number(state), first, *given)
    own_contexts.copied(task, state)
    meanwhile.start(m, task, state)


SOON = {"create_task": 0, "call_soon": 0, "call_soon_threadsafe": 0, "call_later": 1, "call_at": 1}
"""Methods of event loops, and how many arguments stand before the function."""


def _waited(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    value = arguments.positional[0]
    own_contexts.copied(value, state)
    return [(Thunk(NO_LABELS, "task", m.number(state), IDENTITY, (value,), (), scope.at(node)), state)]


def _in_thread(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    function, *rest = arguments.positional
    given = (tuple(rest), arguments.keywords, scope.at(node), *open_ended(arguments))
    call = Thunk(NO_LABELS, "thread", m.number(state), function, *given)
    own_contexts.copied(call, state)
    return [(call, state)]


def open_ended(arguments: Arguments) -> tuple[Value | None, Value | None]:
    """The parts of unknown length."""
    return arguments.more, arguments.options


def _suppress(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    return [(Thunk(NO_LABELS, "suppress", m.number(state), IDENTITY, arguments.positional, (), scope.at(node)), state)]


def _stack(m: Analysis, _arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    return [(Thunk(NO_LABELS, "exitstack", m.number(state), IDENTITY, (), (), scope.at(node)), state)]


def _task_group(m: Analysis, _arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    return [(Thunk(NO_LABELS, "taskgroup", m.number(state), IDENTITY, (), (), scope.at(node)), state)]


def _null(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    return [(Thunk(NO_LABELS, "null", m.number(state), IDENTITY, arguments.positional, (), scope.at(node)), state)]


def _as_they_come(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    """`as_completed`: the same, in whatever order."""
    return [(_unordered(arguments.positional[0]), state)]


def _unordered(value: Value) -> Value:
    return replace(value, kind=containers.UNORDERED) if isinstance(value, Seq) else value


def _done_or_not(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    """`wait`: those that are done, and those that are not; any may be either where it does not wait for all."""
    given = arguments.positional[0]
    if len(arguments.positional) > 1 or arguments.keywords or arguments.options is not None:
        some = tuple(containers.copied(m, given, state, containers.UNORDERED, whole=False) for _ in range(2))
        return [(Tuple(items=some), state)]
    return [(Tuple(items=(_unordered(given),) * 2), state)]


def submitted(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """A function handed to a pool, or to a loop's executor: it runs now, and its result is asked for later."""
    function, *rest = arguments.positional
    labels = callbacks.run(m, arguments, state, scope, node)
    for value in arguments.every():
        labels |= deep_labels(m, value, state, objects=True)
        m.escape(value, state, scope, node, tuple(v for v in arguments.every() if v is not value))
    given = (tuple(rest), arguments.keywords, scope.at(node), *open_ended(arguments))
    call = Thunk(labels, "thread", m.number(state), function, *given)
    own_contexts.empty(call, state)
    return [(call, state)]


WAITING: dict[str, Model] = {
    "asyncio.as_completed": _as_they_come,
    "concurrent.futures.as_completed": _as_they_come,
    "asyncio.wait": _done_or_not,
    "concurrent.futures.wait": _done_or_not,
    "asyncio.run": _run,
    "asyncio.gather": _gather,
    "asyncio.create_task": _task,
    "asyncio.ensure_future": _task,
    "asyncio.wait_for": _waited,
    "asyncio.shield": _waited,
    "asyncio.to_thread": _in_thread,
    "anyio.run": _run,
    "anyio.to_thread.run_sync": _in_thread,
    "anyio.from_thread.run": _run,
    "asyncio.TaskGroup": _task_group,
    "anyio.create_task_group": _task_group,
    "contextlib.suppress": _suppress,
    "contextlib.ExitStack": _stack,
    "contextlib.AsyncExitStack": _stack,
    "contextlib.nullcontext": _null,
    "contextlib.closing": _null,
    "contextlib.aclosing": _null,
}
