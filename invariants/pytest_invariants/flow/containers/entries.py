"""Entries of a mapping of which nothing is known but that it is there: what was put in on this path stands there afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import containers
from pytest_invariants.flow.domain.state import ENTRY, PERHAPS, State
from pytest_invariants.flow.domain.terms import Field, Term
from pytest_invariants.flow.domain.values import NONE, Const, Dict, Sym, Value, term_of, union
from pytest_invariants.flow.machine.machine import Arguments
from pytest_invariants.flow.seal.granting import deep_labels

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def _place(key: Value) -> str:
    return f"{ENTRY}{term_of(key)!r}]"


def put(m: Analysis, owner: Term, key: Value, value: Value, state: State, *, perhaps: bool = False) -> None:
    """`owner[key] = value`"""
    place = _place(key)
    m.entries[place] = key
    old = state.field(owner, place) if perhaps else None
    weak = perhaps and (old is None or (owner, place + PERHAPS) in state.fields)
    state.set_field(owner, place, value if old is None else union([old, value]))
    state.fields.pop((owner, place + PERHAPS), None)
    if weak:
        state.fields[owner, place + PERHAPS] = NONE
    state.fields[owner, ENTRY] = NONE


def found(m: Analysis, owner: Term, key: Value, state: State) -> tuple[list[Value], bool]:
    """What may have been put in under this key, and whether what was there before may still be."""
    if (owner, ENTRY) not in state.fields:
        return [], True
    place = _place(key)
    own = state.field(owner, place)
    others = [v for (address, name), v in state.fields.items() if address == owner and _may_be(m, name, place, key)]
    values = [*others, *([own] if own is not None else [])]
    return values, own is None or (owner, place + PERHAPS) in state.fields


def _may_be(m: Analysis, name: str, place: str, key: Value) -> bool:
    """Whether another key may be the same one."""
    other = m.entries.get(name) if name != place else None
    return other is not None and not (isinstance(other, Const) and isinstance(key, Const))


def by_method(m: Analysis, function: Term, arguments: Arguments, state: State) -> None:
    """`update` and `setdefault` of something of which it is not known whether it is a dictionary."""
    if not isinstance(function, Field) or m.past:
        return
    given = arguments.positional
    if function.name == "setdefault" and len(given) > 1:
        put(m, function.base, given[0], given[1], state, perhaps=True)
    elif function.name == "__setitem__" and len(given) > 1:
        put(m, function.base, given[0], given[1], state)
    elif function.name == "update":
        for name, value in arguments.keywords:
            put(m, function.base, Const(value=name), value, state)
        for more in (*given, *(v for v in (arguments.more, arguments.options) if v is not None)):
            _joined(m, function.base, more, state)


def _joined(m: Analysis, owner: Term, more: Value, state: State) -> None:
    known = containers.known_items(more, state) if isinstance(more, Dict) else None
    for name, value in known or ():
        put(m, owner, Const(value=name), value, state)
    if known is None:
        labels = deep_labels(m, more, state, objects=True)
        put(m, owner, Sym(term=m.fresh("key")), Sym(labels, m.fresh("put in")), state)
