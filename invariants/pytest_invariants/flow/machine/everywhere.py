"""What holds for every element of a collection: the conclusion of `all(...)`, and of a loop that ran to its end."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from pytest_invariants.flow.domain.mapping import Renaming
from pytest_invariants.flow.domain.state import Cell, Fact, Open, Related, State, Template
from pytest_invariants.flow.domain.terms import Term, elements_in, given_up, parts
from pytest_invariants.flow.domain.values import term_of

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
        rounds = [_by_meaning(_about(base, drawn, facts)) for drawn, facts in ends if _elements(drawn, base)]
        if rounds:
            shared |= {fact for meaning, fact in rounds[0].items() if all(meaning in other for other in rounds)}
    if shared:
        _teach(address, frozenset(shared), state)


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

    def back(term: Term) -> Term | None:
        return base if term in elements else None

    renaming = Renaming(back)
    return frozenset(renaming.fact(fact) for fact in facts if speaks_of(fact, elements))


def speaks_of(fact: Fact, wanted: Set[Term]) -> bool:
    """Whether one of these terms occurs in the fact."""
    whole = [fact.left, fact.right] if isinstance(fact, Related) else [term_of(v) for v in fact.call.subjects]
    return any(not parts(term).isdisjoint(wanted) for term in whole)


def _teach(address: Term, facts: Facts, state: State) -> None:
    cell = state.find(address)
    if cell is None:
        return
    templates = tuple(_taught(template, facts) for template in cell.templates)
    state.heap[address] = replace(cell, templates=templates)
    if cell.whole and cell.source is not None:
        source = state.find(cell.source)
        if source is not None and {t.value for t in source.templates} == {t.value for t in cell.templates}:
            _teach(cell.source, facts, state)


def _taught(template: Template, facts: Facts) -> Template:
    mine = elements_in(term_of(template.value))
    relevant = frozenset(f for f in facts if speaks_of(f, mine))
    return Template(template.value, template.facts | relevant, template.key)


def opens(facts: Facts) -> Facts:
    return frozenset(fact for fact in facts if isinstance(fact, Open))
