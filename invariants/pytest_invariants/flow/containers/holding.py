"""Objects of other packages as containers: what was put into a queue, a buffer or a namespace may come out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.terms import Applied, Field, Named, Term
from pytest_invariants.flow.domain.values import NO_LABELS, Labels, Sym, Value
from pytest_invariants.flow.seal.granting import deep_labels, settle

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


HELD = "<held>"
"""The field under which the labels of all that an object was given are kept."""
PURE = frozenset({"get", "items", "keys", "values", "info", "debug", "warning", "error", "exception", "copy"})
"""Methods that leave their receiver as it was."""


def held(state: State, term: Term) -> Labels:
    kept = state.field(term, HELD)
    return kept.labels if kept is not None else NO_LABELS


def hold(m: Analysis, term: Term, values: tuple[Value, ...], state: State) -> None:
    """The object has been given these values."""
    labels = NO_LABELS.union(*(deep_labels(m, value, state, objects=True) for value in values))
    if not labels:
        return
    kept = Sym(settle(m, labels, state.facts, state) | held(state, term), Applied("held", (term,)))
    state.fields[term, HELD] = kept
    m.persist(term, f"field {HELD}", kept, state)


def receivers(function: Term) -> list[Term]:
    """The objects that a method call may change: the one it is called on, and those that this one was made around."""
    if not isinstance(function, Field):
        return []
    found, stack = list[Term](), [function.base]
    while stack:
        term = stack.pop()
        found.append(term)
        if isinstance(term, Applied) and ("." in term.function or term.function == "result"):
            stack += [t for t in term.arguments if isinstance(t, Applied | Field)]
        if isinstance(term, Field):
            stack.append(term.base)
    return [t for t in found if not isinstance(t, Named) or "." in t.name]


def through_method(m: Analysis, function: Term, values: tuple[Value, ...], state: State) -> Labels:
    """A method of an object that is not followed keeps what it is given, and gives what was kept."""
    found = NO_LABELS
    for term in receivers(function):
        hold(m, term, values, state)
        found |= held(state, term)
    if isinstance(function, Field) and function.name not in PURE:
        state.disturb(function.base)
    return found
