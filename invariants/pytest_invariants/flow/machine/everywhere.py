"""What holds for every element of a collection: the conclusion of `all(...)`, and of a loop that ran to its end."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from functools import partial

from pytest_invariants.flow.domain.mapping import Renaming
from pytest_invariants.flow.domain.state import Cell, Fact, Open, Related, State, Template, Unless, losses_of
from pytest_invariants.flow.domain.terms import Applied, Term, elements_in, given_up, parts, rewrite
from pytest_invariants.flow.domain.values import Tuple, Value, term_of

Facts = frozenset[Fact]


def conclude(address: Term, ends: list[tuple[Term, Facts]], state: State) -> None:
    """Every round ended with one of `ends`, each with the element that it drew: what all rounds about the same
    element share holds for each element of the collection."""
    cell = state.find(address)
    if cell is None or not any(facts for _, facts in ends):
        return
    if any(given_up(drawn) for drawn, _ in ends):  # of which elements a round spoke is not known then
        return
    shared: set[Fact] = set()
    for base in _symbols(cell):
        shared |= _shared(base, ends)
    if shared:
        _teach(address, frozenset(shared), state)


def _shared(base: Term, ends: list[tuple[Term, Facts]]) -> set[Fact]:
    return in_all([_about(base, drawn, facts) for drawn, facts in ends if _elements(drawn, base)])


def in_all(every: list[Facts]) -> set[Fact]:
    """What all of these say, each by answers of its own."""
    told = [_by_meaning(facts) for facts in every]
    return {fact for meaning, fact in told[0].items() if all(meaning in other for other in told)} if told else set()


def conclude_unless(
    address: Term,
    noted: list[tuple[Term, frozenset[Term]]],
    others: list[tuple[Term, Facts]],
    place: Term,
    state: State,
) -> None:
    """Some rounds put keys of the element that they drew into the collection at `place`, the other rounds ended with facts: these
    hold for each element unless its key stands there."""
    cell = state.find(address)
    drawn = [*noted, *others]
    if cell is None or any(given_up(term) for term, _ in drawn):
        return
    found: set[Fact] = set()
    for base in _symbols(cell):
        keys = [_keys(base, term, terms) for term, terms in noted if _elements(term, base)]
        same = frozenset.intersection(*keys) if keys else frozenset()
        facts = [fact for fact in _shared(base, others) if isinstance(fact, Open)]
        losses = state.made_at(losses_of(place))
        found |= {Unless(place, key, fact, losses) for key in same for fact in facts}
    if found:
        _teach(address, frozenset(found), state)


def _keys(base: Term, drawn: Term, terms: frozenset[Term]) -> frozenset[Term]:
    """The keys that were made from the element that a round drew, told of `base` itself."""
    elements = _elements(drawn, base)
    mapper = partial(_back, elements, base)
    return frozenset(rewrite(term, mapper) for term in terms if not parts(term).isdisjoint(elements))


def _back(elements: Set[Term], base: Term, term: Term) -> Term | None:
    return base if term in elements else None


def _by_meaning(facts: Facts) -> dict[object, Fact]:
    """Answers of several rounds, and of several questions in the code, say the same where they speak of the same."""
    return {
        (f.call.subjects, f.call.principals, f.call.past, f.epoch, f.asserted) if isinstance(f, Open) else f: f
        for f in facts
    }


def _elements(term: Term, base: Term) -> set[Term]:
    return {t for t in elements_in(term) if base in (t, t.base)}


def _symbols(cell: Cell) -> set[Term]:
    return {t for template in cell.templates for t in elements_in(term_of(template.value))}


def _about(base: Term, drawn: Term, facts: Facts) -> Facts:
    """The facts of a round about the element that it drew from `base`, told of `base` itself."""
    elements = _elements(drawn, base)
    renaming = Renaming(partial(_back, elements, base))
    return frozenset(renaming.fact(fact) for fact in facts if speaks_of(fact, elements))


def speaks_of(fact: Fact, wanted: Set[Term]) -> bool:
    """Whether one of these terms occurs in the fact."""
    return any(not parts(term).isdisjoint(wanted) for term in _terms_in(fact))


def _terms_in(fact: Fact) -> list[Term]:
    match fact:
        case Related():
            return [fact.left, fact.right]
        case Unless():
            return [fact.key, *_terms_in(fact.fact)]
        case _:
            return [term_of(value) for value in fact.call.subjects]


def _teach(address: Term, facts: Facts, state: State) -> None:
    cell = state.find(address)
    if cell is None:
        return
    templates = tuple(_taught(template, facts) for template in cell.templates)
    state.heap[address] = replace(cell, templates=templates)
    match address:
        case Applied("keys" | "values" | "items" as part, (owner,)):
            _teach_entries(owner, part, frozenset(t.value for t in cell.templates), facts, state)
    if cell.whole and cell.source is not None:
        source = state.find(cell.source)
        if source is not None and {t.value for t in source.templates} == {t.value for t in cell.templates}:
            _teach(cell.source, facts, state)


def _teach_entries(owner: Term, part: str, shown: frozenset[Value], facts: Facts, state: State) -> None:
    """What holds for all that a view of a dictionary shows holds for its entries."""
    cell = state.find(owner)
    if cell is not None and all(_shown(part, template) in shown for template in cell.templates):
        state.heap[owner] = replace(cell, templates=tuple(_taught(template, facts) for template in cell.templates))


def _shown(part: str, entry: Template) -> Value | None:
    if part == "values" or entry.key is None:
        return entry.value if part == "values" else None
    return entry.key if part == "keys" else Tuple(items=(entry.key, entry.value))


def _taught(template: Template, facts: Facts) -> Template:
    mine = elements_in(term_of(template.value))
    relevant = frozenset(f for f in facts if speaks_of(f, mine))
    return Template(template.value, template.facts | relevant, template.key)


def opens(facts: Facts) -> Facts:
    return frozenset(fact for fact in facts if isinstance(fact, Open))
