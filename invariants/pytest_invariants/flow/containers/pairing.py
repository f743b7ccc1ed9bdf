"""`zip`: elements side by side. They belong together where one list was made from the other, element by element."""

from __future__ import annotations

from functools import partial
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import containers, lookups
from pytest_invariants.flow.domain.mapping import Renaming
from pytest_invariants.flow.domain.state import Cell, State, Template
from pytest_invariants.flow.domain.terms import Element, Term, subterms
from pytest_invariants.flow.domain.values import Seq, Tuple, Value, term_of, union

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


LIMIT = 12
"""Combinations of elements that are told apart."""


def zipped(m: Analysis, parts: list[Value], state: State, *, apart: bool = False) -> Seq:
    """Rows of what stands side by side; `apart` where every element stands beside every other."""
    new = Seq(address=m.allocate(state), kind="iterator")
    templates = None if apart else _aligned(m, parts, state)
    if templates is None:
        columns = [_apart(m, number, containers.elements_of(m, part, state)) for number, part in enumerate(parts)]
        if prod(len(column) for column in columns) > LIMIT:
            columns = [[_any_of(column)] if len(column) > 1 else column for column in columns]
        templates = [_row(tuple(row)) for row in product(*columns)]
    state.heap[new.address] = Cell(tuple(templates))
    return new


def _any_of(column: list[Template]) -> Template:
    """One element that stands for a whole column, with what is known of all."""
    return Template(union([t.value for t in column]), frozenset.intersection(*(t.facts for t in column)))


def _apart(m: Analysis, column: int, templates: tuple[Template, ...]) -> list[Template]:
    """Elements of one column: they are not those that happen to stand beside them, though both come from one collection."""
    number = m.general_draw(-2 - column)

    def named(term: Term) -> Term | None:
        if not isinstance(term, Element) or term.draw not in m.generic:
            return None
        current = term.age == 0 and term.draw in m.active
        return term if current else Element(number, term)

    return [Renaming(named).template(template) for template in templates]


def _row(row: tuple[Template, ...]) -> Template:
    facts = frozenset().union(*(t.facts for t in row)) if row else frozenset()
    return Template(Tuple(items=tuple(t.value for t in row)), facts)


def _aligned(m: Analysis, parts: list[Value], state: State) -> list[Template] | None:
    """Rows of lists that were all made from one of them, in its order and without leaving anything out."""
    lists = [part for part in parts if isinstance(part, Seq)]
    if len(parts) < 2 or len(lists) < len(parts):
        return None
    origin = lookups.origin(lists[0].address, state)
    if any(lookups.origin(other.address, state) != origin for other in lists) or _drawn_in_turn(lists):
        return None
    if any(one.kind in (containers.UNORDERED, "set") for one in lists):
        return None
    number = next((number for number, one in enumerate(lists) if _is_first(m, one, state)), 0)
    first, others = lists[number], lists[:number] + lists[number + 1 :]
    rows = []
    for template in containers.elements_of(m, first, state):
        columns = [_column(m, template, other, state) for other in others]
        if any(column is None for column in columns):
            return None
        told = [column for column in columns if column is not None]
        rows += [_row((*rest[:number], template, *rest[number:])) for rest in product(*told)]
    return rows


def _drawn_in_turn(lists: list[Seq]) -> bool:
    """Whether one iterator is drawn from for several columns: what it gives for one it does not give for the other."""
    addresses = [one.address for one in lists if one.kind == "iterator"]
    return len(set(addresses)) < len(addresses)


def _is_first(m: Analysis, one: Seq, state: State) -> bool:
    """Whether its elements were made from no others."""
    return all(template.about is None for template in containers.elements_of(m, one, state))


def _column(m: Analysis, row: Template, other: Seq, state: State) -> list[Template] | None:
    """The elements of `other` that may have been made from this row's element; None where that is not known of all."""
    own = _element_of(row.about or term_of(row.value))
    found = []
    for template in containers.elements_of(m, other, state):
        if template.about is None or own is None:
            return None
        if not _made_from(template.about, own):
            continue
        found.append(Renaming(partial(_replaced, _element_of(template.about), own)).template(template))
    return found or None


def _replaced(drawn: Element | None, own: Term, term: Term) -> Term | None:
    """The element that the other list's element was made from is the row's; another one of the same collection is not."""
    return own if term == drawn else None


def _made_from(about: Term, own: Element) -> bool:
    element = _element_of(about)
    return element is not None and own in (element, element.base)


def _element_of(term: Term) -> Element | None:
    return next((t for t in subterms(term) if isinstance(t, Element)), None)
