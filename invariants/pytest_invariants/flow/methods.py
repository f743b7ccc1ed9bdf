"""Methods of builtin types: lists, sets, dictionaries, strings, and of values whose class is not known."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow import callbacks, containers, drawing, entrusted, fitting, implicit, lookups, stacks
from pytest_invariants.flow.comprehensions import keep
from pytest_invariants.flow.granting import deep_labels
from pytest_invariants.flow.machine import Arguments, Results
from pytest_invariants.flow.scope import Scope
from pytest_invariants.flow.state import Cell, State
from pytest_invariants.flow.terms import Applied
from pytest_invariants.flow.values import (
    ANY,
    BOOL,
    NO_LABELS,
    NONE,
    STR,
    Cond,
    Const,
    Dict,
    Method,
    Seq,
    Sym,
    Thunk,
    Tuple,
    Type,
    Union,
    Value,
    term_of,
    with_labels,
)

if TYPE_CHECKING:
    from pytest_invariants.flow.analysis import Analysis


Model = Callable[["Analysis", Value, Arguments, State, Scope, ast.AST], Results]


def call(m: Analysis, method: Method, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    receiver = method.receiver
    if isinstance(receiver, Dict):
        model = OF_DICTIONARIES.get(method.name)
    elif isinstance(receiver, Seq | Tuple):
        model = OF_SEQUENCES.get(method.name)
    elif isinstance(receiver, Thunk):
        model = OF_THUNKS.get(method.name)
    else:
        model = OF_STRINGS.get(method.name)
    given = fitting.fitted_to_method(m, receiver, method.name, arguments, state) if model is not None else None
    if model is not None and given is not None:
        return model(m, receiver, given, state, scope, node)
    made = computed(m, method.name, receiver, arguments, state)
    if method.name in ("format", "__mod__"):
        made = with_labels(made, implicit.as_text(m, list(arguments.every()), state, scope, node))
    if method.name in ("format", "format_map", "__mod__"):
        made = with_labels(made, entrusted.run(m, method, arguments.every(), state, scope, node, special=True))
    return [(made, state)]


def computed(m: Analysis, name: str, receiver: Value, arguments: Arguments, state: State, kind: Type = ANY) -> Value:
    parts = [_shown(m, part, state) for part in (receiver, *arguments.every())]
    labels = NO_LABELS.union(*(deep_labels(m, part, state, objects=True) for part in parts))
    if name in NUMBERS:
        labels, kind = NO_LABELS, BOOL
    elif name in TEXTS:
        kind = STR
    return Sym(labels, Applied(name, tuple(term_of(part) for part in parts)), kind)


def _shown(m: Analysis, value: Value, state: State) -> Value:
    from pytest_invariants.flow.thunks import LAZY, drained

    lazy = isinstance(value, Thunk) and (value.kind == "generator" or value.kind in LAZY)
    return drained(m, value, state) if isinstance(value, Thunk) and lazy else value


NUMBERS = frozenset({"count", "index", "find", "startswith", "endswith", "isdigit", "isalpha", "isidentifier", "__len__",
                     "issubset", "issuperset", "isdisjoint", "isspace", "isupper", "islower"})  # fmt: skip
TEXTS = frozenset({"strip", "lstrip", "rstrip", "lower", "upper", "casefold", "replace", "removeprefix", "removesuffix", "format",
                   "title", "capitalize", "ljust", "rjust", "center", "decode", "zfill", "expandtabs"})  # fmt: skip


def _add(m: Analysis, receiver: Value, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    assert isinstance(receiver, Seq | Tuple)
    if isinstance(receiver, Seq) and arguments.positional:
        containers.put_in(m, receiver.address, arguments.positional[-1], state)
    return [(NONE, state)]


def _extend(m: Analysis, receiver: Value, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    if isinstance(receiver, Seq):
        for more in arguments.positional:
            containers.extend(m, receiver.address, more, state)
        state.heap[receiver.address] = replace(state.cell(receiver.address), before=None)
    return [(NONE, state)]


def _clear(m: Analysis, receiver: Value, _arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    if isinstance(receiver, Seq | Dict):
        state.heap[receiver.address] = Cell(version=state.cell(receiver.address).version)
        state.forget(receiver.address)
    return [(NONE, state)]


def _unchanged(
    m: Analysis, receiver: Value, _arguments: Arguments, state: State, _scope: Scope, _node: ast.AST
) -> Results:
    if isinstance(receiver, Seq | Dict):
        state.forget(receiver.address)
        cell = containers.contents(m, receiver, state)
        state.heap[receiver.address] = replace(cell, source=None, whole=False, filled=False)
    return [(NONE, state)]


def _sort(m: Analysis, receiver: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    given = replace(arguments, positional=(receiver, *arguments.positional))
    callbacks.on_each(m, receiver, given, state, scope, node)
    return _unchanged(m, receiver, arguments, state, scope, node)


def _pop(m: Analysis, receiver: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    undone = _last_popped(receiver, arguments, state)
    if undone is not None:
        return undone
    results = drawing.iterate(m, receiver, state, scope, node)
    for _, after in results:
        if isinstance(receiver, Seq):
            containers.shortened(receiver, after)
    return results


def _last_popped(receiver: Value, arguments: Arguments, state: State) -> Results | None:
    """`pop()` after an `append` takes back what was appended."""
    cell = state.find(receiver.address) if isinstance(receiver, Seq) and not arguments.positional else None
    if cell is None or cell.before is None or not isinstance(receiver, Seq):
        return None
    last = next((t.value for t in cell.templates if t not in cell.before), None)
    if last is None:  # what was put in was there already
        return None
    state.forget(receiver.address)
    state.heap[receiver.address] = replace(
        cell, templates=cell.before, before=None, filled=False, source=None, whole=False
    )
    return [(last, state)]


def _copy(m: Analysis, receiver: Value, _arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    if isinstance(receiver, Dict):
        return [(containers.merged_dict(m, [receiver], state), state)]
    kind = receiver.kind if isinstance(receiver, Seq) else "list"
    return [(containers.copied(m, receiver, state, kind), state)]


def _joined(m: Analysis, receiver: Value, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    import ast as syntax

    left = receiver
    for more in arguments.positional:
        left = containers.concatenated(m, syntax.Add(), left, more, state)
    return [(left, state)]


def _narrowed(
    m: Analysis, receiver: Value, _arguments: Arguments, state: State, _scope: Scope, _node: ast.AST
) -> Results:
    kind = receiver.kind if isinstance(receiver, Seq) else "set"
    return [(containers.copied(m, receiver, state, kind, whole=False), state)]


def _contains(
    m: Analysis, receiver: Value, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST
) -> Results:
    return [(Cond(NO_LABELS, "in", (arguments.positional[0], receiver)), state)]


def _get(m: Analysis, receiver: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    key = arguments.positional[0] if arguments.positional else NONE
    default = arguments.positional[1] if len(arguments.positional) > 1 else arguments.named("default") or NONE
    return lookups.lookup(m, receiver, key, state, scope, node, default)


def _pop_key(m: Analysis, receiver: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    default = arguments.positional[1] if len(arguments.positional) > 1 else None
    return lookups.lookup(m, receiver, arguments.positional[0], state, scope, node, default)


def _get_item(m: Analysis, receiver: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    return lookups.lookup(m, receiver, arguments.positional[0], state, scope, node)


def _set_default(
    m: Analysis, receiver: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST
) -> Results:
    """What is there already (also from an earlier activation), or the default, which is stored."""
    assert isinstance(receiver, Dict)
    key = arguments.positional[0]
    default = arguments.positional[1] if len(arguments.positional) > 1 else NONE
    results = lookups.lookup(m, receiver, key, state.fork(), scope, node, None)
    stored = state.fork()
    containers.put_key(m, receiver.address, key, default, stored)
    return [*results, (default, stored)]


def _update(m: Analysis, receiver: Value, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    assert isinstance(receiver, Dict)
    for more in arguments.positional:
        containers.update(m, receiver, more, state)
    for name, value in arguments.keywords:
        containers.put_key(m, receiver.address, Const(value=name), value, state)
    return [(NONE, state)]


def view(m: Analysis, receiver: Dict, part: str, state: State) -> Seq:
    """`keys()`, `values()` or `items()`: the same view each time, until the dictionary changes."""
    address = Applied(part, (receiver.address,))
    if state.find(address) is None:
        templates = []
        for template in containers.contents(m, receiver, state).templates:
            key = template.key if template.key is not None else template.value
            value = {"keys": key, "values": template.value}.get(part) or Tuple(items=(key, template.value))
            templates.append(replace(template, value=value, key=None))
        state.heap[address] = Cell(tuple(templates))
    return Seq(receiver.labels, address)


def _view(part: str) -> Model:
    def model(m: Analysis, receiver: Value, _a: Arguments, state: State, _s: Scope, _n: ast.AST) -> Results:
        assert isinstance(receiver, Dict)
        return [(view(m, receiver, part, state), state)]

    return model


def _join_text(
    m: Analysis, receiver: Value, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST
) -> Results:
    return [(computed(m, "join", receiver, arguments, state, STR), state)]


def _split(m: Analysis, receiver: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    term = Applied("split", (term_of(receiver), *(term_of(v) for v in arguments.positional)))
    m.types.setdefault(term, Type("list", args=(STR,)))
    return [(Seq(receiver.labels, term), state)]


def _partition(
    m: Analysis, receiver: Value, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST
) -> Results:
    term = Applied("partition", (term_of(receiver), *(term_of(v) for v in arguments.positional)))
    parts = tuple(Sym(receiver.labels, Applied(part, (term,)), STR) for part in ("head", "separator", "tail"))
    return [(Tuple(items=parts), state)]


def _send(m: Analysis, receiver: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    held = m.sent
    m.sent = held.union(*(deep_labels(m, value, state, objects=True) for value in arguments.every()))
    try:
        results = drawing.iterate(m, receiver, state, scope, node)
        return [(with_labels(value, m.sent), after) for value, after in results]
    finally:
        m.sent = held


def _result(m: Analysis, receiver: Value, _arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """What a task came to: its coroutine has been run by then."""
    from pytest_invariants.flow.thunks import await_value

    return await_value(m, receiver, state, scope, node)


def _done(m: Analysis, receiver: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """A function that is called with the task once that is over."""
    function, *_ = arguments.positional
    with m.collecting():
        for _, after in m.call(function, Arguments((receiver,)), state.fork(), scope, node):
            keep(m, state, after)
    return [(NONE, state)]


def _close(m: Analysis, receiver: Value, _arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    return [(NONE, state)]


def _get_name(
    m: Analysis, receiver: Value, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST
) -> Results:
    return [(with_labels(Sym(term=m.fresh("task name"), type=STR), NO_LABELS), state)]


OF_SEQUENCES: dict[str, Model] = {
    "append": _add, "add": _add, "appendleft": _add, "insert": _add, "put_nowait": _add,
    "extend": _extend, "update": _extend, "extendleft": _extend, "__iadd__": _extend,
    "clear": _clear, "sort": _sort, "reverse": _unchanged, "remove": _unchanged, "discard": _unchanged,
    "pop": _pop, "popleft": _pop, "copy": _copy, "union": _joined, "difference": _narrowed, "intersection": _narrowed,
    "__contains__": _contains, "__getitem__": _get_item, "__next__": _pop,
}  # fmt: skip
OF_DICTIONARIES: dict[str, Model] = {
    "get": _get, "pop": _pop_key, "setdefault": _set_default, "update": _update, "keys": _view("keys"),
    "values": _view("values"), "items": _view("items"), "copy": _copy, "clear": _clear, "__getitem__": _get_item,
    "__contains__": _contains,
}  # fmt: skip
OF_STRINGS: dict[str, Model] = {
    "join": _join_text, "split": _split, "rsplit": _split, "splitlines": _split, "partition": _partition,
    "rpartition": _partition,
}  # fmt: skip


def _enter(m: Analysis, receiver: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    from pytest_invariants.flow.contexts import open_context

    stacks.push(receiver, arguments.positional[0], state)
    return open_context(m, arguments.positional[0], state, scope, node)


def _push(m: Analysis, receiver: Value, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    stacks.push(receiver, arguments.positional[0], state)
    return [(arguments.positional[0], state)]


def _callback(
    m: Analysis, _receiver: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST
) -> Results:
    """Runs when the stack is left, whatever happens before."""
    function, *rest = arguments.positional
    for _, after in m.call(function, replace(arguments, positional=tuple(rest)), state.fork(), scope, node):
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
    return [(Thunk(NO_LABELS, "task", m.number(state), receiver, (task,), (), scope.at(node)), state)]


OF_THUNKS: dict[str, Model] = {
    "push": _push, "push_async_exit": _push,
    "enter_context": _enter, "enter_async_context": _enter, "callback": _callback, "push_async_callback": _callback,
    "create_task": _later, "start_soon": _callback, "send": _send, "asend": _send, "__next__": _send, "__anext__": _send,
    "result": _result, "add_done_callback": _done, "close": _close, "aclose": _close, "get_name": _get_name,
}  # fmt: skip
