"""What holds for every element of a collection: the conclusion of `all(...)`, and of a loop that ran to its end."""

from __future__ import annotations

from dataclasses import replace

from pytest_invariants.flow.mapping import Renaming
from pytest_invariants.flow.state import Cell, Fact, Open, Related, State, Template
from pytest_invariants.flow.terms import Element, Term, contains
from pytest_invariants.flow.values import term_of

Facts = frozenset[Fact]


def conclude(address: Term, ends: list[Facts], state: State) -> None:
    """Every round ended with one of `ends`: what all rounds about the same element share holds for each element."""
    cell = state.find(address)
    if cell is None or not ends:
        return
    bases = _symbols(cell)
    shared: set[Fact] = set()
    for base in bases:
        rounds = [_about(base, facts) for facts in ends]
        rounds = [facts for facts in rounds if facts is not None]
        shared |= frozenset.intersection(*rounds) if rounds else frozenset()
    if shared:
        _teach(address, frozenset(shared), state)


def _symbols(cell: Cell) -> set[Term]:
    found: set[Term] = set()
    for template in cell.templates:
        contains(term_of(template.value), lambda t: bool(isinstance(t, Element) and found.add(t)))
    return found


def _about(base: Term, facts: Facts) -> Facts | None:
    """The facts of a round that drew from `base`, told of `base` itself; None where the round drew something else."""
    drawn = {t for fact in facts for t in _terms(fact) if isinstance(t, Element) and t.base == base}

    def back(term: Term) -> Term | None:
        return base if term in drawn else None

    renaming = Renaming(back)
    told = frozenset(renaming.fact(fact) for fact in facts if any(t in drawn for t in _terms(fact)))
    return told if drawn else frozenset()


def _terms(fact: Fact) -> list[Term]:
    found: list[Term] = []
    whole = [fact.left, fact.right] if isinstance(fact, Related) else [term_of(v) for v in fact.call.subjects]
    for term in whole:
        contains(term, lambda t: bool(found.append(t)))
    return found


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
    mine = {t for t in _symbols(Cell((template,)))}
    relevant = frozenset(f for f in facts if any(t in mine for t in _terms(f)))
    return Template(template.value, template.facts | relevant, template.key)


def opens(facts: Facts) -> Facts:
    return frozenset(fact for fact in facts if isinstance(fact, Open))
