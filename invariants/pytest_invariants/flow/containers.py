"""Collections: what is in them, drawing elements, looking up keys, putting things in."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.machine import Arguments, Raised, Results
from pytest_invariants.flow.mapping import Renaming, age
from pytest_invariants.flow.relevance import known_of
from pytest_invariants.flow.scope import Scope
from pytest_invariants.flow.state import Cell, Related, State, Template, lives_on
from pytest_invariants.flow.terms import Applied, Element, Field, Index, Mapper, Term, contains, is_identity, rewrite
from pytest_invariants.flow.types import element_type, shape, type_of_constant, value_type
from pytest_invariants.flow.values import (
    ANY,
    NO_LABELS,
    STR,
    Bound,
    Class,
    Const,
    Dict,
    Foreign,
    Func,
    Labels,
    Member,
    Obj,
    Seq,
    Sym,
    Thunk,
    Tuple,
    Value,
    term_of,
    with_labels,
)

if TYPE_CHECKING:
    from pytest_invariants.flow.analysis import Analysis


EMPTY = Cell()
CONSTANT_LIMIT = 4
"""Constants of a display that are told apart; more of them are one unknown constant."""


def contents(m: Analysis, value: Value, state: State) -> Cell:
    """What a collection holds; a symbolic one holds one element that stands for all."""
    assert isinstance(value, Seq | Dict)
    found = state.find(value.address)
    if found is None:
        found = symbolic(m, value)
        state.heap[value.address] = found
    return found


def symbolic(m: Analysis, value: Seq | Dict) -> Cell:
    declared = m.types.get(value.address, ANY)
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
    exact = (
        kind != "set"
        and kind != "iterator"
        and 0 < len(items) == len(cell.templates) <= UNROLLED
        and not any(star for _, star in items)
    )
    state.heap[new.address] = replace(cell, exact=exact)
    return new


UNROLLED = 6
"""Elements of a display that a loop takes one by one."""


def unrolled(value: Value, state: State) -> tuple[Value, ...] | None:
    """The elements of a small display in order, where all are known."""
    if isinstance(value, Tuple) and len(value.items) <= UNROLLED:
        return tuple(with_labels(item, value.labels) for item in value.items)
    if isinstance(value, Seq):
        cell = state.find(value.address)
        if cell is not None and cell.exact:
            return tuple(with_labels(t.value, value.labels) for t in cell.templates)
    return None


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
    state.add(address, Template(anonymous(m, address, value), known_of(value, state.facts)))
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
    if some is not value and isinstance(some, Obj):
        key = Sym(term=Field(some.address, "name"), type=STR)
    state.put(address, Template(some, state.facts, key))


def put_key(m: Analysis, address: Term, key: Value, value: Value, state: State) -> None:
    state.put(address, Template(value, known_of(Tuple(items=(key, value)), state.facts), key))
    m.persist(address, f"key {term_of(key)!r}", value, state, key)


def extend(m: Analysis, address: Term, more: Value, state: State) -> None:
    """Add all elements of `more`, each with what is known of it."""
    was_filled = state.cell(address).filled
    for template in elements_of(m, more, state):
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
            return tuple(replace(t, value=with_labels(t.value, _of_element(value, t.value))) for t in cell.templates)
        case Dict():
            return tuple(Template(t.key or t.value, t.facts) for t in contents(m, value, state).templates)
        case Thunk():
            from pytest_invariants.flow.thunks import drained

            return elements_of(m, drained(m, value, state), state)
        case Sym():
            element = shape(m, Element(0, value.term), element_type(value.type))
            return (Template(with_labels(element, value.labels)),)
        case _:
            return (Template(Sym(value.labels, Element(0, term_of(value)))),)


def _of_element(value: Seq, element: Value) -> Labels:
    """What an element carries of its collection: asking about the element is as good as asking about the whole."""
    return frozenset(replace(la, also=term_of(element)) if la.also == value.address else la for la in value.labels)


def copied(m: Analysis, value: Value, state: State, kind: str, whole: bool = True) -> Value:
    """A new collection with the same elements; `whole` where it keeps all of them."""
    new = Seq(address=m.allocate(state), kind=kind)
    source = value.address if isinstance(value, Seq | Dict) else term_of(value) if isinstance(value, Sym) else None
    exact = isinstance(value, Seq) and state.cell(value.address).exact and kind == "list"
    state.heap[new.address] = Cell(
        elements_of(m, value, state), source=source, whole=whole and source is not None, exact=exact
    )
    return new


def sliced(m: Analysis, value: Value, state: State) -> Value:
    if isinstance(value, Seq | Tuple):
        return copied(m, value, state, "list", whole=False)
    if isinstance(value, Sym):
        return Sym(value.labels, Applied("slice", (value.term,)), value.type)
    return Sym(value.labels, Applied("slice", (term_of(value),)), STR if isinstance(value, Const) else ANY)


def concatenated(m: Analysis, op: ast.operator, left: Value, right: Value, state: State) -> Value:
    kind = left.kind if isinstance(left, Seq) else "list"
    new = Seq(left.labels | right.labels, m.allocate(state), kind)
    state.heap[new.address] = EMPTY
    extend(m, new.address, left, state)
    if not isinstance(op, ast.Sub | ast.BitAnd | ast.Mult | ast.Mod):
        extend(m, new.address, right, state)
    return new


def merged_dict(m: Analysis, parts: list[Value], state: State) -> Dict:
    new = Dict(address=m.allocate(state))
    state.heap[new.address] = EMPTY
    for part in parts:
        update(m, new, part, state)
    return new


def update(m: Analysis, target: Dict, more: Value, state: State) -> None:
    if isinstance(more, Dict):
        for template in contents(m, more, state).templates:
            state.put(target.address, template)
            m.persist(target.address, f"key {template.key!r}", template.value, state, template.key)
        return
    for template in elements_of(m, more, state):
        inner = template.value
        key, value = inner.items if isinstance(inner, Tuple) and len(inner.items) == 2 else (inner, inner)
        state.put(target.address, Template(with_labels(value, more.labels), template.facts | state.facts, key))
        m.persist(target.address, f"key {key!r}", value, state, key)


def known_items(value: Value, state: State) -> tuple[tuple[str, Value], ...] | None:
    """The entries of a dictionary whose keys are all constant strings."""
    if not isinstance(value, Dict):
        return None
    pairs = []
    for template in state.cell(value.address).templates:
        if not isinstance(template.key, Const) or not isinstance(template.key.value, str):
            return None
        pairs.append((template.key.value, template.value))
    return tuple(pairs)


def iterate(m: Analysis, value: Value, state: State, scope: Scope, node: ast.AST) -> Results:
    """One path for each kind of element that a round may bring; what was drawn here before becomes older."""
    draw = m.draw(node, scope)
    if isinstance(node, ast.comprehension):
        m.generic.add(draw)
    match value:
        case Thunk():
            from pytest_invariants.flow.thunks import drained

            return iterate(m, drained(m, value, state), state, scope, node)
        case Obj() if value.cls.lookup("__aiter__") or value.cls.lookup("__iter__"):
            name = "__iter__" if value.cls.lookup("__iter__") else "__aiter__"
            return [
                pair
                for method, s in m.attribute(value, name, state, scope, node)
                for inner, after in m.call(method, Arguments(), s, scope, node)
                for pair in ([] if inner == value else iterate(m, inner, after, scope, node))
            ]
        case Class() if value.info.is_enum:
            return [
                (Member(cls=value.info, name=name), state.fork())
                for name, held in value.info.namespace.items()
                if isinstance(held, Member)
            ]
    aged, current = age(state, draw), value
    templates = elements_of(m, current, aged)
    results: Results = []
    for template in _bounded(m, templates, current):
        after = aged.fork()
        drawn = instantiate(m, template, draw)
        after.facts |= drawn.facts
        results.append((drawn.value, after))
    return results


def _bounded(m: Analysis, templates: tuple[Template, ...], value: Value) -> tuple[Template, ...]:
    constants = [t for t in templates if isinstance(t.value, Const)]
    if len(constants) <= CONSTANT_LIMIT:
        return templates
    some = Template(shape(m, Element(0, term_of(value)), type_of_constant(constants[0].value)))
    return (*(t for t in templates if not isinstance(t.value, Const)), some)


def instantiate(m: Analysis, template: Template, draw: int) -> Template:
    """The template with its elements named as drawn here and now.

    An element that stands for all (of a comprehension, of a collection that is not known) becomes one of them; an element that
    a loop has drawn, or that is being drawn, is what it is.
    """

    def drawn(term: Term) -> Term | None:
        if not isinstance(term, Element):
            return None
        current = term.age == 0 and term.draw in m.active
        return term if current or term.draw not in m.generic else Element(draw, term)

    return Renaming(drawn).template(template)


def lookup(
    m: Analysis, receiver: Value, key: Value, state: State, scope: Scope, node: ast.AST, default: Value | None = None
) -> Results:
    """`receiver[key]`, or `receiver.get(key, default)`; a missing key raises where there is no default."""
    results = _lookup(m, receiver, key, state, scope, node)
    if default is not None:
        results.append((default, state.fork()))
    elif m.may_catch and isinstance(receiver, Dict | Seq | Sym | Tuple):
        m.throw(Raised(state.fork(), "builtins.LookupError"))
    return results


def _lookup(m: Analysis, receiver: Value, key: Value, state: State, scope: Scope, node: ast.AST) -> Results:
    match receiver:
        case Tuple():
            items = receiver.items
            if isinstance(key, Const) and isinstance(key.value, int) and -len(items) <= key.value < len(items):
                items = (items[key.value],)
            return [(with_labels(item, receiver.labels), state.fork()) for item in items]
        case Dict() if receiver.address in m.factories:
            return _made(m, receiver, key, state, scope, node)
        case Dict():
            return _entries(m, receiver, key, state)
        case Seq():
            return _positions(m, receiver, key, state)
        case Obj():
            return _get_item(m, receiver, key, state, scope, node)
        case Class() | Foreign() | Func() | Bound():
            return [(receiver, state)]
        case Sym():
            held = value_type(receiver.type)
            term = Index(receiver.term, term_of(key), held.cls is not None)
            labels = m.relabel(receiver.labels, receiver.term, term_of(key))
            return [(with_labels(shape(m, term, held), labels), state)]
        case _:
            if m.is_verdict(receiver) and isinstance(key, Const):
                return [(m.verdict_part(receiver, key.value), state)]
            return [(Sym(receiver.labels | key.labels, Index(term_of(receiver), term_of(key))), state)]


def _get_item(m: Analysis, receiver: Obj, key: Value, state: State, scope: Scope, node: ast.AST) -> Results:
    if receiver.cls.lookup("__getitem__") is None:
        if receiver.cls.is_namedtuple and isinstance(key, Const) and isinstance(key.value, int):
            names = receiver.cls.field_names()
            return m.attribute(receiver, names[key.value], state, scope, node)
        return [(Sym(receiver.labels, Index(receiver.address, term_of(key))), state)]
    return [
        pair
        for method, after in m.attribute(receiver, "__getitem__", state, scope, node)
        for pair in m.call(method, Arguments((key,)), after, scope, node)
    ]


def _positions(m: Analysis, receiver: Seq, key: Value, state: State) -> Results:
    """An element by its number: the same number is the same element, and no other draw's."""

    cell = contents(m, receiver, state)
    if (
        cell.exact
        and isinstance(key, Const)
        and isinstance(key.value, int)
        and -len(cell.templates) <= key.value < len(cell.templates)
    ):
        chosen = cell.templates[key.value]
        return [(with_labels(chosen.value, receiver.labels), _with_facts(state, chosen))]
    place = origin(receiver.address, state)

    def numbered(term: Term) -> Term | None:
        if not isinstance(term, Element):
            return None
        if term.draw == 0 and term.base == place:
            return Index(place, term_of(key))
        if term.draw not in m.generic:
            return term
        return Applied(f"at {term.draw}", (rewrite(term.base, numbered), term_of(key), place))

    results: Results = []
    for template in contents(m, receiver, state).templates:
        after = state.fork()
        chosen = Renaming(numbered).template(template)
        after.facts |= chosen.facts
        results.append((with_labels(chosen.value, receiver.labels), after))
    return results


def origin(address: Term, state: State) -> Term:
    """The collection that this one is a copy of, in the same order and whole."""
    cell = state.find(address)
    while cell is not None and cell.whole and cell.source is not None:
        address = cell.source
        cell = state.find(address)
    return address


def _entries(m: Analysis, receiver: Dict, key: Value, state: State) -> Results:
    cell = contents(m, receiver, state)
    same = [t for t in cell.templates if t.key is not None and term_of(t.key) == term_of(key)]
    if same and not _vague(same[-1].key):
        return [(with_labels(same[-1].value, receiver.labels), _with_facts(state, same[-1]))]
    if isinstance(key, Const):
        candidates = [t for t in cell.templates if not isinstance(t.key, Const)]
    else:
        candidates = list(cell.templates)
    if candidates and all(isinstance(t.value, Const) and not t.value.labels for t in candidates):
        some = Index(receiver.address, term_of(key))
        return [(shape(m, some, type_of_constant(candidates[0].value)), state)]
    results = [_entry(m, receiver, template, key, state) for template in candidates]
    if not cell.templates and lives_on(receiver.address):
        held = value_type(m.types.get(receiver.address, ANY))
        results.append((shape(m, Index(receiver.address, term_of(key), held.cls is not None), held), state.fork()))
    return results


def _made(m: Analysis, receiver: Dict, key: Value, state: State, scope: Scope, node: ast.AST) -> Results:
    """A `defaultdict`: what is there, or a new value that is put there."""
    known = contents(m, receiver, state).templates
    if any(not isinstance(t.key, Const) or term_of(t.key) == term_of(key) for t in known):
        return _entries(m, receiver, key, state)
    results = _entries(m, receiver, key, state.fork()) if known and not isinstance(key, Const) else []
    for made, after in m.call(m.factories[receiver.address], Arguments(), state, scope, node):
        after.put(receiver.address, Template(made, after.facts, key))
        results.append((made, after))
    return results


def _vague(key: Value | None) -> bool:
    return key is None or contains(term_of(key), lambda t: isinstance(t, Element) and t.draw <= 0)


def _with_facts(state: State, template: Template) -> State:
    after = state.fork()
    after.facts |= template.facts
    return after


def _entry(m: Analysis, receiver: Dict, template: Template, key: Value, state: State) -> tuple[Value, State]:
    """The value that a general entry (`{skill.name: skill for ...}`) has for this key."""
    assert template.key is not None
    wanted, own = term_of(key), term_of(template.key)
    after = state.fork()
    if isinstance(template.key, Const):
        after.known["==", wanted, own] = True
        after.facts |= template.facts
        return with_labels(template.value, receiver.labels), after
    chosen = Renaming(_by_key(receiver.address, own, wanted)).template(template)
    after.facts |= chosen.facts
    return with_labels(chosen.value, receiver.labels), after


def _by_key(address: Term, own: Term, wanted: Term) -> Mapper:
    named = own.base if isinstance(own, Field) and isinstance(own.base, Element) else None

    def mapper(term: Term) -> Term | None:
        if term == own and isinstance(own, Element):
            return wanted
        if term == named:
            return Index(address, wanted, names=isinstance(own, Field) and is_identity(own.name))
        if isinstance(term, Element):
            return Index(Applied("entry", (address, term)), wanted)
        return None

    return mapper


def relate(state: State, left: Value, right: Value, member: bool = False) -> None:
    state.facts |= {Related(term_of(left), term_of(right), member)}


def joined_labels(templates: tuple[Template, ...]) -> Labels:
    return NO_LABELS.union(*(t.value.labels for t in templates))
