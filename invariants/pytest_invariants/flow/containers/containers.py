"""Collections: what is in them, drawing elements, looking up keys, putting things in."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.calls import hooked
from pytest_invariants.flow.containers import noting
from pytest_invariants.flow.domain import live
from pytest_invariants.flow.domain.limits import UNROLLED
from pytest_invariants.flow.domain.relevance import known_of
from pytest_invariants.flow.domain.state import Cell, State, Template, lives_on
from pytest_invariants.flow.domain.terms import Alloc, Applied, Element, Field, Index, Literal, Term
from pytest_invariants.flow.domain.types import element_type, shape, type_at, value_type
from pytest_invariants.flow.domain.values import (
    ANY,
    NO_LABELS,
    STR,
    Const,
    Dict,
    Labels,
    Obj,
    Seq,
    Sym,
    Thunk,
    Tuple,
    Value,
    term_of,
    union,
    with_labels,
)
from pytest_invariants.flow.seal.granting import settle_within

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


EMPTY = Cell()
CHAIN = "collections.ChainMap"
"""The function of a dictionary that shows what several ones hold."""
UNORDERED = "unordered"
"""The kind of a collection that holds what another one holds, in whatever order."""


def contents(m: Analysis, value: Value, state: State) -> Cell:
    """What a collection holds; a symbolic one holds one element that stands for all."""
    assert isinstance(value, Seq | Dict)
    live.refresh(m, value.address, state)
    found = state.find(value.address)
    if found is None and (viewed := _viewed(m, value.address, state)) is not None:
        return viewed
    if found is None or (not found.templates and found.closed and not m.past and _filled_elsewhere(value)):
        found = symbolic(m, value)
        state.heap[value.address] = found
    return found


def _viewed(m: Analysis, address: Term, state: State) -> Cell | None:
    """A view of a dictionary that has changed since shows what is in it now."""
    match address:
        case Applied("keys" | "values" | "items" as part, (owner,)) if state.find(owner) is not None:
            from pytest_invariants.flow.containers.methods import view

            return state.cell(view(m, Dict(address=owner), part, state).address)
        case _:
            return None


def written(address: Term) -> Term:
    """The dictionary that a key is set in: of several that are chained, the first."""
    return address.arguments[0] if isinstance(address, Applied) and address.function == CHAIN else address


def _filled_elsewhere(value: Seq | Dict) -> bool:
    """Empty when the program was loaded, or when its owner was made, and alive since: whoever runs it has put things in."""
    match value.address:
        case Alloc(_, past):
            return past
        case Applied("made", (owner, _)):
            return lives_on(owner)
        case _:
            return False


def symbolic(m: Analysis, value: Seq | Dict) -> Cell:
    declared = type_at(m, value.address)
    if isinstance(value, Seq):
        element = shape(m, Element(0, value.address), element_type(declared))
        return Cell((Template(element),), closed=False)
    key = shape(m, Element(0, Applied("keys", (value.address,))), element_type(declared))
    held = value_type(declared)
    return Cell(
        (Template(shape(m, Index(value.address, term_of(key), held.cls is not None), held), key=key),), closed=False
    )


def new_sequence(m: Analysis, items: list[tuple[Value, ast.expr | None]], state: State, kind: str = "list") -> Seq:
    """A display; an item with a node stands under `*` and brings its elements."""
    new = Seq(address=m.allocate(state), kind=kind)
    state.heap[new.address] = EMPTY
    for value, star in items:
        if star is None:
            put_in(m, new.address, value, state)
        else:
            extend(m, new.address, value, state)
    cell = state.cell(new.address)
    rows = tuple(
        t for value, _ in items for t in cell.templates if t.value == value
    )  # one that stands there twice, twice
    plain = kind != "set" and kind != "iterator" and not any(star for _, star in items)
    exact = plain and 0 < len(items) <= UNROLLED and len(items) in (len(cell.templates), len(rows))
    state.heap[new.address] = replace(
        cell, templates=rows if exact and len(rows) == len(items) else cell.templates, exact=exact
    )
    return new


def of_unknown(m: Analysis, state: State, kind: str) -> Seq:
    """A large display of constants: some constant stands for all."""
    new = Seq(address=m.allocate(state), kind=kind)
    state.heap[new.address] = Cell((Template(Sym(term=Element(0, new.address))),), filled=True)
    return new


def of_unknown_entries(m: Analysis, state: State) -> Dict:
    new = Dict(address=m.allocate(state))
    key = Sym(term=Element(0, Applied("keys", (new.address,))), type=STR)
    some = Sym(term=Index(new.address, key.term))
    state.heap[new.address] = Cell((Template(some, key=key),), filled=True)
    return new


def put_in(m: Analysis, address: Term, value: Value, state: State) -> None:
    settle_within(m, value, state)
    state.add(address, Template(anonymous(m, address, value), known_of(value, state.facts)))
    noting.noted(m, address, value, state)
    m.persist(address, "element", value, state)


def put_at(m: Analysis, address: Term, key: Value, value: Value, state: State) -> None:
    """Set an element by its number: of a list all of whose elements are known, that one is replaced."""
    cell = state.cell(address)
    rows = list(cell.templates)
    place = key.value if isinstance(key, Const) and type(key.value) is int else None
    if lives_on(address) or not cell.exact or place is None or not -len(rows) <= place < len(rows):
        put_in(m, address, value, state)
        state.forget(address)
        return
    settle_within(m, value, state)
    rows[place] = Template(value, known_of(value, state.facts))
    state.heap[address] = replace(cell, templates=tuple(rows), source=None, whole=False, before=None)
    state.forget(address)
    m.persist(address, "element", value, state)


def anonymous(m: Analysis, address: Term, value: Value) -> Value:
    """While modules run, the objects that carry capabilities are some objects: which ones there are is the deployment's affair."""
    if not (m.past and isinstance(value, Obj) and m.is_owner(value.cls)):
        return value
    some = Element(0, address)
    m.class_of[some] = value.cls
    return Obj(value.labels, some, value.cls)


def put_entry(m: Analysis, address: Term, key: Value, value: Value, state: State) -> None:
    """An entry of a dictionary display."""
    some = anonymous(m, address, value)
    if some is not value and isinstance(some, Obj) and not _named_otherwise(value, key):
        key = Sym(term=Field(some.address, "name"), type=STR)
    state.put(address, Template(some, state.facts, key))


def _named_otherwise(value: Value, key: Value) -> bool:
    """`{"a": store.get("b")}`: the key is no name of what stands under it."""
    term = term_of(value)
    return isinstance(term, Index) and isinstance(term.key, Literal) and term.key != term_of(key)


def known_in_full(new: Dict, entries: int, state: State) -> None:
    """A dictionary display with so many entries: small, and none of them in the place of another one."""
    cell = state.cell(new.address)
    if len(cell.templates) == entries and keys_differ(cell.templates):
        state.heap[new.address] = replace(cell, exact=True)


def keys_differ(entries: tuple[Template, ...]) -> bool:
    """Whether no entry of a small display takes the place of another one."""
    keys = [t.key.value for t in entries if isinstance(t.key, Const)]
    return 0 < len(entries) <= UNROLLED and (len(entries) == 1 or len(entries) == len(keys) == len({*keys}))


def put_key(m: Analysis, address: Term, key: Value, value: Value, state: State) -> None:
    address = written(address)
    known = known_of(Tuple(items=(key, value)), state.facts)
    draws, before = noting.untouched(address, state), state.find(address)
    state.put(address, Template(value, known, key), replaces=not m.past and not m.ambiguous(term_of(key)))
    noting.noted(m, address, key, state)
    noting.appended(m, address, value, draws, state, key)
    if m.past:
        hooked.entered(m, address, before, state)
    m.persist(address, f"key {term_of(key)!r}", value, state, key)


def extend(m: Analysis, address: Term, more: Value, state: State) -> None:
    """Add all elements of `more`, each with what is known of it."""
    extend_by(m, address, elements_of(m, more, state), state)


def extend_by(m: Analysis, address: Term, rows: tuple[Template, ...], state: State) -> None:
    was_filled = state.cell(address).filled
    for template in rows:
        state.add(address, replace(template, facts=template.facts | known_of(template.value, state.facts)))
        state.heap[address] = replace(state.cell(address), filled=was_filled)
        m.persist(address, "element", template.value, state)


def elements_of(m: Analysis, value: Value, state: State) -> tuple[Template, ...]:
    """The elements that iterating would give, without drawing one."""
    match value:
        case Tuple():
            return tuple(Template(with_labels(item, value.labels)) for item in value.items)
        case Seq():
            cell = contents(m, value, state)
            if cell.lazy and value.address in m.generators:
                from pytest_invariants.flow.machine.comprehensions import refresh

                refresh(m, value, state)
                cell = state.cell(value.address)
            return tuple(replace(t, value=with_labels(t.value, _of_element(value, t.value))) for t in cell.templates)
        case Dict():
            return tuple(Template(t.key or t.value, t.facts) for t in contents(m, value, state).templates)
        case Thunk():
            from pytest_invariants.flow.calls.thunks import drained

            return elements_of(m, drained(m, value, state), state)
        case Sym():
            element = shape(m, Element(0, value.term), element_type(value.type))
            kept = state.field(value.term, "<held>")
            return (Template(with_labels(element, value.labels | (kept.labels if kept is not None else NO_LABELS))),)
        case Obj() if value.cls.is_namedtuple:
            fields = m.fields_of(value, state)
            names = value.cls.field_names()
            return tuple(
                Template(with_labels(fields.get(n) or Sym(term=Field(value.address, n)), value.labels)) for n in names
            )
        case Obj():
            kept = state.field(value.address, "<held>")
            labels = value.labels | (kept.labels if kept is not None else NO_LABELS)
            return (Template(Sym(labels, Element(0, value.address))),)
        case _:
            return (Template(Sym(value.labels, Element(0, term_of(value)))),)


def _of_element(value: Seq, element: Value) -> Labels:
    """What an element carries of its collection: asking about the element is as good as asking about the whole."""
    return frozenset(replace(la, also=term_of(element)) if la.also == value.address else la for la in value.labels)


def copied(m: Analysis, value: Value, state: State, kind: str, whole: bool = True) -> Value:
    """A new collection with the same elements; `whole` where it keeps all of them."""
    from pytest_invariants.flow.calls.thunks import drained

    value = drained(m, value, state) if isinstance(value, Thunk) and value.kind == "map" else value
    whole = whole and getattr(value, "kind", "") != UNORDERED
    new = Seq(address=m.allocate(state), kind=kind)
    source = value.address if isinstance(value, Seq | Dict) else term_of(value) if isinstance(value, Sym) else None
    rows = elements_of(m, value, state)
    exact = isinstance(value, Seq) and state.cell(value.address).exact and kind in ("list", "tuple") and whole
    live.spent(value, state)
    state.heap[new.address] = Cell(rows, source=source, whole=whole and source is not None, exact=exact)
    if isinstance(value, Seq) and value.kind == "iterator" and value.address in m.filters:
        from pytest_invariants.flow.machine.comprehensions import picked

        picked(m, value, new.address, state)
    return new


def with_all(new: Value, old: Value, state: State) -> None:
    """The new collection has all elements of the old one, perhaps in another order."""
    if isinstance(new, Seq) and isinstance(old, Seq) and (cell := state.find(new.address)) is not None:
        state.heap[new.address] = replace(cell, same=original(old, state).address)


def original(value: Seq, state: State) -> Seq:
    """The collection that this one has all elements of, and no others."""
    cell = state.find(value.address)
    return replace(value, address=cell.same) if cell is not None and cell.same is not None else value


def sliced(m: Analysis, value: Value, state: State) -> Value:
    if isinstance(value, Seq | Tuple):
        return copied(m, value, state, "list", whole=False)
    if isinstance(value, Sym):
        return Sym(value.labels, Applied("slice", (value.term,)), value.type)
    return Sym(value.labels, Applied("slice", (term_of(value),)), STR if isinstance(value, Const) else ANY)


def concatenated(m: Analysis, op: ast.operator, left: Value, right: Value, state: State) -> Value:
    if isinstance(op, ast.Sub | ast.BitAnd) and isinstance(left, Seq):
        from pytest_invariants.flow.containers import sets

        return (sets.without if isinstance(op, ast.Sub) else sets.common)(m, left, right, state)
    kind = left.kind if isinstance(left, Seq) else "list"
    new = Seq(left.labels | right.labels, m.allocate(state), kind)
    state.heap[new.address] = EMPTY
    extend(m, new.address, left, state)
    if not isinstance(op, ast.Mult | ast.Mod):
        extend(m, new.address, right, state)
    return new


def merged_dict(m: Analysis, parts: list[Value], state: State) -> Dict:
    new = Dict(address=m.allocate(state))
    state.heap[new.address] = EMPTY
    for part in parts:
        update(m, new, part, state)
    return new


def update(m: Analysis, target: Dict, more: Value, state: State) -> None:
    target = replace(target, address=written(target.address))
    if isinstance(more, Dict):
        added = contents(m, more, state).templates
        state.drop(target.address, [t.key for t in added if isinstance(t.key, Const)])
        for template in added:
            state.put(target.address, template, replaces=False)
            m.persist(target.address, f"key {template.key!r}", template.value, state, template.key)
        return
    for template in elements_of(m, more, state):
        inner = template.value
        key, value = inner.items if isinstance(inner, Tuple) and len(inner.items) == 2 else (inner, inner)
        state.put(target.address, Template(with_labels(value, more.labels), template.facts | state.facts, key))
        m.persist(target.address, f"key {key!r}", value, state, key)


def chained(m: Analysis, parts: list[Dict], state: State) -> Dict:
    """Several dictionaries as one that shows what they hold, the first one before the others."""
    new = Dict(NO_LABELS.union(*(part.labels for part in parts)), Applied(CHAIN, tuple(p.address for p in parts)))
    live.drawn_later(m, new, parts, state, lambda later: later.cell(merged_dict(m, list(parts[::-1]), later).address))
    return new


def shortened(value: Seq | Dict, state: State) -> None:
    """Something has been taken out, at whatever place: what is left stands beside nothing that it stood beside."""
    state.heap[value.address] = replace(
        state.cell(value.address), source=None, whole=False, filled=False, exact=False, before=None
    )
    state.forget(value.address)


def inexact(address: Term, state: State) -> None:
    """Not every element is known any more."""
    cell = state.find(address)
    if cell is not None and (cell.exact or cell.whole or cell.filled):
        state.heap[address] = replace(cell, exact=False, source=None, whole=False, filled=False)
        state.note_change(address)


def known_items(value: Value, state: State) -> tuple[tuple[str, Value], ...] | None:
    """The entries of a dictionary of which all are known, and whose keys are constant strings."""
    cell = state.find(value.address) if isinstance(value, Dict) else None
    if cell is None or not cell.closed or cell.perhaps:
        return None
    held: dict[str, list[Value]] = {}
    for template in cell.templates:
        if not isinstance(template.key, Const) or not isinstance(template.key.value, str):
            return None
        held.setdefault(template.key.value, []).append(template.value)
    return tuple((key, union(values)) for key, values in held.items())


def gathered(m: Analysis, parts: list[Value], state: State, first: tuple[Value, ...] = ()) -> Value | None:
    """What several arguments of unknown length bring together, after those that are known; None where there are none."""
    if not parts and not first:
        return None
    if len(parts) == 1 and not first:
        return parts[0]
    if parts and all(isinstance(part, Dict) for part in parts):
        made: Seq | Dict = Dict(NO_LABELS.union(*(p.labels for p in parts)), m.allocate(state))
        templates = tuple(t for part in parts if isinstance(part, Dict) for t in contents(m, part, state).templates)
    else:
        made = Seq(NO_LABELS.union(*(p.labels for p in parts)), m.allocate(state), "tuple")
        templates = tuple(t for part in parts for t in elements_of(m, part, state))
    state.heap[made.address] = m.cell_of((*(Template(v) for v in first), *templates))
    return made
