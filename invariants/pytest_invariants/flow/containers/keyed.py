"""What stands in a dictionary under a key of which it is not known which entry's it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import noting
from pytest_invariants.flow.domain.mapping import Renaming
from pytest_invariants.flow.domain.state import State, Template, lives_on
from pytest_invariants.flow.domain.terms import Applied, Element, Field, Index, Mapper, Term, is_identity
from pytest_invariants.flow.domain.values import Const, Dict, Value, Verdict, term_of, with_labels
from pytest_invariants.flow.machine import everywhere
from pytest_invariants.flow.machine.machine import Results

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def entry(m: Analysis, receiver: Dict, template: Template, key: Value, state: State) -> tuple[Value, State]:
    """The value that a general entry (`{skill.name: skill for ...}`) has for this key."""
    if template.key is None:
        return with_labels(template.value, receiver.labels), state.fork()
    wanted, own = term_of(key), term_of(template.key)
    after = state.fork()
    if isinstance(template.key, Const):
        after.known["==", wanted, own] = True
        after.facts |= template.facts
        return with_labels(template.value, receiver.labels), after
    renaming = Renaming(_by_key(receiver.address, own, wanted))
    chosen = renaming.template(template)
    after.facts |= chosen.facts
    noting.looked_up(renaming.term(own), wanted, chosen.facts, after)
    kept = _of_before(chosen.value) if lives_on(receiver.address) else chosen.value
    return with_labels(kept, receiver.labels), after


def _of_before(value: Value) -> Value:
    """What a table that lives on holds under any key may have been put there by an earlier activation: so may a verdict."""
    return replace(value, call=replace(value.call, past=True)) if isinstance(value, Verdict) else value


def _by_key(address: Term, own: Term, wanted: Term) -> Mapper:
    named = own.base if isinstance(own, Field) and isinstance(own.base, Element) else None

    def mapper(term: Term) -> Term | None:
        if term == own and isinstance(own, Element):
            return wanted
        if term == named:
            return Index(address, wanted, names=isinstance(own, Field) and is_identity(own.name))
        if isinstance(term, Element):
            return Index(Applied("entry", (address, term)), wanted)
        return None

    return mapper


FLAGS = 2
"""Constants of a dictionary that are told apart where it is not known which entry is meant."""


def flags(m: Analysis, receiver: Dict, candidates: list[Template], key: Value, state: State) -> Results:
    """Each of the few constants that stand in a dictionary, with what was known whenever it was put there."""
    told: dict[Value, list[State]] = {}
    for template in candidates:
        value, after = entry(m, receiver, template, key, state)
        told.setdefault(value, []).append(after)
    results: Results = []
    for value, ends in told.items():
        after = ends[0] if len(ends) == 1 else state.fork()
        after.facts = state.facts | everywhere.in_all([end.facts for end in ends])
        results.append((value, after))
    return results
