"""What stands in a collection because a loop has put it there, and what follows where something does not.

A loop that asks about every element and notes the refused ones in a collection that was empty before says of each of the others that
it is open: unless its key stands in the collection, from which nothing has been taken out since.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.state import NOTED, Fact, State, Unless, losses_of
from pytest_invariants.flow.domain.terms import Alloc, Applied, Literal, Term, elements_in
from pytest_invariants.flow.domain.values import Cond, Thunk, Value, Verdict, is_truth_value, term_of

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def noted(m: Analysis, address: Term, key: Value, state: State) -> None:
    """A round has put something into a collection that was made on this activation."""
    if not m.active or not made_now(address):
        return
    term = term_of(key)
    if any(e.age == 0 and e.draw in m.active for e in elements_in(term)):
        state.known[NOTED, address, term] = True


def made_now(address: Term) -> bool:
    return isinstance(address, Alloc) and not address.past


def notes(address: Term, state: State) -> frozenset[Term]:
    """What has surely been put in by this round, and not been taken out."""
    return frozenset(term for kind, place, term in state.known if kind == NOTED and place == address)


def forget(draw: int, state: State) -> None:
    """The round that drew here has come to its end."""
    done = [a for a in state.known if a[0] == NOTED and any(e.draw == draw for e in elements_in(a[2]))]
    for atom in done:
        del state.known[atom]


def absent(address: Term, key: Term, state: State) -> bool:
    """The key does not stand in the collection: whatever holds unless it does is known from now on."""
    known = unless(address, key, state.facts, state)
    state.facts |= known
    return bool(known)


def unless(address: Term, key: Term, facts: frozenset[Fact], state: State) -> frozenset[Fact]:
    """What holds if the key does not stand in the collection."""
    places = _copied(address, state)
    told = [fact for fact in facts if isinstance(fact, Unless) and fact.key == key and fact.address in places]
    return frozenset(fact.fact for fact in told if _stands(fact, state))


def _stands(fact: Unless, state: State) -> bool:
    return made_now(fact.address) and state.made_at(losses_of(fact.address)) == fact.losses


def _copied(address: Term, state: State) -> set[Term]:
    """The collection, and those that it is a copy of."""
    found = {address}
    cell = state.find(address)
    while cell is not None and cell.whole and cell.source is not None and cell.source not in found:
        found.add(cell.source)
        cell = state.find(cell.source)
    return found


def looked_up(own: Term, wanted: Term, facts: frozenset[Fact], state: State) -> None:
    """What is known of an entry has been found by its key: the key may have been looked for in other collections before, and may
    be afterwards."""
    for fact in facts:
        if isinstance(fact, Unless) and _stands(fact, state):
            here = replace(fact, key=wanted) if fact.key == own else fact
            state.facts |= {here}
            if state.known.get(("in", here.key, here.address)) is False:
                state.facts |= {here.fact}


UNTOUCHED, APPENDED = "untouched", "appended"
"""The marks of a path on which a round has not yet changed a list, and on which it has appended one truth to it."""


def begins(draw: int, lists: list[Term], state: State) -> None:
    """A round begins."""
    for address in lists:
        state.known[UNTOUCHED, address, Literal(draw, "draw")] = True


def untouched(address: Term, state: State) -> list[Term]:
    """The draws of the loops whose rounds have not changed the list."""
    return [draw for kind, place, draw in state.known if kind == UNTOUCHED and place == address]


def appended(
    m: Analysis, address: Term, value: Value, draws: list[Term], state: State, key: Value | None = None
) -> None:
    """The first change of a list, or of a dictionary, in the rounds of these loops."""
    later = isinstance(value, Thunk) and value.kind in ("coroutine", "task")
    if draws and (later or is_truth_value(value) or (isinstance(value, Verdict | Cond) and m.verdicts_in(value))):
        what = Applied("under", (term_of(value), *([term_of(key)] if key is not None else [])))
        m.truths[what] = (value, key)
        for draw in draws:
            state.known[APPENDED, address, Applied("answer", (draw, what))] = True


def ends(draw: int, state: State) -> None:
    """A round has come to its end."""
    own = Literal(draw, "draw")
    for kind, address, what in list(state.known):
        if what == own or (kind == APPENDED and isinstance(what, Applied) and what.arguments[0] == own):
            del state.known[kind, address, what]
