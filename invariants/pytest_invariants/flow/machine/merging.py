"""Joining paths where there are too many."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.state import Related, State
from pytest_invariants.flow.domain.values import (
    OPTIONS,
    Const,
    Sym,
    Tuple,
    Value,
    carries_nothing,
    some_of,
)
from pytest_invariants.flow.machine.joining import highest, join
from pytest_invariants.flow.machine.machine import Outcome, Results
from pytest_invariants.flow.machine.reading import split

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
    sizes = (
        len(state.known),
        len(state.reads),
        len(state.decided),
        len(state.frames),
        len(state.fields),
        len(state.heap),
    )
    inner = next(reversed(state.frames.values()), {})
    return state.facts, state.pending, state.doubts, frozenset(state.outcomes.items()), frozenset(inner.items()), sizes


def alike(a: State, b: State) -> bool:
    return (
        a.facts == b.facts
        and a.known == b.known
        and a.reads == b.reads
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
    _forget_reads([state for _, state in paths])
    groups: dict[object, list[tuple[list[Value], State]]] = {}
    for values, state in paths:
        shapes = tuple(_shape(value) for value in values)
        groups.setdefault((shapes, _mark(state)), []).append((values, state))
    return [pair for group in groups.values() for pair in _one_of_each(group)]


def _forget_reads(states: list[State]) -> None:
    """What places were found to hold is kept where it is the same on all paths: else there were as many paths as combinations."""
    first, *others = (state.reads for state in states)
    shared = {spot: one for spot, one in first.items() if all(reads.get(spot) == one for reads in others)}
    for state in states:
        state.reads = dict(shared)


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


__all__ = ["bounded", "distinct", "join", "limited", "reduced"]
