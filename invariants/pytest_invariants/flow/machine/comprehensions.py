"""Comprehensions and generator expressions, lowered to loops."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import containers
from pytest_invariants.flow.domain import live
from pytest_invariants.flow.domain.relevance import known_of
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import SET, WRITTEN, Cell, Fact, State, Template, absorb, changes_of
from pytest_invariants.flow.domain.terms import Term
from pytest_invariants.flow.domain.values import (
    Dict,
    Seq,
    Thunk,
    Tuple,
    Value,
    term_of,
    union,
)
from pytest_invariants.flow.machine import answering, everywhere
from pytest_invariants.flow.machine.deciding import decide_all
from pytest_invariants.flow.machine.machine import Results
from pytest_invariants.flow.seal.granting import deep_labels, settle_within
from pytest_invariants.verdict import Place

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
KINDS: dict[type[ast.expr], str] = {ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "iterator"}


def collected(m: Analysis, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, state: State, scope: Scope) -> Results:
    """The collection that the comprehension makes. A generator expression counts as drawn where it is written."""
    from pytest_invariants.flow.machine import displays

    results: Results = []
    for source, outer in m.evaluate(node.generators[0].iter, state, scope):
        first = settled_source(m, source, outer)
        new = Seq(address=m.allocate(outer), kind=KINDS[type(node)])
        lazy = isinstance(node, ast.GeneratorExp)
        if isinstance(node, ast.GeneratorExp):
            m.generators[new.address] = (node, scope, first, surroundings(node, first, outer, scope))
        shown = displays.in_turn(m, node, first, outer, scope)
        if shown is not None:
            results += [(new, _shown(node, new, first, made, after)) for made, after in shown]
            continue
        templates, after, count = _made(m, node, first, outer, scope)
        whole = len(node.generators) == 1 and not node.generators[0].ifs and count <= len(_templates(m, first, outer))
        made_from = _source(first, outer) if whole else None
        cell = Cell(templates, made_from, whole=made_from is not None)
        if made_from is not None:
            with within(m, node, scope) as inner:
                draw = m.draw(node.generators[0], inner)
            cell = answering.of_same_source(m, first, draw, templates, outer) or cell
        after.heap[new.address] = replace(cell, lazy=lazy)
        if made_from is not None and not lazy and after.calls.keys() != outer.calls.keys():
            ends = [(t.about, t.facts) for t in cell.templates if t.about is not None]
            everywhere.conclude(cell.source or made_from, ends, after)  # what would have raised has raised
        if len(node.generators) == 1 and node.generators[0].ifs and not (m.past or m.coarse):
            m.filters[new.address] = Filter(node, scope, first, surroundings(node, first, after, scope))
            if not lazy and after.calls.keys() != outer.calls.keys():
                picked(m, new, new.address, after)
                m.filters[new.address] = replace(m.filters[new.address], seen=surroundings(node, first, after, scope))
        results.append((new, after))
    return results


def picked(m: Analysis, value: Seq, address: Term, state: State) -> None:
    """Of each element that the filter has not put into the collection, or its copy, it is known that a condition does not hold."""
    found = m.filters.get(value.address)
    if found is None or state.cell(value.address).version or live.used_before(value, state):
        return
    ends = left_out(m, found, state) if isinstance(found.source, Seq | Dict) else None
    noted = [(t.about, frozenset({term_of(t.value)})) for t in state.cell(address).templates if t.about is not None]
    if ends and noted and isinstance(found.source, Seq | Dict):
        everywhere.conclude_unless(found.source.address, noted, ends, address, state)


def _shown(
    node: ast.ListComp | ast.SetComp | ast.GeneratorExp,
    new: Seq,
    first: Value,
    made: tuple[Template, ...],
    after: State,
) -> State:
    """The state with the collection in it, of which every element is known."""
    source = None if node.generators[0].ifs else _source(first, after)
    lazy = isinstance(node, ast.GeneratorExp)
    after.heap[new.address] = Cell(made, source, whole=source is not None, lazy=lazy, exact=True)
    return after


@dataclass(frozen=True)
class Filter:
    """A comprehension that leaves elements out: where it stands, what it draws from, and what it saw."""

    node: ast.ListComp | ast.SetComp | ast.GeneratorExp
    scope: Scope
    source: Value
    seen: tuple[object, ...]


def left_out(m: Analysis, found: Filter, state: State) -> list[tuple[Term, frozenset[Fact]]] | None:
    """The elements for which a condition does not hold, each with what is known then; None where that is another one by now."""
    scope, generator = found.scope, found.node.generators[0]
    if scope.frame not in state.frames and not scope.frame.startswith("module "):
        return None
    if surroundings(found.node, found.source, state, scope) != found.seen:
        return None
    ends = []
    with m.collecting(), within(m, found.node, scope) as inner:
        before = state.fork()
        before.frames[inner.frame] = {}
        for element, drawn in m.iterate(found.source, before, inner, generator):
            going = m.unpack(generator.target, element, drawn, inner)
            ways = decide_all(m, generator.ifs, going, inner)
            ends += [(term_of(element), one.facts) for one in ways.false]
    return ends


def _made(
    m: Analysis, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, first: Value, outer: State, scope: Scope
) -> tuple[tuple[Template, ...], State, int]:
    """The elements, what making them has left behind, and how many kinds of rounds there were. A round that changes what
    later rounds see is followed by another one."""
    after, templates, count = outer.fork(), tuple[Template, ...](), 0
    for _ in range(1 if m.past or m.coarse else PASSES):
        before = after.fork()
        with within(m, node, scope) as inner:
            rounds = _rounds(m, node, node.generators, first, before, inner)
            ends = _elements(m, node.elt, rounds)
            waited_for = _waited_for(node, before, [end for _, end in ends])
            for value, end in ends:
                settle_within(m, value, end)
                held = partial(deep_labels, m, value, end, True)
                templates = absorb(
                    templates, [Template(value, known_of(value, end.facts, held), None, _about(end, inner))]
                )
                keep(m, after, end)
            after.pending -= waited_for
        count = count or len(rounds)
        if not changed_between(before, after):
            break
    return templates, after, count


def _waited_for(
    node: ast.ListComp | ast.SetComp | ast.GeneratorExp, before: State, ends: list[State]
) -> frozenset[tuple[int, str, Place]]:
    """The calls that were made before and that every round has waited for."""
    if not ends or any(generator.ifs for generator in node.generators):
        return frozenset()
    return before.pending.difference(*(end.pending for end in ends))


PASSES = 3
"""Rounds of a comprehension that are followed where they change something."""


def changed_between(before: State, after: State) -> bool:
    """Whether objects or variables that were there before have changed."""
    if after.counts.get(WRITTEN) != before.counts.get(WRITTEN):
        return True
    known = [a for a in after.heap if before.find(a) is not None]
    known += [address for address, name in after.fields if before.field(address, name) is not None]
    return any(after.counts.get(changes_of(a)) != before.counts.get(changes_of(a)) for a in known)


def surroundings(
    node: ast.ListComp | ast.SetComp | ast.GeneratorExp, first: Value, state: State, scope: Scope
) -> tuple[object, ...]:
    """What a generator expression will see when it is drawn: the variables that it names, and what collections hold."""
    names = sorted({n.id for n in ast.walk(node) if isinstance(n, ast.Name)})
    frames = [state.frame(name) for name in reversed(scope.chain)]
    values = [next((frame[name] for frame in frames if name in frame), None) for name in names]
    cells = [
        cell.templates if (cell := state.find(v.address)) is not None else ()
        for v in [first, *values]
        if isinstance(v, Seq | Dict)
    ]
    return (tuple(values), tuple(cells))


def refresh(m: Analysis, value: Seq, state: State) -> None:
    """A generator expression is evaluated when it is drawn: what has changed since it was written counts."""
    node, scope, first, then = m.generators[value.address]
    if scope.frame not in state.frames and not scope.frame.startswith("module "):
        return
    if surroundings(node, first, state, scope) == then:
        return
    templates, after, _ = _made(m, node, first, state.fork(), scope)
    keep(m, state, after)
    cell = state.cell(value.address)
    state.heap[value.address] = Cell(absorb(cell.templates, templates))


def mapped(m: Analysis, node: ast.DictComp, state: State, scope: Scope) -> Results:
    from pytest_invariants.flow.machine import displays

    results: Results = []
    for source, outer in m.evaluate(node.generators[0].iter, state, scope):
        first = settled_source(m, source, outer)
        new = Dict(address=m.allocate(outer))
        shown = displays.in_turn(m, node, first, outer, scope)
        for made, after in shown or ():
            after.heap[new.address] = Cell(made, exact=containers.keys_differ(made))
            results.append((new, after))
        if shown is not None:
            continue
        after = outer.fork()
        templates: tuple[Template, ...] = ()
        for _ in range(1 if m.past or m.coarse else PASSES):
            before = after.fork()
            with within(m, node, scope) as inner:
                for ready, _ in _rounds(m, node, node.generators, first, before, inner):
                    for (key, value), end in m.evaluate_all([node.key, node.value], ready, inner):
                        known = known_of(Tuple(items=(key, value)), end.facts)
                        templates = absorb(templates, [Template(value, known, key)])
                        keep(m, after, end)
            if not changed_between(before, after):
                break
        after.heap[new.address] = Cell(templates)
        results.append((new, after))
    return results


def settled_source(m: Analysis, source: Value, state: State) -> Value:
    """A generator is run once, in the state that goes on; a dictionary gives its keys."""
    from pytest_invariants.flow.calls.thunks import drained
    from pytest_invariants.flow.containers.methods import view

    if isinstance(source, Dict) and containers.contents(m, source, state).exact:
        return view(m, source, "keys", state)
    return drained(m, source, state) if isinstance(source, Thunk) else source


DRAWN = "<drawn>"


def _about(end: State, scope: Scope) -> Term | None:
    """The element of the first source that this round was about."""
    drawn = end.frame(scope.frame).get(DRAWN)
    return term_of(drawn) if drawn is not None else None


def _templates(m: Analysis, value: Value, state: State) -> tuple[Template, ...]:
    return containers.elements_of(m, value, state) if isinstance(value, Seq | Dict | Tuple) else (Template(value),)


def _source(value: Value, state: State) -> Term | None:
    if not isinstance(value, Seq | Dict):
        return None
    return value.address


def _elements(m: Analysis, node: ast.expr, rounds: list[tuple[State, Scope]]) -> Results:
    return [pair for before, inner in rounds for pair in m.evaluate(node, before, inner)]


def keep(m: Analysis, outer: State, end: State) -> None:
    """What a round leaves behind: calls of the seal, doubts, thunks, and objects that it changed."""
    outer.outcomes.update({n: o for n, o in end.outcomes.items() if outer.outcomes.get(n) != "stale"})
    outer.calls.update(end.calls)
    outer.draws |= end.draws
    for place, count in end.counts.items() - outer.counts.items():
        outer.counts[place] = max(outer.counts.get(place, 0), count)
    outer.doubts |= end.doubts
    outer.pending |= end.pending
    outer.read_anew(lambda spot: end.reads.get(spot) != outer.reads[spot])
    outer.epoch = max(outer.epoch, end.epoch)
    for name, frame in end.frames.items():
        if name in outer.frames or outer.frame(name):
            if not name.startswith("comprehension "):
                _keep_variables(outer, name, frame)
        elif name in m.captured:
            outer.frames[name] = frame
    for address, cell in end.heap.items():
        known = outer.find(address)
        if known is None:
            outer.heap.setdefault(address, cell)
        elif cell is not None:
            merged = absorb(known.templates, cell.templates) if cell is not known else known.templates
            if merged != known.templates:
                outer.heap[address] = Cell(merged, None, False, known.closed, known.filled)
            elif cell is not known:  # a round may have taken something out
                exact = known.exact and cell.exact and cell.templates == known.templates
                outer.heap[address] = replace(known, exact=exact, filled=known.filled and cell.filled)
    for key, value in end.fields.items():
        known_value = outer.field(*key)
        if key[1] == SET and known_value is None:  # nobody may have set it
            continue
        outer.fields[key] = union([known_value, value]) if known_value is not None else value


def _keep_variables(outer: State, name: str, frame: dict[str, Value]) -> None:
    """Variables that a round has bound around it, by `:=` or `nonlocal`."""
    known = outer.frame(name)
    if known is frame:
        return
    new = {key: value for key, value in frame.items() if known.get(key) is not value and known.get(key) != value}
    if new:
        merged = {key: union([known[key], value]) if key in known else value for key, value in new.items()}
        outer.frames[name] = {**known, **merged}


@contextmanager
def within(m: Analysis, node: Comprehension, scope: Scope) -> Iterator[Scope]:
    """The comprehension's own scope; while it lasts its draws are current."""
    inner = scope.inside(f"comprehension {m.draw(node, scope, 'frame')}")
    draws = [m.draw(generator, inner) for generator in node.generators]
    m.active += draws
    try:
        yield inner
    finally:
        del m.active[len(m.active) - len(draws) :]


def _rounds(
    m: Analysis, node: ast.expr, generators: list[ast.comprehension], first: Value, state: State, scope: Scope
) -> list[tuple[State, Scope]]:
    """The paths on which an element is made, each with its targets bound and its conditions true."""
    inner = scope
    before = state.fork()
    before.frames[scope.frame] = {}
    paths = [before]
    for position, generator in enumerate(generators):
        drawn: list[State] = []
        for path in paths:
            sources = [(first, path)] if position == 0 else m.evaluate(generator.iter, path, inner)
            for source, ready in sources:
                drawn += _draw(m, generator, source, ready, inner)
        paths = drawn
    return [(path, inner) for path in paths]


def _draw(m: Analysis, generator: ast.comprehension, source: Value, state: State, scope: Scope) -> list[State]:
    drawn: list[State] = []
    for element, after in m.iterate(source, state, scope, generator):
        if DRAWN not in after.frame(scope.frame):
            after.bind(scope.frame, DRAWN, element)
        for bound in m.unpack(generator.target, element, after, scope):
            drawn += decide_all(m, generator.ifs, [bound], scope).true
    return drawn
