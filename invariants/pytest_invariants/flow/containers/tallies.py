"""`Counter(answers)[True]`: how often an answer was given says whether any is that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.state import State, changes_of
from pytest_invariants.flow.domain.terms import Applied
from pytest_invariants.flow.domain.values import Cond, Dict, Seq, Sym, Tuple, Type, Value, term_of

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def noted(m: Analysis, counter: Dict, source: Seq, state: State) -> None:
    """A counter was made of what a list holds."""
    m.counters[counter.address] = source, _changes(counter, source, state)


def _changes(counter: Dict, source: Seq, state: State) -> int:
    return state.made_at(changes_of(counter.address)) + state.made_at(changes_of(source.address))


def how_often(m: Analysis, counter: Dict, key: Value, state: State) -> Value | None:
    """How often a truth is among the answers that were counted; None where nothing is known of that."""
    from pytest_invariants.flow.machine import counting, quantifying

    counted = m.counters.get(counter.address)
    if counted is None or _changes(counter, counted[0], state) != counted[1]:
        return None
    told = quantifying.among_all(m, key, counted[0], state)
    if told is None and (shown := quantifying.among_answers(m, key, counted[0], state)):
        told = Cond(operator="any", operands=(Tuple(items=shown),))
    if told is None:
        return None
    made = Sym(term=Applied("count", (counter.address, term_of(key))), type=Type("int"))
    counting.noted(m, made.term, told, state)
    return made
