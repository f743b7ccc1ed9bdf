"""Iterators over collections, and views of them: drawn later, they give what the collections hold by then."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.state import Cell, State, changes_of
from pytest_invariants.flow.domain.terms import Applied, Term
from pytest_invariants.flow.domain.values import Dict, Seq, Thunk, Value

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

Make = Callable[[State], Cell]


@dataclass(frozen=True, slots=True)
class Live:
    """The collections that an iterator draws from, and how what it gives is told anew."""

    sources: tuple[Term, ...]
    make: Make


def drawn_later(m: Analysis, new: Seq | Dict, parts: Iterable[Value], state: State, make: Make) -> None:
    """Fill the iterator with what it gives as things stand."""
    state.heap[new.address] = make(state)
    noted(m, new, parts, state, make)


def noted(m: Analysis, new: Seq | Dict, parts: Iterable[Value], state: State, make: Make) -> None:
    """The same of an iterator that is filled already."""
    m.live[new.address] = Live(tuple(address for part in parts for address in _addresses(part)), make)
    state.counts[_seen(new.address)] = _changes(m, new.address, state)


def rest(copy: Value, state: State) -> Cell:
    """What an iterator gives that may have been drawn from: some of what is there."""
    cell = state.cell(copy.address) if isinstance(copy, Seq) else Cell()
    return replace(cell, source=None, whole=False, same=None, exact=False)


def _addresses(part: Value) -> list[Term]:
    match part:
        case Seq(address=Applied("keys" | "values" | "items", (owner,)) as address):
            return [address, owner]
        case Seq(address=address) | Dict(address=address):
            return [address]
        case Thunk(args=given):
            return [address for one in given for address in _addresses(one)]
        case _:
            return []


def _changes(m: Analysis, address: Term, state: State) -> int:
    """How often what the iterator draws from has been changed."""
    return sum(
        _changes(m, source, state) if source in m.live else state.made_at(changes_of(source))
        for source in m.live[address].sources
        if source != address
    )


def _seen(address: Term) -> int:
    """The place under which `counts` holds how often that had been when it was told what the iterator gives."""
    return (1 << 65) + hash(address)


def wholes(m: Analysis, node: ast.expr, drawn: Value) -> list[Term]:
    """The collections that a loop over this draws all elements of, besides the one that it draws from."""
    match node:
        case ast.Call(func=ast.Name(id="enumerate")) | ast.Call(func=ast.Attribute(attr="keys" | "values" | "items")):
            found = m.live.get(drawn.address) if isinstance(drawn, Seq) else None
            return list(found.sources) if found is not None else []
        case _:
            return []


def taken_up(value: Value, state: State) -> None:
    """An iterator is named: where it was before, it may have been drawn from, and gives no longer all that there was."""
    if state.world or not (isinstance(value, Thunk) or (isinstance(value, Seq) and value.kind == "iterator")):
        return
    state.counts[_uses(value)] = state.made_at(_uses(value)) + 1
    if isinstance(value, Seq) and used_before(value, state) and (cell := state.find(value.address)) is not None:
        state.heap[value.address] = replace(cell, source=None, whole=False, same=None, exact=False)


def spent(value: Value, state: State) -> None:
    """An iterator of which every element was known has been drawn from: which ones are left is not."""
    cell = state.find(value.address) if isinstance(value, Seq) and value.kind == "iterator" else None
    if cell is not None and cell.exact and isinstance(value, Seq):
        state.heap[value.address] = replace(cell, exact=False)


def _uses(value: Seq | Thunk) -> int:
    """The place under which `counts` holds how often an iterator has been named."""
    return (1 << 66) + hash(value.address if isinstance(value, Seq) else value.number)


def used_before(value: Seq | Thunk, state: State) -> bool:
    return state.made_at(_uses(value)) > 1


def refresh(m: Analysis, address: Term, state: State) -> None:
    """Tell anew what an iterator gives, where what it draws from has been changed since."""
    if address in m.live and not state.world:
        changes = _changes(m, address, state)
        if changes != state.made_at(_seen(address)):
            state.heap[address] = m.live[address].make(state)
            state.counts[_seen(address)] = changes
