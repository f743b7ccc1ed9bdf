"""Joining paths where there are too many: facts that they do not share are first settled into the labels."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.common import in_common
from pytest_invariants.flow.domain.state import ENTRY, OWN, PERHAPS, SET, Cell, Open, Related, State, Template, absorb
from pytest_invariants.flow.domain.terms import Field, Term
from pytest_invariants.flow.domain.values import (
    NONE,
    OPTIONS,
    Const,
    Obj,
    Sym,
    Tuple,
    Union,
    Value,
    carries_nothing,
    some_of,
    union,
)
from pytest_invariants.flow.machine.machine import Outcome, Results
from pytest_invariants.flow.seal.granting import cleared_ones, settle

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def distinct(states: list[State]) -> list[State]:
    """Drop paths that go on exactly like another one."""
    if len(states) < 2:
        return states
    kept: list[State] = []
    marked: dict[object, list[State]] = {}
    for state in states:
        close = marked.setdefault(_mark(state), [])
        same = next((other for other in close if alike(state, other)), None)
        if same is None:
            close.append(state)
            kept.append(state)
        else:
            same.epoch = max(same.epoch, state.epoch)
            same.counts = highest((same.counts, state.counts))
    return kept


def _mark(state: State) -> object:
    """What states that go on alike have in common: cheap to find, and seldom common to others."""
    sizes = (len(state.known), len(state.decided), len(state.frames), len(state.fields), len(state.heap))
    inner = next(reversed(state.frames.values()), {})
    return state.facts, state.pending, state.doubts, frozenset(state.outcomes.items()), frozenset(inner.items()), sizes


def alike(a: State, b: State) -> bool:
    return (
        a.facts == b.facts
        and a.known == b.known
        and a.pending == b.pending
        and a.outcomes == b.outcomes
        and a.decided == b.decided
        and a.doubts == b.doubts
        and a.frames == b.frames
        and a.heap == b.heap
        and a.fields == b.fields
    )


def kept_apart(m: Analysis, states: list[State]) -> list[State]:
    """The paths that go on, no more of them than may be kept apart here."""
    return reduced(m, distinct(states), m.path_limit)


def limited(m: Analysis, outcomes: list[Outcome]) -> list[Outcome]:
    """At most `path_limit` ways to go on after a statement."""
    going = [o for o in outcomes if o.kind == "next"]
    others = [o for o in outcomes if o.kind != "next"]
    if len(going) <= 1:
        return outcomes
    states = kept_apart(m, [o.state for o in going])
    return others + [Outcome("next", state) for state in states]


def bounded(m: Analysis, results: Results) -> Results:
    """At most `path_limit` outcomes of a call; outcomes of one value are joined first."""
    if len(results) <= 1:
        return results
    if m.sampler is not None:
        return m.sampler.one(results, lambda result: result[1])
    groups: dict[Value, list[State]] = {}
    for value, state in _alike_at_last(results) if m.pressed else results:
        state.frames["result"] = {"": value}
        groups.setdefault(value, []).append(state)
    share = max(1, m.path_limit // len(groups))
    if m.pressed:
        states = [state for group in groups.values() for state in _told_by_answers(m, distinct(group))]
    else:
        states = [state for group in groups.values() for state in reduced(m, distinct(group), share)]
    return [pair for state in reduced(m, states, m.path_limit) for pair in _take(state)]


def _alike_at_last(results: Results) -> Results:
    """The results with one symbol for all those that carry nothing and of which only the origin is known, and one value for those
    that differ in nothing but the statements by which a capability left its functions."""
    plain = dict.fromkeys(value for value, _ in results if isinstance(value, Sym) and carries_nothing(value))
    one = some_of(plain) if len(plain) > 1 else None
    same: dict[Value, Value] = {}
    found = [(one if one is not None and value in plain else value, state) for value, state in results]
    return [(same.setdefault(_without_exits(value), value), state) for value, state in found]


def _without_exits(value: Value) -> Value:
    return (
        replace(value, labels=frozenset(replace(label, exit=None) for label in value.labels)) if value.labels else value
    )


COMBINATIONS = 8
"""Combinations of the values of several expressions that are always told apart."""


def combined(m: Analysis, paths: list[tuple[list[Value], State]]) -> list[tuple[list[Value], State]]:
    """The values of several expressions, where there are too many combinations: of those that come in one state the constants
    and symbols of one expression become one of them, of which it is not said which."""
    if m.sampler is not None:
        return m.sampler.one(paths, lambda path: path[1])
    if len(paths) <= _told_apart(m):
        return paths
    return _kinds(m, paths)


def _kinds(m: Analysis, paths: list[tuple[list[Value], State]]) -> list[tuple[list[Value], State]]:
    m.spend(len(paths))
    groups: dict[object, list[tuple[list[Value], State]]] = {}
    for values, state in paths:
        shapes = tuple(_shape(value) for value in values)
        groups.setdefault((shapes, _mark(state)), []).append((values, state))
    return [pair for group in groups.values() for pair in _one_of_each(group)]


def _shape(value: Value) -> object:
    """What has to be the same for two values to become one of both: all but constants and symbols."""
    if isinstance(value, Tuple):
        return tuple(_shape(item) for item in value.items)
    return None if isinstance(value, Const | Sym) else value


def _one_of(values: Collection[Value]) -> Value:
    """One of values of the same shape."""
    first = next(iter(values))
    if not isinstance(first, Tuple) or len(values) == 1:
        return some_of(values)
    rows = [value.items for value in values if isinstance(value, Tuple)]
    labels = first.labels.union(*(value.labels for value in values))
    return replace(
        first, labels=labels, items=tuple(_one_of(dict.fromkeys(column)) for column in zip(*rows, strict=True))
    )


def _told_apart(m: Analysis) -> int:
    return max(3 if m.pressed or m.making or m.coarse else COMBINATIONS, m.path_limit)


def drawn(m: Analysis, results: Results) -> Results:
    """The elements that a comprehension draws, where there are too many kinds: none of them is left out."""
    if m.sampler is None:
        return fewer(m, results)
    if len(results) <= COMBINATIONS:
        return results
    return [(value, after) for (value,), after in _kinds(m, [([value], after) for value, after in results])]


def fewer(m: Analysis, results: Results) -> Results:
    """The values of one expression, where there are too many paths to them."""
    if m.sampler is not None:
        return bounded(m, results)
    limit = _told_apart(m)
    if len(results) <= limit:
        return results
    found = [(value, after) for (value,), after in combined(m, [([value], after) for value, after in results])]
    told_apart = len({value for value, _ in found}) <= OPTIONS
    return bounded(m, found) if len(found) > limit and told_apart else found


def _one_of_each(group: list[tuple[list[Value], State]]) -> list[tuple[list[Value], State]]:
    found: list[tuple[list[list[Value]], State]] = []
    for values, state in group:
        same = next((columns for columns, other in found if alike(state, other)), None)
        if same is None:
            found.append(([[value] for value in values], state))
        else:
            for column, value in zip(same, values, strict=True):
                column.append(value)
    return [([_one_of(dict.fromkeys(column)) for column in columns], state) for columns, state in found]


def _take(state: State) -> Results:
    from pytest_invariants.flow.machine.expressions import split

    value = state.frames.pop("result")[""]
    return split(value, state)


def reduced(m: Analysis, states: list[State], limit: int) -> list[State]:
    """Join the paths of equal facts and answers, then all of them, until at most `limit` are left."""
    if len(states) <= limit:
        return states
    if m.sampler is not None:
        return m.sampler.one(states, lambda state: state)
    joined = _told_by_answers(m, states)
    limit = max(limit, ANSWERS) if m.tired else limit
    if len(joined) <= limit:
        return joined
    return [*joined[: limit - 1], join(m, joined[limit - 1 :])]


ANSWERS = 3
"""Paths that came by other answers of the seal which are told apart in a large surface, where all others are joined."""


def answers(state: State) -> object:
    """What the seal said on a path."""
    told = frozenset(fact for fact in state.facts if not isinstance(fact, Related))
    return told, state.pending, frozenset(state.outcomes.items())


def _told_by_answers(m: Analysis, states: list[State]) -> list[State]:
    """One path for each set of answers of the seal that paths came by."""
    if len(states) < 2:
        return states
    m.spend(len(states))
    groups: dict[object, list[State]] = {}
    for state in states:
        groups.setdefault(answers(state), []).append(state)
    return [join(m, group) for group in groups.values()]


def join(m: Analysis, states: list[State]) -> State:
    """One state that stands for all of these."""
    if len(states) == 1:
        return states[0]
    shared = frozenset.intersection(*(s.facts for s in states))
    settled = [_settled(m, state, shared) for state in states]
    first = settled[0].fork()
    first.facts = shared
    first.known = in_common([s.known for s in settled])
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
        filled=all(c.filled for c in cells),
    )


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


__all__ = ["Term", "bounded", "distinct", "join", "limited", "reduced"]
