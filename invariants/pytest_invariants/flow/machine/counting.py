"""Numbers that say how many elements there are, and what follows where a filter left none, or all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from operator import add, eq, ge, gt, le, lt, sub
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers.drawing import unrolled
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import Fact, State, changes_of
from pytest_invariants.flow.domain.terms import Applied, Literal, Term, parts
from pytest_invariants.flow.domain.values import Cond, Const, Dict, Seq, Sym, Union, Value, Verdict, term_of
from pytest_invariants.flow.machine import everywhere

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

SIGNS: dict[tuple[str, int], bool] = {
    ("==", 0): False, (">", 0): True, (">=", 1): True, ("<", 1): False, ("<=", 0): False,
}  # fmt: skip
"""What a comparison of a number of things says when it is true: whether there is any."""


def noted(m: Analysis, term: Term, what: Value, state: State) -> None:
    """The number is zero exactly where the value is false: a collection, or whether any of its elements is true."""
    held = replace(what, kind="list") if isinstance(what, Seq) else what  # an iterator itself is never false
    m.counted[term] = (held, _version(what, state))


def _version(what: Value, state: State) -> tuple[int, int]:
    source = what
    while isinstance(source, Cond):
        source = source.operands[0]
    if not isinstance(source, Seq | Dict):
        return 0, 0
    return state.cell(source.address).version, state.made_at(changes_of(source.address))


def counted(m: Analysis, value: Value, state: State) -> Value | None:
    """What a number counts, unless that has changed since."""
    found = m.counted.get(value.term) if isinstance(value, Sym) else None
    return found[0] if found is not None and _version(found[0], state) == found[1] else None


def compared(
    m: Analysis, operator: str, left: Value, right: Value, truth: bool, state: State, scope: Scope
) -> list[State] | None:
    """A number compared with zero or one, or with another number; None where that says nothing."""
    what = counted(m, left, state)
    if what is None:
        return None
    if isinstance(right, Const) and isinstance(right.value, int):
        sign = SIGNS.get((operator, int(right.value)))
        return None if sign is None else m.assume(what, sign is truth, state, scope)
    other = counted(m, right, state)
    if operator == "==" and truth and isinstance(what, Seq) and isinstance(other, Seq | Dict):
        for part, whole in ((what, other), (other, what)):
            if isinstance(part, Seq) and isinstance(whole, Seq):
                _all_are_left(m, part, whole, state)
    return None


def sizes_compared(m: Analysis, operator: str, left: Value, right: Value, state: State) -> bool | None:
    """A number compared with how many elements there are, where all of these are known; None where they are not."""
    if m.past or m.coarse or operator not in COMPARED or not _is_size(m, left, right):
        return None
    one, other = size(m, term_of(left), state), size(m, term_of(right), state)
    return None if one is None or other is None else bool(COMPARED[operator](one, other))


COMPARED = {"==": eq, "<": lt, "<=": le, ">": gt, ">=": ge}
STEPS: dict[str, Callable[[int, int], int]] = {"Add": add, "Sub": sub}


def _is_size(m: Analysis, *values: Value) -> bool:
    return any(part in m.counted for value in values if isinstance(value, Sym) for part in parts(value.term))


def size(m: Analysis, term: Term, state: State, *, step: bool = True) -> int | None:
    """What a number is: one that is written down, how many elements there are, or one step from either."""
    match term:
        case Literal(int(value)) if not isinstance(value, bool):
            return value
        case Applied("Add" | "Sub" as kind, (left, Literal(int(other)))) if step and term not in m.counted:
            begun = size(m, left, state, step=False)
            return STEPS[kind](begun, other) if begun is not None else None
        case _:
            what = counted(m, Sym(term=term), state)
            shown = unrolled(m, what, state) if isinstance(what, Seq) and not m.grown(what.address) else None
            return len(shown) if shown is not None else None


def folded(value: Value) -> Value:
    """One step from a number that is written down."""
    match value:
        case Sym(labels=labels, term=Applied("Add" | "Sub" as kind, (Literal(int(left)), Literal(int(right))))) if (
            not labels
        ):
            return Const(value=STEPS[kind](left, right))
        case _:
            return value


def _all_are_left(m: Analysis, part: Seq, whole: Seq, state: State) -> None:
    """A filtered collection as long as the one that it was made from: every element has passed."""
    found = m.filters.get(part.address)
    if found is None or not isinstance(found.source, Seq) or found.source.address != whole.address:
        return
    templates = state.cell(part.address).templates
    ends = [(t.about if t.about is not None else term_of(t.value), t.facts) for t in templates]
    everywhere.conclude(whole.address, ends, state)


def none_is_left(m: Analysis, value: Seq, state: State) -> None:
    """A filtered collection is empty: of no element of its source was the condition true."""
    from pytest_invariants.flow.machine.comprehensions import left_out

    found = m.filters.get(value.address)
    if found is None or not isinstance(found.source, Seq | Dict) or state.cell(value.address).version:
        return
    ends: list[tuple[Term, frozenset[Fact]]] | None = left_out(m, found, state)
    if ends:
        everywhere.conclude(found.source.address, ends, state)


def is_sum_of_tests(values: list[Value]) -> bool:
    return bool(values) and all(isinstance(value, Verdict | Cond) or value == Union() for value in values)


def is_sum_of_ones(values: list[Value]) -> bool:
    return bool(values) and all(isinstance(v, Const) and isinstance(v.value, int) and v.value > 0 for v in values)
