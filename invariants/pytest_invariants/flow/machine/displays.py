"""Comprehensions over a few elements that are all known: they are made one by one, and so is what comes of them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers.drawing import unrolled
from pytest_invariants.flow.domain.relevance import known_of
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State, Template
from pytest_invariants.flow.domain.values import (
    Bound,
    Class,
    Cond,
    Const,
    Func,
    Partial,
    Tuple,
    Union,
    Value,
    Verdict,
    Wrapped,
    options_of,
    term_of,
    union,
    with_labels,
)
from pytest_invariants.flow.machine.comprehensions import Comprehension, keep, within
from pytest_invariants.flow.machine.deciding import decide_all

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

Made = tuple[tuple[Template, ...], State]
"""The elements in their order, and the state in which they are there."""
PATHS = 8
"""Ways to make such a collection that are told apart."""
NEVER = Union()
"""What drawing an element gives that raises instead."""
FUNCTIONS = (Func, Bound, Partial, Wrapped, Class)


def in_turn(m: Analysis, node: Comprehension, first: Value, state: State, scope: Scope) -> list[Made] | None:
    """One element for each of a small display, in its order; None for anything else."""
    plain = len(node.generators) == 1 and not (m.past or m.coarse)
    items = unrolled(m, first, state) if plain else None
    if items is None or (isinstance(node, ast.SetComp) and len(items) > 1):
        return None
    found = None if isinstance(node, ast.GeneratorExp) else _at_once(m, node, items, state, scope)
    return found if found is not None else _as_one(m, node, items, state, scope)


def _at_once(
    m: Analysis, node: Comprehension, items: tuple[Value, ...], state: State, scope: Scope
) -> list[Made] | None:
    """Every way to make them all; None where there are too many."""
    paths: list[Made] = [((), state.fork())]
    with within(m, node, scope) as inner:
        paths[0][1].frames[inner.frame] = {}
        for item in items:
            paths = [
                ((*made, *more), after) for made, before in paths for more, after in _one(m, node, item, before, inner)
            ]
            if m.sampler is not None:
                paths = m.sampler.one(paths, lambda path: path[1])
            if len(paths) > PATHS:
                return None
    for _, after in paths:
        after.frames.pop(inner.frame, None)
    return paths


def _one(m: Analysis, node: Comprehension, item: Value, state: State, scope: Scope) -> list[Made]:
    """What comes of one of the elements: something, or nothing where a condition does not hold."""
    generator = node.generators[0]
    options = options_of(item)
    going = [
        ready
        for option in options
        for ready in m.unpack(generator.target, with_labels(option, item.labels), state.fork(), scope)
    ]
    ways = decide_all(m, generator.ifs, going, scope)
    found: list[Made] = [((), end) for end in ways.false]
    parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    for before in ways.true:
        for values, after in m.evaluate_all(parts, before, scope):
            found.append(((_template(values, item, after),), after))
    return found


def _template(values: list[Value], item: Value, state: State) -> Template:
    key = values[0] if len(values) > 1 else None
    known = known_of(Tuple(items=tuple(values)) if key is not None else values[-1], state.facts)
    return Template(values[-1], known, key, term_of(item) if key is None else None)


def _as_one(
    m: Analysis, node: Comprehension, items: tuple[Value, ...], state: State, scope: Scope
) -> list[Made] | None:
    """One way that stands for all: of what is asked when it is drawn nothing is known before."""
    lazy = isinstance(node, ast.GeneratorExp)
    functions = all(isinstance(item, FUNCTIONS) for item in items)
    if isinstance(node, ast.DictComp) or node.generators[0].ifs or not (lazy or functions):
        return None
    templates, after = list[Template](), state.fork()
    for item in items:
        with within(m, node, scope) as inner:
            begun = after.fork()
            begun.frames[inner.frame] = {}
            ready = m.unpack(node.generators[0].target, item, begun, inner)
            made = [pair for before in ready for pair in m.evaluate(node.elt, before, inner)]
        if lazy and not made and not functions:
            templates.append(Template(NEVER))
            continue
        if not made or not (functions or (len(made) == 1 and _is_answer(made[0][0]))):
            return None
        facts = frozenset.intersection(*(end.facts for _, end in made))
        templates.append(Template(union([value for value, _ in made]), facts, None, term_of(item)))
        for _, end in made:
            keep(m, after, end)
        if not lazy:  # all of them have come to their end
            after.facts |= facts
    return [(tuple(templates), after)]


def _is_answer(value: Value) -> bool:
    return isinstance(value, Verdict | Cond | Const)
