"""Objects handed to code that is not followed, which may call their methods: what would get out then is in doubt.

Of a method that takes no arguments, or that a class has for the language to call, anybody may make use; one that takes some and that the
program itself never calls is there for somebody else to call. What such a method is given, and whether it is called at all, is not known.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from pytest_invariants.flow.calls.callbacks import NESTED
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import Open, State, Template
from pytest_invariants.flow.domain.terms import Field, Named
from pytest_invariants.flow.domain.values import (
    NO_LABELS,
    Bound,
    Descriptor,
    Dict,
    Func,
    Label,
    Labels,
    Obj,
    Seq,
    Sym,
    Thunk,
    Tuple,
    Value,
    term_of,
)
from pytest_invariants.flow.machine.machine import Arguments, Effects, Event
from pytest_invariants.flow.machine.reading import unsteady
from pytest_invariants.flow.seal.granting import deep_labels, settle
from pytest_invariants.program.code import FunctionInfo
from pytest_invariants.registry.model import Grant
from pytest_invariants.verdict import Place, Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

WHY = Reason.OPAQUE_CALLABLE
STEPS = 200
"""Steps that a method may take; what comes of a longer one is not known. It is run once for each state of the seal's answers."""
UNSEEN = frozenset({Label(-1, Named("what a method may give"), Place("", 1), doubt=Reason.TOO_MANY_TARGETS)})
MADE = frozenset(
    {"__init__", "__new__", "__post_init__", "__init_subclass__", "__class_getitem__", "__call__", "__set_name__"}
)
"""Special methods that nobody calls of an object that is there, and the one that is looked at where functions are."""


def run(
    m: Analysis,
    function: Value,
    given: tuple[Value, ...],
    state: State,
    scope: Scope,
    node: ast.AST,
    special: bool = False,
) -> Labels:
    """The labels of what the methods of these objects would give; what they would exercise unasked is noted. `special` restricts
    it to the methods that the language calls."""
    if m.past or m.making or m.coarse or len(m.stack) > NESTED or m.reach is None:
        return NO_LABELS
    labels = NO_LABELS
    objects = [*_objects(given, state), *([] if special else _receiver(m, function))]
    for value in dict.fromkeys(objects):
        for name, info in _methods(m, value, special):
            key = (value.cls, name, frozenset(fact for fact in state.facts if isinstance(fact, Open)))
            if key not in m.entrusted:
                m.entrusted[key] = UNSEEN
                found = m.attempt(STEPS, partial(_outcome, m, value, name, info, state, scope, node))
                m.entrusted[key] = UNSEEN if found is None else found
            labels |= m.entrusted[key]
    return labels


def labels_of(m: Analysis, value: Value, state: State) -> Labels:
    """What code that is not followed may get out of a value; an object that asks the seal itself need not give it."""
    labels = deep_labels(m, value, state, objects=True)
    return frozenset(_doubted(label) for label in labels) if labels and _asks_itself(m, value) else labels


def _asks_itself(m: Analysis, value: Value) -> bool:
    from pytest_invariants.flow.relevance.asking import asks

    functions = (
        [f for cls in value.cls.mro for f in cls.namespace.values() if isinstance(f, Func)]
        if isinstance(value, Obj)
        else []
    )
    return any(asks(m, function.info) for function in functions)


def _objects(given: tuple[Value, ...], state: State) -> Iterator[Obj]:
    for value in given:
        match value:
            case Obj():
                yield value
            case Tuple():
                yield from (item for item in value.items if isinstance(item, Obj))
            case Seq() | Dict():
                yield from (t.value for t in state.cell(value.address).templates if isinstance(t.value, Obj))


def _receiver(m: Analysis, function: Value) -> Iterator[Obj]:
    """The object whose method of a base in another package is called."""
    term = term_of(function)
    cls = m.class_of.get(term.base) if isinstance(term, Field) else None
    if isinstance(function, Sym) and isinstance(term, Field) and cls is not None and cls.foreign_bases():
        yield Obj(address=term.base, cls=cls)


def _methods(m: Analysis, value: Obj, special: bool) -> Iterator[tuple[str, FunctionInfo]]:
    assert m.reach is not None
    seen: set[str] = set()
    for name, held in [pair for cls in value.cls.mro for pair in cls.namespace.items()]:
        inner = held.function if isinstance(held, Descriptor) and held.kind in ("property", "cached") else held
        if name in seen or name in MADE or not isinstance(inner, Func) or inner.info in m.stack:
            continue
        seen.add(name)
        dunder = name.startswith("__") and name.endswith("__")
        if (dunder or (not special and _meant_for_others(m, inner.info))) and m.reach.matters(inner.info):
            yield name, inner.info


def _meant_for_others(m: Analysis, info: FunctionInfo) -> bool:
    assert m.reach is not None
    if m.reach.mentioned_by(info) == 0:
        return True
    return not info.name.startswith("_") and _required(info) == 0


def _required(info: FunctionInfo) -> int:
    spec = info.node.args
    return len(spec.posonlyargs) + len(spec.args) - len(spec.defaults) - info.takes_receiver


def _outcome(
    m: Analysis, value: Obj, name: str, info: FunctionInfo, state: State, scope: Scope, node: ast.AST
) -> Labels:
    """What calling one method would give and do, with everything in doubt that was not asked about."""
    held, m.effects = m.effects, Effects()
    labels = NO_LABELS
    try:
        with m.collecting():
            for method, ready in m.attribute(value, name, state.fork(), scope, node):
                unknown = Arguments(tuple(Sym(term=m.fresh(info.name)) for _ in range(_required(info))))
                made = m.call(method, unknown, ready, scope, node) if isinstance(method, Bound) else [(method, ready)]
                for given, after in made:
                    for result, end in _run_out(m, given, after, scope, node):
                        labels |= settle(m, deep_labels(m, result, end, objects=True), end.facts, end)
                        unsteady(state, end)
                        _keep(m, state, end)
    finally:
        done, m.effects = m.effects, held
    m.effects.events += [_in_doubt(m, event) for event in done.events]
    m.effects.asked = held.asked or done.asked
    m.effects.edges |= done.edges
    return frozenset(_doubted(label) for label in labels)


def _run_out(m: Analysis, value: Value, state: State, scope: Scope, node: ast.AST) -> list[tuple[Value, State]]:
    from pytest_invariants.flow.calls.thunks import LAZY, await_value, drained

    if not isinstance(value, Thunk):
        return [(value, state)]
    lazy = value.kind == "generator" or value.kind in LAZY
    return [(drained(m, value, state), state)] if lazy else await_value(m, value, state, scope, node)


def _in_doubt(m: Analysis, event: Event) -> Event:
    if event.by is not None or event.label.cleared is not None or m.grant_of(event.label) is not Grant.CALL:
        return event
    return replace(event, label=_doubted(event.label))


def _doubted(label: Label) -> Label:
    return label if label.cleared is not None or label.doubt is not None else replace(label, doubt=WHY)


def _keep(m: Analysis, outer: State, end: State) -> None:
    """What the method may have put into collections and fields that were there before."""
    for address, cell in list(end.heap.items()):
        known = outer.find(address)
        if known is None or cell is None or cell is known:
            continue
        for new in [t for t in cell.templates if t not in known.templates]:
            outer.add(address, Template(_perhaps(m, new.value, end), new.facts, new.key))
    for (address, name), value in list(end.fields.items()):
        known_value = outer.field(address, name)
        if known_value is not None and known_value != value:
            outer.fields[address, name] = _perhaps(m, value, end, known_value)


def _perhaps(m: Analysis, value: Value, state: State, instead: Value | None = None) -> Value:
    """Something unknown, or what was there before, that may be this value: it carries what this one carries."""
    labels = frozenset(_doubted(la) for la in settle(m, deep_labels(m, value, state, objects=True), state.facts, state))
    some = Sym(labels, m.fresh("perhaps"), why=WHY)
    return replace(instead, labels=instead.labels | labels) if instead is not None else some


__all__ = ["run"]
