"""Looking things up: by key, by number, through `__getitem__`."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import entries, holding, keeping, keyed, noting, tallies
from pytest_invariants.flow.containers.containers import contents
from pytest_invariants.flow.domain.mapping import Renaming
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import Cell, State, Template, lives_on
from pytest_invariants.flow.domain.terms import (
    Applied,
    Element,
    Index,
    Mapper,
    Term,
    contains,
    rewrite,
)
from pytest_invariants.flow.domain.types import shape, type_at, type_of_constant, value_type
from pytest_invariants.flow.domain.values import (
    Bound,
    Class,
    Cond,
    Const,
    Descriptor,
    Dict,
    Foreign,
    Func,
    Member,
    Module,
    Obj,
    Seq,
    Sym,
    Tuple,
    Value,
    Verdict,
    term_of,
    with_labels,
)
from pytest_invariants.flow.machine.machine import Arguments, Raised, Results
from pytest_invariants.flow.machine.reading import read_again
from pytest_invariants.flow.objects import implicit, namespaces
from pytest_invariants.registry.model import VerdictKind

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def lookup(
    m: Analysis, receiver: Value, key: Value, state: State, scope: Scope, node: ast.AST, default: Value | None = None
) -> Results:
    """`receiver[key]`, or `receiver.get(key, default)`; a missing key raises where there is no default."""
    if default is not None and isinstance(receiver, Dict) and receiver.address in m.factories:
        results = _entries(m, receiver, key, state)  # a factory makes what a subscript misses, and nothing else
    else:
        results = _lookup(m, receiver, key, state, scope, node)
    if default is not None:
        if not keeping.always_there(m, receiver, key, state):
            results.append((default, _without(receiver, key, state)))
        if isinstance(receiver, Dict | Sym):
            results = read_again(m, (term_of(receiver), Applied("get", (term_of(key),))), results)
    elif m.may_catch and isinstance(receiver, Dict | Seq | Sym | Tuple):
        m.throw(Raised(_without(receiver, key, state), "builtins.LookupError"))
    return results


def _without(receiver: Value, key: Value, state: State) -> State:
    """A path on which the key is not there."""
    after = state.fork()
    if isinstance(receiver, Dict):
        noting.absent(receiver.address, term_of(key), after)
    return after


def by_truth(m: Analysis, receiver: Value, key: Value, state: State, scope: Scope) -> Results:
    """A test as a key is a branch: `(a, b)[test]`, `rows[test]`."""
    boolean = isinstance(key, Cond) or (isinstance(key, Verdict) and m.seal.boolean and m.seal.kind in TRUTHS)
    if not boolean or not isinstance(receiver, Tuple | Seq | Dict):
        return [(key, state)]
    return [
        (Const(value=truth), after) for truth in (True, False) for after in m.assume(key, truth, state.fork(), scope)
    ]


TRUTHS = (VerdictKind.SEALED, VerdictKind.ALLOWED)


def _lookup(m: Analysis, receiver: Value, key: Value, state: State, scope: Scope, node: ast.AST) -> Results:
    match receiver:
        case Tuple():
            items = receiver.items
            if isinstance(key, Const) and isinstance(key.value, int) and -len(items) <= key.value < len(items):
                items = (items[key.value],)
            return [(with_labels(item, receiver.labels), state.fork()) for item in items]
        case Dict() if receiver.address in m.factories:
            return _made(m, receiver, key, state, scope, node)
        case Dict() if receiver.address in m.counters:
            if (often := tallies.how_often(m, receiver, key, state)) is not None:
                return [(often, state)]
            found = _entries(m, receiver, key, state.fork())
            there = any(t.key is not None and _equal(t.key, key) for t in contents(m, receiver, state).templates)
            return found if there else [*found, (Const(value=0), state)]
        case Dict() if isinstance(key, Verdict | Cond):
            return _by_truth(m, receiver, key, state, scope)
        case Dict():
            return read_again(m, (receiver.address, term_of(key)), _entries(m, receiver, key, state))
        case Seq():
            return read_again(m, (receiver.address, term_of(key)), _positions(m, receiver, key, state))
        case Obj():
            return _get_item(m, receiver, key, state, scope, node)
        case Foreign(path="sys.modules") if isinstance(key, Const) and m.load(str(key.value)):
            return [(Module(name=str(key.value)), state)]
        case Class():
            return _of_class(m, receiver, key, state, scope, node)
        case Foreign() | Func() | Bound():
            return [(receiver, state)]
        case Sym() if receiver.term in m.namespaces:
            return namespaces.read(m, m.namespaces[receiver.term], key, state, scope, node)
        case Sym():
            put, as_before = entries.found(m, receiver.term, key, state)
            if put:
                before = _unknown(m, receiver, key, state) if as_before else []
                found = [*((value, state.fork()) for value in put), *before]
                return read_again(m, (receiver.term, term_of(key)), found)
            return _unknown(m, receiver, key, state)
        case _:
            if m.is_verdict(receiver) and isinstance(key, Const):
                return [(m.verdict_part(receiver, key.value), state)]
            return [(Sym(receiver.labels | key.labels, Index(term_of(receiver), term_of(key))), state)]


def _unknown(m: Analysis, receiver: Sym, key: Value, state: State) -> Results:
    held = value_type(receiver.type)
    term = Index(receiver.term, term_of(key), held.cls is not None)
    labels = m.relabel(receiver.labels, receiver.term, term_of(key)) | holding.held(state, receiver.term)
    item = shape(m, term, held)
    if receiver.abroad and isinstance(item, Sym):
        item = replace(item, abroad=True)
    return [(with_labels(item, labels), state)]


def _of_class(m: Analysis, receiver: Class, key: Value, state: State, scope: Scope, node: ast.AST) -> Results:
    """`Box[int]` is the class itself, unless the class or its metaclass says what it is."""
    made = implicit.of_metaclass(m, receiver, "__getitem__", Arguments((key,)), state, scope, node)
    own = receiver.info.lookup("__class_getitem__")
    if made is None and own is not None and not m.past:
        function = own[1].function if isinstance(own[1], Descriptor) else own[1]
        made = m.call(function, Arguments((receiver, key)), state, scope, node)
    return made if made is not None else [(receiver, state)]


def _get_item(m: Analysis, receiver: Obj, key: Value, state: State, scope: Scope, node: ast.AST) -> Results:
    if receiver.cls.lookup("__getitem__") is None:
        if receiver.cls.is_namedtuple and isinstance(key, Const) and isinstance(key.value, int):
            names = receiver.cls.field_names()
            return m.attribute(receiver, names[key.value], state, scope, node)
        labels = receiver.labels | holding.held(state, receiver.address)
        results: Results = [(Sym(labels, Index(receiver.address, term_of(key))), state)]
        if implicit.defines(receiver, "__missing__"):
            results += implicit.special(m, receiver, "__missing__", (key,), state.fork(), scope, node)
        return results
    return [
        pair
        for method, after in m.attribute(receiver, "__getitem__", state, scope, node)
        for pair in m.call(method, Arguments((key,)), after, scope, node)
    ]


NUMBER = "number of"
"""The number that `enumerate` gives an element, as a function of the element and of the collection."""


def _numbered(m: Analysis, receiver: Seq, key: Value, state: State) -> Results | None:
    """An element by the number that `enumerate` gave: it is what stands beside the element that was drawn with the number."""
    if not isinstance(key, Sym) or not isinstance(key.term, Applied) or key.term.function != NUMBER:
        return None
    element, place = key.term.arguments
    if origin(receiver.address, state) != place or not isinstance(element, Element):
        return None
    results: Results = []
    there = contents(m, receiver, state).templates if receiver.address == place else state.cell(place).templates
    elements = {template.value for template in there}
    for template in contents(m, receiver, state).templates:
        about = term_of(template.value) if template.value in elements else template.about
        if not isinstance(about, Element):
            return None
        chosen = Renaming(_to(about, element)).template(template)
        after = state.fork()
        after.facts |= chosen.facts
        results.append((with_labels(chosen.value, receiver.labels), after))
    return results or None


def _to(about: Term, element: Term) -> Mapper:
    return lambda term: element if term == about else None


def _positions(m: Analysis, receiver: Seq, key: Value, state: State) -> Results:
    """An element by its number: the same number is the same element, and no other draw's."""
    found = _numbered(m, receiver, key, state)
    if found is not None:
        return found
    cell = contents(m, receiver, state)
    if (
        cell.exact
        and isinstance(key, Const)
        and isinstance(key.value, int)
        and -len(cell.templates) <= key.value < len(cell.templates)
    ):
        chosen = cell.templates[key.value]
        return [(with_labels(chosen.value, receiver.labels), _with_facts(state, chosen))]
    if key == Const(value=-1) and (last := last_appended(cell)) is not None:
        return [(with_labels(last.value, receiver.labels), _with_facts(state, last))]
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
    others = state.find(place)
    bases = {term_of(t.value) for t in others.templates} if others is not None and place != receiver.address else set()
    for template in contents(m, receiver, state).templates:
        after = state.fork()
        chosen = Renaming(numbered).template(_as_there(template, bases))
        after.facts |= chosen.facts
        results.append((with_labels(chosen.value, receiver.labels), after))
    return results


def last_appended(cell: Cell) -> Template | None:
    """What was appended last, unless it was there already."""
    if cell.before is None:
        return None
    new = [template for template in cell.templates if template not in cell.before]
    return new[0] if len(new) == 1 else None


def _as_there(template: Template, bases: set[Term]) -> Template:
    """What was made from an element of another collection, told of that element as it stands there."""
    about = template.about
    if not isinstance(about, Element) or about.base not in bases:
        return template
    there = about.base
    return Renaming(lambda term: there if term == about else None).template(template)


def origin(address: Term, state: State) -> Term:
    """The collection that this one is a copy of, in the same order and whole."""
    cell = state.find(address)
    while cell is not None and cell.whole and cell.source is not None:
        address = cell.source
        cell = state.find(address)
    return address


def _entries(m: Analysis, receiver: Dict, key: Value, state: State) -> Results:
    cell = contents(m, receiver, state)
    same = [t for t in cell.templates if t.key is not None and _equal(t.key, key)]
    if same and not _vague(same[-1].key):
        found = [(with_labels(t.value, receiver.labels), _with_facts(state, t)) for t in same]
        found += keeping.as_it_may_be(m, receiver, key, same[-1].value, state)
        later = cell.templates[cell.templates.index(same[-1]) + 1 :]
        return found + [keyed.entry(m, receiver, t, key, state) for t in later if _may_be(t.key, key)]
    if isinstance(key, Const):
        candidates = [t for t in cell.templates if not isinstance(t.key, Const)]
    else:
        candidates = list(cell.templates)
    if candidates and all(isinstance(t.value, Const) and not t.value.labels for t in candidates):
        if len({t.value for t in candidates}) <= keyed.FLAGS and not keeping.loose(m, receiver.address):
            return keyed.flags(m, receiver, candidates, key, state)
        some = Index(receiver.address, term_of(key))
        return [(shape(m, some, type_of_constant(candidates[0].value)), state)]
    results = [keyed.entry(m, receiver, template, key, state) for template in candidates]
    if lives_on(receiver.address) and not m.past and not candidates:  # others may have put one there
        held = value_type(type_at(m, receiver.address))
        results.append((shape(m, Index(receiver.address, term_of(key), held.cls is not None), held), state.fork()))
    return results


def _by_truth(m: Analysis, receiver: Dict, key: Value, state: State, scope: Scope) -> Results:
    """`{True: a, False: b}[test]` is a branch, and so is a table by the members that the seal may answer."""
    templates = contents(m, receiver, state).templates
    if isinstance(key, Verdict) and templates and all(isinstance(t.key, Member) for t in templates):
        return [
            (with_labels(t.value, receiver.labels), _with_facts(after, t))
            for t in templates
            if t.key is not None
            for after in m.assume(Cond(operator="is", operands=(key, t.key)), True, state.fork(), scope)
        ]
    if not all(isinstance(t.key, Const) and isinstance(t.key.value, bool) for t in templates):
        return _entries(m, receiver, key, state)
    results: Results = []
    for template in templates:
        assert isinstance(template.key, Const)
        for after in m.assume(key, bool(template.key.value), state.fork(), scope):
            after.facts |= template.facts
            results.append((with_labels(template.value, receiver.labels), after))
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


def _equal(own: Value, wanted: Value) -> bool:
    """The same key: `True` is as good as 1."""
    if isinstance(own, Const) and isinstance(wanted, Const):
        return (
            type(own.value) in NUMERIC and type(wanted.value) in NUMERIC and own.value == wanted.value
        ) or own == wanted
    return term_of(own) == term_of(wanted)


NUMERIC = (bool, int, float)


def _may_be(own: Value | None, wanted: Value) -> bool:
    """Whether an entry that was put in later may stand under the same key."""
    return own is None or not (isinstance(own, Const) and isinstance(wanted, Const))


def _vague(key: Value | None) -> bool:
    return key is None or contains(term_of(key), lambda t: isinstance(t, Element) and t.draw <= 0)


def _with_facts(state: State, template: Template) -> State:
    after = state.fork()
    after.facts |= template.facts
    return after
