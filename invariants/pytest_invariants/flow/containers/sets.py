"""What is left of a set without the elements of another one, and what two sets have in common."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import containers, noting
from pytest_invariants.flow.domain.state import Fact, State
from pytest_invariants.flow.domain.terms import Term
from pytest_invariants.flow.domain.values import Seq, Value, term_of
from pytest_invariants.flow.machine import everywhere

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def without(m: Analysis, left: Value, right: Value, state: State) -> Value:
    """`left - right`: where `right` is what a condition picked out of `left`, the condition does not hold of what is left."""
    new = _part(m, left, state)
    ends = _not_picked(m, left, right, state) if isinstance(new, Seq) else None
    if ends and isinstance(new, Seq):
        everywhere.conclude(new.address, ends, state)
    elif isinstance(new, Seq) and isinstance(right, Seq) and _not_noted(new, right, state):
        pass
    elif isinstance(right, Seq):
        from pytest_invariants.flow.machine.conditions import doubt_absence

        doubt_absence(right.address, containers.elements_of(m, right, state), state)
    return new


def _not_noted(new: Seq, right: Seq, state: State) -> bool:
    """Whether anything is known of what is left because it was not put into `right`."""
    cell = state.cell(new.address)
    rows = [(t, noting.unless(right.address, term_of(t.value), t.facts, state)) for t in cell.templates]
    state.heap[new.address] = replace(cell, templates=tuple(replace(t, facts=t.facts | more) for t, more in rows))
    return any(more for _, more in rows)


def common(m: Analysis, left: Value, right: Value, state: State) -> Value:
    """`left & right`: each element is one of both; it is told of as one of that set of which more is known."""
    if isinstance(right, Seq) and _known(m, right, state) and not _known(m, left, state):
        left = right
    return _part(m, left, state)


def _part(m: Analysis, whole: Value, state: State) -> Value:
    kind = whole.kind if isinstance(whole, Seq) else "set"
    return containers.copied(m, whole, state, kind, whole=False)


def _known(m: Analysis, value: Value, state: State) -> bool:
    rows = containers.elements_of(m, value, state)
    return bool(rows) and all(everywhere.opens(row.facts) for row in rows)


def _not_picked(m: Analysis, left: Value, right: Value, state: State) -> list[tuple[Term, frozenset[Fact]]] | None:
    from pytest_invariants.flow.machine.comprehensions import left_out

    found = m.filters.get(right.address) if isinstance(right, Seq) else None
    if found is None or not isinstance(right, Seq) or state.cell(right.address).version:
        return None
    generator = found.node.generators[0]
    itself = isinstance(found.node.elt, ast.Name) and isinstance(generator.target, ast.Name)
    if not itself or ast.unparse(found.node.elt) != ast.unparse(generator.target):
        return None
    if not (isinstance(left, Seq) and isinstance(found.source, Seq)):
        return None
    return left_out(m, found, state) if _names(left, state) & _names(found.source, state) else None


def _names(value: Seq, state: State) -> set[Term]:
    """The collections that hold the same elements as this one."""
    cell = state.cell(value.address)
    others = (cell.same, cell.source if cell.whole else None)
    return {value.address, *(other for other in others if other is not None)}
