"""Grants: which capabilities a value carries, and letting them out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.state import Fact, Open, State, Template, lives_on
from pytest_invariants.flow.domain.terms import Term
from pytest_invariants.flow.domain.types import type_at
from pytest_invariants.flow.domain.values import (
    ANY,
    Bound,
    Dict,
    Label,
    Labels,
    Obj,
    Partial,
    Seq,
    Sym,
    Thunk,
    Tuple,
    Union,
    Value,
)
from pytest_invariants.flow.machine.machine import Event
from pytest_invariants.flow.seal.covering import cover, in_other_round
from pytest_invariants.registry.model import Grant
from pytest_invariants.verdict import Place, Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


FAR = 2
"""Objects within each other up to which a capability counts as given away with the outermost."""
DEPTH = 40


def settle(m: Analysis, labels: Labels, facts: frozenset[Fact], state: State) -> Labels:
    """Labels with those marked that the facts cover, so that the facts need not be kept."""
    if not labels or not facts:
        return labels
    key = (labels, facts, state.epoch, m.of_all, tuple(m.active), len(m.generic))
    if key not in m.settlings:
        m.settlings[key] = frozenset(_settled(m, label, facts, state) for label in labels)
    return m.settlings[key]


def _settled(m: Analysis, label: Label, facts: frozenset[Fact], state: State) -> Label:
    if label.cleared is not None or label.stale or not facts:
        return label
    covered = cover(m, label, facts)
    if covered.fact is None or covered.fault is not None:
        asked = any(
            isinstance(fact, Open) and not fact.asserted and not in_other_round(fact.call, label.subject)
            for fact in facts
        )
        missed = covered.fault or (Reason.WRONG_SUBJECT if asked else label.missed)
        return label if missed == label.missed else replace(label, missed=missed)
    return replace(label, cleared=covered.fact.call.at, suspended=covered.fact.epoch < state.epoch)


def cleared_ones(labels: Labels) -> Labels:
    return frozenset(label for label in labels if label.cleared is not None)


def remembered(value: Obj) -> Labels:
    """What an instance remembers of being asked about itself: no label of what it holds."""
    return frozenset(label for label in value.labels if label.cleared is not None and label.subject == value.address)


def without_cleared(labels: Labels, held: Labels) -> Labels:
    """The labels but for those of which an instance remembers that the seal was asked, from paths that were joined."""
    known = {(label.capability, label.subject) for label in cleared_ones(held)}
    return frozenset(label for label in labels if (label.capability, label.subject) not in known)


def deep_labels(m: Analysis, value: Value, state: State, objects: bool = False) -> Labels:
    """All labels of a value and of what it holds; elements are settled by what was known when they were put in."""
    return _collect(m, value, state, objects, DEPTH, frozenset(), 0)


def _collect(
    m: Analysis, value: Value, state: State, objects: bool, depth: int, within: frozenset[Term], away: int
) -> Labels:
    if depth == 0:
        return value.labels
    if isinstance(value, Seq | Dict | Obj):
        if value.address in within:
            return value.labels
        within |= {value.address}
    away += isinstance(value, Obj)

    def inner(part: Value) -> Labels:
        return _collect(m, part, state, objects, depth - 1, within, away)

    labels = value.labels
    match value:
        case Sym():
            kept = state.field(value.term, "<held>")
            labels |= kept.labels if kept is not None else frozenset()
        case Tuple(items=parts) | Union(options=parts):
            labels = labels.union(*(inner(part) for part in parts))
        case Seq() | Dict():
            cell = state.find(value.address)
            if cell is None and type_at(m, value.address) != ANY:
                from pytest_invariants.flow.containers.containers import contents

                cell = contents(m, value, state)
            for template in cell.templates if cell is not None else ():
                labels |= _of_template(m, template, state, inner)
        case Obj():
            labels = labels if objects else labels - remembered(value)
            labels = labels.union(*(inner(v) for v in m.fields_of(value, state).values()))
            if objects:
                labels |= without_cleared(m.owned_labels(value, state), value.labels)
        case Partial() | Thunk():
            held = [
                *value.args,
                *(v for _, v in value.keywords),
                *(v for v in (value.more, value.options) if v is not None),
            ]
            labels = labels.union(*(inner(v) for v in held))
        case Bound():
            labels |= value.receiver.labels
    return _far(labels) if objects and away > FAR else labels


def _far(labels: Labels) -> Labels:
    """What is many objects away from what gets out: it is not known whether anybody reads it there."""
    return frozenset(la if la.cleared is not None else replace(la, doubt=Reason.OPAQUE_CALLABLE) for la in labels)


def _of_template(m: Analysis, template: Template, state: State, inner: object) -> Labels:
    found = inner(template.value)  # type: ignore[operator]
    if template.key is not None:
        found |= inner(template.key)  # type: ignore[operator]
    return settle(m, found, template.facts, state)


def settle_within(m: Analysis, value: Value, state: State, depth: int = 3) -> None:
    """Mark what an object made here holds by what is known now: once it is one of many, its fields no longer say whose they are."""
    if not isinstance(value, Obj) or lives_on(value.address) or not depth or not state.facts:
        return
    for name, held in m.fields_of(value, state).items():
        settle_within(m, held, state, depth - 1)
        labels = settle(m, deep_labels(m, held, state), state.facts, state)
        if held.labels:
            state.fields[value.address, name] = replace(held, labels=settle(m, held.labels, state.facts, state))
        elif labels and isinstance(held, Seq | Dict):
            _settle_cell(m, held, state)


def _settle_cell(m: Analysis, held: Seq | Dict, state: State) -> None:
    cell = state.find(held.address)
    if cell is None:
        return
    templates = tuple(
        replace(t, value=replace(t.value, labels=settle(m, t.value.labels, t.facts | state.facts, state)))
        for t in cell.templates
    )
    state.heap[held.address] = replace(cell, templates=templates)


def let_out(m: Analysis, value: Value, state: State, at: Place) -> None:
    """The value leaves the surface: each value capability in it is a grant."""
    labels = deep_labels(m, value, state, objects=True)
    if not labels and "denied" in state.outcomes.values():
        m.effects.refused.add(at)
    mixed = any(label.cleared or cover(m, label, state.facts).holds for label in labels)
    for label in labels:
        if m.grant_of(label) is Grant.VALUE:
            record(m, replace(label, joined=mixed), state, label.exit or at)


def record(m: Analysis, label: Label, state: State, at: Place) -> None:
    """One grant, with the pass edge that covers it on this path, if any."""
    covered = cover(m, label, state.facts)
    m.effects.events.append(Event(label, at, state.fork(), covered.fact if covered.holds else None))


def mark_exit(m: Analysis, value: Value, state: State, place: Place) -> Value:
    """Remember the statement by which a capability first left a function."""
    if isinstance(value, Seq | Dict):
        cell = state.find(value.address)
        if cell is not None and any(_unmarked(t.value.labels) for t in cell.templates):
            templates = tuple(replace(t, value=_marked(t.value, place)) for t in cell.templates)
            state.heap[value.address] = replace(cell, templates=templates)
    if isinstance(value, Tuple):
        value = replace(value, items=tuple(_marked(item, place) for item in value.items))
    return _marked(value, place)


def _unmarked(labels: Labels) -> bool:
    return any(label.exit is None for label in labels)


def _marked(value: Value, place: Place) -> Value:
    if not _unmarked(value.labels):
        return value
    return replace(value, labels=frozenset(replace(la, exit=place) if la.exit is None else la for la in value.labels))
