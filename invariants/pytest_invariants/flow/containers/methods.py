"""Methods of builtin types: lists, sets, dictionaries, strings, and of values whose class is not known."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.calls import callbacks, entrusted, hooked
from pytest_invariants.flow.calls.thunk_methods import OF_THUNKS
from pytest_invariants.flow.containers import changing, containers, drawing, lookups, noting, sets, strings
from pytest_invariants.flow.domain import live
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import Cell, State
from pytest_invariants.flow.domain.terms import Applied
from pytest_invariants.flow.domain.values import (
    ANY,
    BOOL,
    NO_LABELS,
    NONE,
    STR,
    Cond,
    Const,
    Dict,
    Method,
    Obj,
    Seq,
    Sym,
    Thunk,
    Tuple,
    Type,
    Value,
    term_of,
    with_labels,
)
from pytest_invariants.flow.library import context_vars, fitting
from pytest_invariants.flow.machine import counting, quantifying, removing
from pytest_invariants.flow.machine.machine import Arguments, Results
from pytest_invariants.flow.objects import implicit
from pytest_invariants.flow.seal.granting import deep_labels

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


Model = Callable[["Analysis", Value, Arguments, State, Scope, ast.AST], Results]


def call(m: Analysis, method: Method, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    receiver = method.receiver
    if isinstance(receiver, Sym) and receiver.type.name == context_vars.KIND:
        return context_vars.call(m, method.name, receiver, arguments, state, scope, node)
    if isinstance(receiver, Dict):
        model = OF_DICTIONARIES.get(method.name)
    elif isinstance(receiver, Seq | Tuple):
        model = OF_SEQUENCES.get(method.name)
    elif isinstance(receiver, Thunk):
        model = OF_THUNKS.get(method.name)
    else:
        model = strings.OF_STRINGS.get(method.name)
    given = fitting.fitted_to_method(m, receiver, method.name, arguments, state) if model is not None else None
    if model is not None and given is not None:
        return model(m, receiver, given, state, scope, node)
    if isinstance(receiver, Seq | Dict) and method.name not in changing.PURE:
        changing.changed(m, receiver, arguments.every(), state)
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
    from pytest_invariants.flow.calls.thunks import LAZY, drained

    lazy = isinstance(value, Thunk) and (value.kind == "generator" or value.kind in LAZY)
    return drained(m, value, state) if isinstance(value, Thunk) and lazy else value


NUMBERS = frozenset({"count", "index", "find", "startswith", "endswith", "isdigit", "isalpha", "isidentifier", "__len__",
                     "issubset", "issuperset", "isdisjoint", "isspace", "isupper", "islower"})  # fmt: skip
TEXTS = frozenset({"strip", "lstrip", "rstrip", "lower", "upper", "casefold", "replace", "removeprefix", "removesuffix", "format",
                   "title", "capitalize", "ljust", "rjust", "center", "decode", "zfill", "expandtabs"})  # fmt: skip


def _add(m: Analysis, receiver: Value, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    assert isinstance(receiver, Seq | Tuple)
    if isinstance(receiver, Seq) and arguments.positional:
        draws = noting.untouched(receiver.address, state) if receiver.kind == "set" else []
        containers.put_in(m, receiver.address, arguments.positional[-1], state)
        noting.appended(m, receiver.address, arguments.positional[-1], draws, state)
    return [(NONE, state)]


def _append(m: Analysis, receiver: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """It stands at the end. What modules append while they are loaded stands in that order: hooks, links, handlers."""
    before = state.cell(receiver.address) if isinstance(receiver, Seq) else None
    draws = noting.untouched(receiver.address, state) if isinstance(receiver, Seq) else []
    results = _add(m, receiver, arguments, state, scope, node)
    if isinstance(receiver, Seq) and before is not None and arguments.positional:
        noting.appended(m, receiver.address, arguments.positional[-1], draws, state)
        state.heap[receiver.address] = replace(state.cell(receiver.address), before=before.templates)
        if m.past:
            hooked.appended(m, receiver, before, state)
    return results


def _insert(m: Analysis, receiver: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """What modules put before everything else while they are loaded stands there."""
    before = state.cell(receiver.address) if isinstance(receiver, Seq) else None
    results = _add(m, receiver, arguments, state, scope, node)
    first = len(arguments.positional) == 2 and arguments.positional[0] == Const(value=0)
    if isinstance(receiver, Seq) and before is not None and m.past and first:
        hooked.inserted(m, receiver.address, before, state)
    return results


def _extend(m: Analysis, receiver: Value, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    if isinstance(receiver, Seq):
        for more in arguments.positional:
            containers.extend(m, receiver.address, more, state)
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
        state.heap[receiver.address] = replace(cell, source=None, whole=False, filled=False, exact=False, before=None)
    return [(NONE, state)]


def _reverse(m: Analysis, receiver: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    exact = isinstance(receiver, Seq) and containers.contents(m, receiver, state).exact
    results = _unchanged(m, receiver, arguments, state, scope, node)
    if exact and isinstance(receiver, Seq):
        cell = state.cell(receiver.address)
        state.heap[receiver.address] = replace(cell, templates=cell.templates[::-1], exact=True)
    return results


def _remove(m: Analysis, receiver: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """The first element that equals: where the elements are known in order, the others stay where they are."""
    cell = state.find(receiver.address) if isinstance(receiver, Seq) else None
    if cell is None or not cell.exact or not isinstance(receiver, Seq) or not arguments.positional:
        return _taken(m, receiver, arguments, state, scope, node)
    for place, template in enumerate(cell.templates):
        same = _equals(template.value, arguments.positional[0])
        if same is None:
            break
        if same:
            left = (*cell.templates[:place], *cell.templates[place + 1 :])
            state.forget(receiver.address)
            state.heap[receiver.address] = Cell(left, exact=True, version=state.cell(receiver.address).version)
            return [(NONE, state)]
    return _taken(m, receiver, arguments, state, scope, node)


def _taken(m: Analysis, receiver: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    results = _unchanged(m, receiver, arguments, state, scope, node)
    if isinstance(receiver, Seq) and arguments.positional:
        removing.took(receiver.address, arguments.positional[0], state)
    return results


def _equals(own: Value, other: Value) -> bool | None:
    """Whether two values are equal; None where it is not known."""
    if isinstance(own, Const) and isinstance(other, Const):
        return own.value == other.value
    if term_of(own) == term_of(other):
        return True
    plain = [one for one in (own, other) if isinstance(one, Const)]
    things = [one for one in (own, other) if isinstance(one, Obj) and not one.cls.lookup("__eq__")]
    return False if plain and things else None


def _pop_item(
    m: Analysis, receiver: Value, _arguments: Arguments, state: State, scope: Scope, node: ast.AST
) -> Results:
    """Some entry, as a pair; it is gone then."""
    assert isinstance(receiver, Dict)
    results = drawing.iterate(m, view(m, receiver, "items", state), state, scope, node)
    for _, after in results:
        containers.inexact(receiver.address, after)
        after.forget(receiver.address)
    return results


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
    at_end = arguments.positional in ((), (Const(value=-1),))
    cell = state.find(receiver.address) if isinstance(receiver, Seq) and at_end else None
    last = lookups.last_appended(cell) if cell is not None else None
    if cell is None or cell.before is None or last is None or not isinstance(receiver, Seq):
        return None
    state.forget(receiver.address)
    state.heap[receiver.address] = replace(
        cell, templates=cell.before, before=None, filled=False, source=None, whole=False
    )
    return [(last.value, state)]


def _take(m: Analysis, receiver: Value, _arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """The first one, or whichever an iterator gives next."""
    return _pop(m, receiver, Arguments((Const(value=0),)), state, scope, node)


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


def _narrowed(combined: Callable[[Analysis, Value, Value, State], Value]) -> Model:
    def model(
        m: Analysis, receiver: Value, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST
    ) -> Results:
        left = receiver if arguments.positional else combined(m, receiver, Tuple(), state)
        for more in arguments.positional:
            left = combined(m, left, more, state)
        return [(left, state)]

    return model


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
    results = lookups.lookup(m, receiver, arguments.positional[0], state, scope, node, default)
    if isinstance(receiver, Dict):
        for _, after in results:
            containers.inexact(receiver.address, after)
            removing.took(receiver.address, arguments.positional[0], after)
    return results


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
    shown = Seq(receiver.labels, Applied(part, (receiver.address,)))
    live.refresh(m, shown.address, state)
    if state.find(shown.address) is None:
        live.drawn_later(m, shown, [receiver], state, lambda later: _entries(m, receiver, part, later))
    return shown


def _entries(m: Analysis, receiver: Dict, part: str, state: State) -> Cell:
    templates = []
    for template in containers.contents(m, receiver, state).templates:
        key = template.key if template.key is not None else template.value
        value = {"keys": key, "values": template.value}.get(part) or Tuple(items=(key, template.value))
        templates.append(replace(template, value=value, key=None))
    cell = state.cell(receiver.address)
    return Cell(tuple(templates), cell.source, cell.whole, exact=cell.exact)


def _view(part: str) -> Model:
    def model(m: Analysis, receiver: Value, _a: Arguments, state: State, _s: Scope, _n: ast.AST) -> Results:
        assert isinstance(receiver, Dict)
        return [(view(m, receiver, part, state), state)]

    return model


def _itself(model: Model) -> Model:
    """`x.__iadd__(y)` gives `x`."""

    def changed(
        m: Analysis, receiver: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST
    ) -> Results:
        return [(receiver, after) for _, after in model(m, receiver, arguments, state, scope, node)]

    return changed


def _count(m: Analysis, receiver: Value, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    """How often something is in it: of a truth among answers, whether any of them is that."""
    made = computed(m, "count", receiver, arguments, state)
    told = quantifying.among_all(m, arguments.positional[0], receiver, state) if arguments.positional else None
    if told is not None:
        counting.noted(m, term_of(made), told, state)
    return [(made, state)]


OF_SEQUENCES: dict[str, Model] = {
    "append": _append, "add": _add, "appendleft": _add, "insert": _insert, "put_nowait": _add,
    "extend": _extend, "update": _extend, "extendleft": _extend, "__iadd__": _itself(_extend), "__ior__": _itself(_extend),
    "symmetric_difference_update": _extend, "clear": _clear, "sort": _sort, "reverse": _reverse, "remove": _remove,
    "discard": _remove, "rotate": _unchanged, "difference_update": _unchanged, "intersection_update": _unchanged,
    "__delitem__": _unchanged, "__setitem__": changing.set_item,
    "pop": _pop, "popleft": _take, "copy": _copy, "union": _joined,
    "difference": _narrowed(sets.without), "intersection": _narrowed(sets.common),
    "count": _count, "symmetric_difference": _joined, "__contains__": _contains, "__getitem__": _get_item, "__next__": _take,
}  # fmt: skip
OF_DICTIONARIES: dict[str, Model] = {
    "get": _get, "pop": _pop_key, "setdefault": _set_default, "update": _update, "__ior__": _itself(_update), "keys": _view("keys"),
    "values": _view("values"), "items": _view("items"), "copy": _copy, "clear": _clear, "__getitem__": _get_item,
    "__contains__": _contains, "__setitem__": changing.set_item, "move_to_end": _unchanged, "popitem": _pop_item,
}  # fmt: skip
