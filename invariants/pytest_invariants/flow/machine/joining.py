"""One state that stands for several paths: facts that they do not share are first settled into the labels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.common import in_common
from pytest_invariants.flow.domain.state import ENTRY, OWN, PERHAPS, SET, Cell, Open, State, Template, absorb
from pytest_invariants.flow.domain.terms import Field, Term
from pytest_invariants.flow.domain.values import NONE, Obj, Sym, Tuple, Union, Value, union
from pytest_invariants.flow.seal.granting import cleared_ones, settle

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def join(m: Analysis, states: list[State]) -> State:
    """One state that stands for all of these."""
    if len(states) == 1:
        return states[0]
    shared = frozenset.intersection(*(s.facts for s in states))
    settled = [_settled(m, state, shared) for state in states]
    first = settled[0].fork()
    first.facts = shared
    first.known = in_common([s.known for s in settled])
    first.reads = {spot: one for spot, one in first.reads.items() if all(s.reads.get(spot) == one for s in settled)}
    first.decided = {n: o for n, o in first.decided.items() if all(s.decided.get(n) == o for s in settled)}
    first.pending = frozenset().union(*(s.pending for s in settled))
    first.doubts = frozenset().union(*(s.doubts for s in settled))
    first.counts = highest(s.counts for s in settled)
    first.draws = frozenset().union(*(s.draws for s in settled))
    first.epoch = max(s.epoch for s in settled)
    for state in settled[1:]:
        first.calls.update(state.calls)
        for number, outcome in state.outcomes.items():
            if first.outcomes.setdefault(number, outcome) != outcome:
                lost = {"swallowed", "broke"} & {outcome, first.outcomes[number]}
                first.outcomes[number] = min(lost, default="mixed")
    _join_frames(first, settled)
    _join_heap(first, settled)
    first.fields = _joined_fields(settled)
    return first


def _joined_fields(states: list[State]) -> dict[tuple[Term, str], Value]:
    found = in_common([s.fields for s in states])
    keys = set[tuple[Term, str]]().union(*(s.fields for s in states if not s.world)).difference(found)
    keys.difference_update([key for key in keys if key[1] == SET and not all(key in s.fields for s in states)])
    base = states[0].base if all(s.base is states[0].base for s in states) else None
    found.update((key, union(_held_in(states, key, base))) for key in keys)
    found.update(((a, n + PERHAPS), NONE) for a, n in keys if n.startswith(ENTRY) and not _everywhere(a, n, states))
    return found


def _held_in(states: list[State], key: tuple[Term, str], base: State | None) -> list[Value]:
    """What a field holds on each path; an object of which nothing else is said has its own namespace. Where all paths began in
    the same world, that is asked once."""
    own = Sym(term=Field(*key)) if key[1] == OWN else None
    if base is not None:
        before = base.fields.get(key) or own
        return [value for s in states if (value := s.fields.get(key) or before) is not None]
    return [value for s in states if (value := s.field(*key) or own) is not None]


def _everywhere(address: Term, name: str, states: list[State]) -> bool:
    return name in (ENTRY, ENTRY + PERHAPS) or all((address, name) in s.fields for s in states)


def highest(counts: Iterable[dict[int, int]]) -> dict[int, int]:
    first, *others = counts
    found = dict(first)
    for one in others:
        if one is not first:
            for place, count in one.items():
                if count > found.get(place, 0):
                    found[place] = count
    return found


def _join_frames(first: State, states: list[State]) -> None:
    for name in {name for s in states if not s.world for name in s.frames}:
        frames = [s.frame(name) for s in states]
        if all(frame is frames[0] for frame in frames):
            first.frames[name] = frames[0]
            continue
        found = first.frames[name] = in_common(frames)
        names = set[str]().union(*frames).difference(found)
        found.update((key, union([f[key] for f in frames if key in f])) for key in names)


def _join_heap(first: State, states: list[State]) -> None:
    shared = in_common([s.heap for s in states])
    for address in set[Term]().union(*(s.heap for s in states if not s.world)).difference(shared):
        cells = [cell for s in states if (cell := s.find(address)) is not None]
        if cells:
            first.heap[address] = _join_cells(cells)


def _join_cells(cells: list[Cell]) -> Cell:
    base = cells[0]
    if all(cell == base for cell in cells):
        return base
    before = base.before if all(cell.before == base.before for cell in cells) else None
    base = replace(base, before=before)
    templates = base.templates
    for cell in cells[1:]:
        templates = absorb(templates, cell.templates) if cell.templates is not templates else templates
    return replace(
        base,
        templates=templates,
        source=None,
        whole=False,
        exact=all(c.exact and c.templates == base.templates for c in cells),
        closed=all(c.closed for c in cells),
        perhaps=_perhaps(cells, templates),
        filled=all(c.filled for c in cells),
    )


def _perhaps(cells: list[Cell], templates: tuple[Template, ...]) -> frozenset[Value]:
    keys = {t.key for t in templates if t.key is not None}
    everywhere = keys.intersection(*({t.key for t in cell.templates} for cell in cells))
    return frozenset(keys - everywhere).union(*(cell.perhaps for cell in cells))


def _settled(m: Analysis, state: State, shared: frozenset[object]) -> State:
    """The state with the labels of its variables and collections marked by the facts that are about to be lost."""
    if state.world:
        return state
    lost = frozenset(f for f in state.facts if f not in shared and isinstance(f, Open))
    if not lost:
        return state
    facts = state.facts

    def marked(value: Value) -> Value:
        if isinstance(value, Tuple):
            value = replace(value, items=tuple(marked(item) for item in value.items))
        if isinstance(value, Union):
            value = replace(value, options=tuple(marked(option) for option in value.options))
        if isinstance(value, Obj) and m.is_owner(value.cls):
            value = replace(
                value, labels=value.labels | cleared_ones(settle(m, m.owned_labels(value, state), facts, state))
            )
        return replace(value, labels=settle(m, value.labels, facts, state)) if value.labels else value

    new = state.fork()
    for name, frame in state.frames.items():
        if any(_labelled(m, value) for value in frame.values()):
            new.frames[name] = {key: marked(value) for key, value in frame.items()}
    for address, cell in state.heap.items():
        if cell is not None and any(_labelled(m, t.value) for t in cell.templates):
            new.heap[address] = replace(cell, templates=tuple(_with(t, marked(t.value), lost) for t in cell.templates))
    return new


def _labelled(m: Analysis, value: Value) -> bool:
    match value:
        case Tuple(items=parts) | Union(options=parts):
            return bool(value.labels) or any(_labelled(m, part) for part in parts)
        case Obj():
            return bool(value.labels) or m.is_owner(value.cls)
        case _:
            return bool(value.labels)


def _with(template: Template, value: Value, lost: frozenset[object]) -> Template:
    return replace(template, value=value)
