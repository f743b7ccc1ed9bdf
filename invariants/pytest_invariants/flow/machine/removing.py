"""Loops that take out what they draw: what is left of the collection is what no round took out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import noting
from pytest_invariants.flow.containers.lookups import origin
from pytest_invariants.flow.domain.state import Fact, State, Template
from pytest_invariants.flow.domain.terms import Applied, Term
from pytest_invariants.flow.domain.values import Seq, Tuple, Value, term_of
from pytest_invariants.flow.machine import everywhere

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

GONE = "gone"
"""The mark of a path on which something was taken out of a collection: it itself, or its key."""


def took(address: Term, what: Value, state: State) -> None:
    state.note_loss(address)
    state.known[GONE, address, term_of(what)] = True


@dataclass(frozen=True)
class End:
    """How a round ended: what it drew, what was known, and what had been taken out."""

    drawn: Value
    facts: frozenset[Fact]
    gone: frozenset[tuple[Term, Term]]


def ended(drawn: Value, state: State) -> End:
    gone = frozenset((address, what) for kind, address, what in state.known if kind == GONE)
    return End(drawn, state.facts, gone)


def conclude(m: Analysis, source: Value, ends: list[End], begun: State, states: list[State]) -> None:
    """The loop over `source` has come to its end: of what a round left in the other collection, the round's end is known."""
    if not isinstance(source, Seq) or source.kind == "iterator":  # what is drawn bit by bit shrinks with the list
        return
    for address in {address for end in ends for address, _ in end.gone}:
        if all(_is_gone(end, address) for end in ends):
            for after in states:
                _without_all(address, source.address, after)
        if address == source.address or not _holds_the_same(source, address, begun):
            continue  # a list that shrinks under its own loop is not drawn to its end
        left = [(term_of(end.drawn), end.facts) for end in ends if not _is_gone(end, address)]
        for after in states if left else ():
            if not _grew(address, begun, after):
                everywhere.conclude(address, left, after)


def _without_all(address: Term, drawn: Term, state: State) -> None:
    """Each element of the other collection has been taken out as a key: what is left was not in it."""
    cell = state.find(address)
    if cell is not None and all(template.key is not None for template in cell.templates):
        state.heap[address] = replace(cell, templates=tuple(_not_in(drawn, t, state) for t in cell.templates))


def _not_in(drawn: Term, entry: Template, state: State) -> Template:
    assert entry.key is not None
    return replace(entry, facts=entry.facts | noting.unless(drawn, term_of(entry.key), entry.facts, state))


def _holds_the_same(source: Seq, address: Term, state: State) -> bool:
    """Whether the loop draws everything that the other collection holds."""
    place = origin(source.address, state)
    viewed = (
        isinstance(place, Applied) and place.function in ("keys", "values", "items") and place.arguments == (address,)
    )
    return viewed or place in (address, origin(address, state))


def _grew(address: Term, begun: State, after: State) -> bool:
    """Whether something was put in that was not there before the loop."""
    return not {t.value for t in after.cell(address).templates} <= {t.value for t in begun.cell(address).templates}


def _is_gone(end: End, address: Term) -> bool:
    parts = [end.drawn, *(end.drawn.items if isinstance(end.drawn, Tuple) else ())]
    return any((address, term_of(part)) in end.gone for part in parts)
