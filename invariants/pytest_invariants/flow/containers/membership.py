"""What is known of a value that is found among the elements of a collection."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import drawing
from pytest_invariants.flow.domain.mapping import Renaming, age
from pytest_invariants.flow.domain.state import Related, State, Template
from pytest_invariants.flow.domain.terms import Element, Term, elements_in, subterms
from pytest_invariants.flow.domain.values import Dict, Seq, Value, term_of
from pytest_invariants.flow.machine import everywhere

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


MEMBERS = 4
"""Kinds of elements that a membership test tells apart."""


def members(m: Analysis, left: Value, right: Seq | Dict, templates: tuple[Template, ...], state: State) -> list[State]:
    """The value is one of the elements: a path for each kind, with what is known of all of that kind."""
    fact, draw = Related(term_of(left), right.address, member=True), m.membership_draw(left, right)
    begun = age(state, draw)  # what another value was found to be before was another element
    kinds: dict[Term, list[Template]] = {}
    for template in templates:
        one = drawing.instantiate(m, _of_any_round(m, template, draw), draw)
        kinds.setdefault(term_of(one.value), []).append(one)
    if not 0 < len(kinds) <= MEMBERS:
        begun.facts |= {fact}
        return [begun]
    found: list[State] = []
    for term, alike in kinds.items():
        after = begun.fork()
        after.facts |= everywhere.in_all([one.facts for one in alike]) | {fact, Related(term_of(left), term)}
        found.append(after)
    return found


def _of_any_round(m: Analysis, template: Template, draw: int) -> Template:
    """What a loop has put in, by whichever of its rounds."""
    drawn = _outermost(term_of(template.value))
    if len(drawn) != 1:
        return template
    (element,) = drawn
    current = element.age == 0 and element.draw in m.active
    if current or element.draw <= 0 or element.draw in m.generic:
        return template
    return Renaming(partial(_instead, element, Element(draw, element.base))).template(template)


def _instead(element: Element, other: Element, term: Term) -> Term | None:
    return other if term == element else None


def _outermost(term: Term) -> list[Element]:
    """The elements in a term that no other one in it was drawn from."""
    found = elements_in(term)
    return [one for one in found if not any(one in subterms(other.base) for other in found)]
