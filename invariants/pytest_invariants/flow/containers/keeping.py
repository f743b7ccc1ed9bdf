"""Collections that live on, as functions of the program may have left them."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.state import Cell, State, Template, changes_of, lives_on
from pytest_invariants.flow.domain.terms import Element, Index, Literal, Term
from pytest_invariants.flow.domain.values import NONE, Const, Dict, Foreign, Func, Sym, Tuple, Value, term_of, union
from pytest_invariants.flow.machine.machine import Results
from pytest_invariants.verdict import Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def as_it_may_be(m: Analysis, receiver: Dict, key: Value, value: Value, state: State) -> Results:
    """An entry of a table that lives on, which some function of the program sets anew: it may have been called before."""
    if not isinstance(key, Const) or not _untouched(receiver, state) or m.past:
        return []
    if not m.rewritten.entry(key.value, value) and not (
        isinstance(value, Const | Tuple) and loose(m, receiver.address)
    ):
        return []
    if isinstance(value, Func):
        return [(other, state.fork()) for other in _other_functions(m, receiver.address, key)]
    return [(Sym(value.labels, Index(receiver.address, term_of(key))), state.fork())]


def _other_functions(m: Analysis, address: Term, key: Const) -> list[Value]:
    """What stands in the place of a function, as far as the text says what that is."""
    some = Sym(term=Index(address, term_of(key)), why=Reason.OPAQUE_CALLABLE)
    return [
        NONE if text == "None" else Foreign(path=f"builtins.{text}") if hasattr(builtins, text) else some
        for text in m.rewritten.others(key.value)
    ]


def _untouched(receiver: Dict, state: State) -> bool:
    """Whether a table lives on and is as others have left it."""
    return lives_on(receiver.address) and changes_of(receiver.address) not in state.counts


def always_there(m: Analysis, receiver: Value, key: Value, state: State) -> bool:
    """Whether a table has an entry under a constant key whoever has run before."""
    if not isinstance(receiver, Dict) or not isinstance(key, Const) or m.past:
        return False
    cell = state.find(receiver.address)
    there = cell is not None and any(t.key == key for t in cell.templates) and key not in cell.perhaps
    if lives_on(receiver.address):
        return there and _untouched(receiver, state) and not loose(m, receiver.address)
    return there and cell is not None and cell.exact


def loose(m: Analysis, address: Term) -> bool:
    """Whether some function of the program changes a table under computed keys, or takes something out."""
    return m.later is not None and m.later.changes(address)


def as_left(m: Analysis, state: State, addresses: Iterable[Term]) -> None:
    """Of collections that live on, and that some function takes something out of, any element may be gone by now; of lists of
    constants another one may stand there."""
    for address in addresses:
        cell = state.heap.get(address)
        if cell is None or not (cell.exact or cell.filled) or m.later is None:
            continue
        if m.later.takes(address):
            state.heap[address] = _some_gone(address, cell)
        elif _of_constants(cell) and m.later.adds(address):
            state.heap[address] = replace(_some_gone(address, cell), filled=cell.filled)
        elif cell.exact:
            numbered = _replaced(address, cell, m.later.elements(address))
            state.heap[address] = replace(
                numbered, templates=tuple(_or_another(m, address, t) for t in numbered.templates)
            )


def _or_another(m: Analysis, address: Term, row: Template) -> Template:
    """An entry of a table of functions, or another function in its place."""
    if (
        not isinstance(row.key, Const)
        or not isinstance(row.value, Func)
        or not m.rewritten.entry(row.key.value, row.value)
    ):
        return row
    return replace(row, value=union([row.value, *_other_functions(m, address, row.key)]))


def _some_gone(address: Term, cell: Cell) -> Cell:
    rows = cell.templates
    if _of_constants(cell):
        rows = (*rows, Template(Sym(term=Element(0, address))))
    return replace(cell, templates=rows, exact=False, filled=False, whole=False)


def _of_constants(cell: Cell) -> bool:
    return bool(cell.templates) and all(isinstance(t.value, Const) and t.key is None for t in cell.templates)


def _replaced(address: Term, cell: Cell, given: set[tuple[int, object]]) -> Cell:
    """A list some elements of which are set to constants, by their numbers."""
    rows = list(cell.templates)
    for at, value in given:
        if -len(rows) <= at < len(rows) and rows[at].key is None and rows[at].value != Const(value=value):
            rows[at] = Template(Sym(term=Index(address, Literal(at, "int"))))
    return replace(cell, templates=tuple(rows))
