"""Loops that append an answer for each element: the list holds what a comprehension over the same source would hold.

A list was empty before the loop, and every round has appended one truth to it and has not changed it otherwise. What `all(...)`, `zip` or
a number say of such a list then speaks of the elements of the source.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import drawing
from pytest_invariants.flow.containers.noting import APPENDED
from pytest_invariants.flow.domain.mapping import Renaming
from pytest_invariants.flow.domain.state import Cell, Fact, State, Template, changes_of
from pytest_invariants.flow.domain.terms import IDENTITY, Applied, Element, Field, Literal, Term, elements_in
from pytest_invariants.flow.domain.values import Dict, SealCall, Seq, Thunk, Value, term_of
from pytest_invariants.flow.machine import everywhere

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis
    from pytest_invariants.flow.machine.marking import Marks

GENERAL = 1 << 40
"""What the number of an answer in a round is raised by where it stands for those of all rounds."""


def conclude(m: Analysis, source: Value, marks: Marks, states: list[State]) -> None:
    """The loop over `source` has come to its end."""
    if not isinstance(source, Seq | Dict) or not marks.ends or _changed(source.address, marks):
        return
    for place in marks.lists:
        rows = [_row(m, place, marks.draw, term_of(drawn), end) for drawn, end in marks.ends]
        told = [row for row in rows if row is not None]
        if len(told) == len(rows):
            _filled(place, source.address, told, marks, states)


def _changed(address: Term, marks: Marks) -> bool:
    place = changes_of(address)
    return any(end.made_at(place) != marks.begun.made_at(place) for _, end in marks.ends)


def _row(m: Analysis, place: Term, draw: int, drawn: Term, end: State) -> Template | None:
    """What a round has appended, told of whichever element it may be about."""
    own = Literal(draw, "draw")
    found = [
        m.truths[what.arguments[1]]
        for kind, address, what in end.known
        if kind == APPENDED and address == place and isinstance(what, Applied) and what.arguments[0] == own
    ]
    if len(found) != 1:
        return None
    general, (value, key) = _General(draw, m.general_draw(draw)), found[0]
    if key is not None and not _is_its_own(term_of(key), drawn):
        return None
    shown = general.value(key) if key is not None else None
    made = Template(general.value(value), general.facts(end.facts), shown, general.term(drawn))
    return None if general.speaks_of_others else made


def _is_its_own(key: Term, drawn: Term) -> bool:
    """Whether no other element has this key: an entry of another one would take its place."""
    while isinstance(key, Field) and key.name in IDENTITY:
        key = key.base
    parts = drawn.arguments if isinstance(drawn, Applied) and drawn.function == "tuple" else (drawn,)
    return key in parts


class _General(Renaming):
    """Tells of any round what was found of the one that has just ended."""

    def __init__(self, draw: int, general: int) -> None:
        super().__init__(self._of_any)
        self.draw, self.general, self.speaks_of_others = draw, general, False

    def _of_any(self, term: Term) -> Term | None:
        if not isinstance(term, Element) or term.draw != self.draw:
            return None
        self.speaks_of_others |= term.age > 0
        return Element(self.general, term.base)

    def call(self, call: SealCall) -> SealCall:
        return replace(super().call(call), number=call.number + GENERAL)

    def facts(self, facts: frozenset[Fact]) -> frozenset[Fact]:
        """What is known of other elements is left out."""
        others = Renaming(lambda term: self._older(term))
        return super().facts(frozenset(fact for fact in facts if others.fact(fact) == fact))

    def _older(self, term: Term) -> Term | None:
        older = isinstance(term, Element) and term.draw == self.draw and term.age > 0
        return Literal(None, "another element") if older else None


def _filled(place: Term, source: Term, rows: list[Template], marks: Marks, states: list[State]) -> None:
    alike: dict[object, list[Template]] = {}
    for row in rows:
        alike.setdefault((row.about, _Unnumbered().value(row.value)), []).append(row)
    templates = tuple(_of_all(group) for group in alike.values())
    calls = frozenset(number for row in rows for number in _numbers(row.value))
    kept = frozenset(number for template in templates for number in _numbers(template.value))
    for after in states:
        after.heap[place] = Cell(templates, source, whole=True, version=after.cell(place).version)
        after.pending = frozenset(p for p in after.pending if p[0] not in calls - kept)


def _numbers(value: Value) -> list[int]:
    """The numbers of a call that has not run, and of those in it."""
    return [value.number, *(n for one in value.args for n in _numbers(one))] if isinstance(value, Thunk) else []


def _of_all(rows: list[Template]) -> Template:
    return replace(rows[0], facts=frozenset(everywhere.in_all([row.facts for row in rows])))


def tells_all(cells: list[Cell]) -> bool:
    """Whether a list holds an answer for each element of one and the same source, on all of these paths."""
    first = cells[0]
    return first.whole and all((cell.source, cell.templates) == (first.source, first.templates) for cell in cells)


def all_of_source(m: Analysis, source: Value, draw: int, ends: list[tuple[Value, State]], states: list[State]) -> None:
    """A loop over answers, or over what else was made of the elements of another collection, says something of those."""
    about = made_of(m, source, draw, states[0]) if states else {}
    told = [_of_any_drawn(*about[term], end) for one, end in ends if (term := term_of(one)) in about]
    cell = states[0].find(source.address) if about and isinstance(source, Seq) else None
    if len(told) == len(ends) and cell is not None and cell.source is not None:
        for after in states:
            everywhere.conclude(cell.source, told, after)


def made_of(m: Analysis, source: Value, draw: int, state: State) -> dict[Term, tuple[Term, Term]]:
    """For what a loop draws from a collection that was made from another one, element by element: the element that it was made
    from, as it is drawn and as it stands for all."""
    cell = state.find(source.address) if isinstance(source, Seq) else None
    if cell is None or not cell.whole or cell.source is None:
        return {}
    found: dict[Term, tuple[Term, Term]] = {}
    for template in cell.templates:
        drawn = drawing.instantiate(m, template, draw)
        if template.about is not None and drawn.about is not None:
            found[term_of(drawn.value)] = (drawn.about, template.about)
    return found if len(found) == len(cell.templates) else {}


def of_same_source(m: Analysis, source: Value, draw: int, made: tuple[Template, ...], state: State) -> Cell | None:
    """What a comprehension makes of answers, or of calls that have not run, was made of the elements that these are about."""
    about = made_of(m, source, draw, state)
    if not about or not isinstance(source, Seq) or any(elements_in(term) for term in about):
        return None
    if not all(template.about in about for template in made):
        return None
    rows = tuple(_of_any(*about[t.about], t) for t in made if t.about is not None)
    return Cell(rows, state.cell(source.address).source, whole=True)


def _of_any(drawn: Term, about: Term, made: Template) -> Template:
    return Renaming(lambda term: about if term == drawn else None).template(replace(made, about=drawn))


def _of_any_drawn(drawn: Term, about: Term, end: State) -> tuple[Term, frozenset[Fact]]:
    return about, Renaming(lambda term: about if term == drawn else None).facts(end.facts)


class _Unnumbered(Renaming):
    """Answers of several rounds to the same question are the same."""

    def __init__(self) -> None:
        super().__init__(lambda _: None)

    def call(self, call: SealCall) -> SealCall:
        return replace(call, number=0)

    def value(self, value: Value) -> Value:
        made = super().value(value)
        return replace(made, number=0) if isinstance(made, Thunk) else made
