"""Numbers that say how many elements there are, and what follows where a filter left none, or all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import Fact, State, changes_of
from pytest_invariants.flow.domain.terms import Term
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
    source = what.operands[0] if isinstance(what, Cond) else what
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
