"""Methods of what runs later or around something: generators, tasks, groups of them, stacks of contexts."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.calls import meanwhile
from pytest_invariants.flow.calls.thunks import SENT, sent_before
from pytest_invariants.flow.containers import drawing
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State, doubt_of_all
from pytest_invariants.flow.domain.terms import Named
from pytest_invariants.flow.domain.values import (
    NO_LABELS,
    NONE,
    STR,
    Label,
    Sym,
    Thunk,
    Tuple,
    Union,
    Value,
    term_of,
    union,
    with_labels,
)
from pytest_invariants.flow.library import own_contexts, stacks
from pytest_invariants.flow.machine.comprehensions import keep
from pytest_invariants.flow.machine.machine import SITE, Arguments, Results
from pytest_invariants.verdict import Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def _send(m: Analysis, receiver: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """The generator goes on with what it is sent, now or before."""
    assert isinstance(receiver, Thunk)
    given = [v for v in (sent_before(receiver, state), *arguments.every()) if v is not None]
    if given:
        state.fields[Named(f"generator {receiver.number}"), SENT] = union(given)
    results = drawing.iterate(m, receiver, state.fork(), scope, node)
    return [*results, *_of_others(m, receiver, state, scope, node)]


def _of_others(m: Analysis, receiver: Thunk, state: State, scope: Scope, node: ast.AST) -> Results:
    """A generator that was made when the program was loaded may give what comes of something that another call has sent."""
    place, count = divmod(receiver.number, SITE)
    if m.past or m.world.made_at(place) <= count:
        return []
    state.doubts |= {doubt_of_all(Reason.OPAQUE_CALLABLE, scope.at(node), "what was sent to the generator before")}
    return [(Sym(term=m.fresh("from before")), state)]


def _throw(m: Analysis, receiver: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """An exception comes up at one of the generator's `yield`s; at which is not known."""
    held, m.thrown = m.thrown, True
    try:
        results = drawing.iterate(m, receiver, state, scope, node)
    finally:
        m.thrown = held
    return [(replace(value, labels=frozenset(_doubted(la) for la in value.labels)), after) for value, after in results]


def _doubted(label: Label) -> Label:
    known = label.cleared is not None or label.doubt is not None
    return label if known else replace(label, doubt=Reason.OPAQUE_CALLABLE)


def _result(m: Analysis, receiver: Value, _arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """What a task came to: its coroutine has been run by then."""
    from pytest_invariants.flow.calls.thunks import await_value

    return await_value(m, receiver, state, scope, node)


def _exception(
    m: Analysis, receiver: Value, _arguments: Arguments, state: State, scope: Scope, node: ast.AST
) -> Results:
    """What a task raised, or None: what it raises is not raised here."""
    from pytest_invariants.flow.calls.thunks import await_value
    from pytest_invariants.flow.domain.terms import NOTHING
    from pytest_invariants.flow.machine.contexts import swallow

    with m.collecting() as raised:
        results: Results = [(NONE, after) for _, after in await_value(m, receiver, state, scope, node)]
    for one in raised:
        after, error = swallow(one), one.value or Sym(term=m.fresh("exception"))
        after.known |= {("true", term_of(error), NOTHING): True, ("is", term_of(error), NOTHING): False}
        results.append((error, after))
    return results


def _done(m: Analysis, receiver: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """A function that is called with the task once that is over."""
    function, *_ = arguments.positional
    with m.collecting():
        for _, after in m.call(function, Arguments((receiver,)), state.fork(), scope, node):
            keep(m, state, after)
    return [(NONE, state)]


def _close(m: Analysis, receiver: Value, _arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    if not isinstance(receiver, Thunk) or receiver.kind != "exitstack":
        return [(NONE, state)]
    return [(NONE, end) for end in stacks.close(m, receiver, state, scope, node)]


def _get_name(
    m: Analysis, receiver: Value, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST
) -> Results:
    return [(with_labels(Sym(term=m.fresh("task name"), type=STR), NO_LABELS), state)]


def _enter(m: Analysis, receiver: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    from pytest_invariants.flow.machine.contexts import open_context

    stacks.push(receiver, arguments.positional[0], state)
    return open_context(m, arguments.positional[0], state, scope, node)


def _push(m: Analysis, receiver: Value, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    stacks.push(receiver, arguments.positional[0], state)
    return [(arguments.positional[0], state)]


def _callback(m: Analysis, receiver: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """Runs when the stack is left, whatever happens before."""
    function, *rest = arguments.positional
    given = replace(arguments, positional=tuple(rest))
    if isinstance(receiver, Thunk) and receiver.kind == "exitstack" and arguments.more is None:
        call = Thunk(NO_LABELS, "callback", m.number(state), function, given.positional, given.keywords, scope.at(node))
        stacks.push(receiver, call, state)
        return [(function, state)]
    for _, after in m.call(function, given, state.fork(), scope, node):
        keep(m, state, after)
    return [(function, state)]


def _later(m: Analysis, receiver: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """A task of a group: it has run when the group is left."""
    assert isinstance(receiver, Thunk)
    task = arguments.positional[0]
    m.escape(task, state, scope, node, ())
    frame = f"tasks {receiver.number}"
    tasks = state.frame(frame).get("", Tuple())
    if isinstance(tasks, Union):
        tasks = max((t for t in tasks.options if isinstance(t, Tuple)), key=lambda t: len(t.items))
    assert isinstance(tasks, Tuple)
    state.frames[frame] = {"": Tuple(items=(*tasks.items, task))}
    own_contexts.copied(task, state)
    meanwhile.start(m, task, state)
    return [(Thunk(NO_LABELS, "task", m.number(state), receiver, (task,), (), scope.at(node)), state)]


def _pop_all(m: Analysis, receiver: Value, _arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """What was entered is left with the new stack, and not with this one."""
    assert isinstance(receiver, Thunk)
    moved = replace(receiver, number=m.number(state), at=scope.at(node))
    stacks.move(receiver, moved, state)
    return [(moved, state)]


OF_THUNKS = {
    "pop_all": _pop_all,
    "push": _push, "push_async_exit": _push,
    "enter_context": _enter, "enter_async_context": _enter, "callback": _callback, "push_async_callback": _callback,
    "create_task": _later, "start_soon": _callback, "send": _send, "asend": _send,
    "throw": _throw, "athrow": _throw, "__next__": _send, "__anext__": _send,
    "result": _result, "exception": _exception, "add_done_callback": _done, "close": _close, "aclose": _close, "get_name": _get_name,
}  # fmt: skip
