"""Caches around functions: one that this activation has made itself holds nothing of an earlier one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.state import WRITTEN, State, changes_of, lives_on
from pytest_invariants.flow.domain.terms import Named
from pytest_invariants.flow.domain.values import Const, Dict, Func, Obj, Seq, Tuple, Value, Wrapped, term_of
from pytest_invariants.flow.machine.machine import Arguments
from pytest_invariants.program.bodies import glance

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

SEEN = "<seen>"
"""The field that holds what a cached function saw when it was first called on this path."""


def answers_anew(m: Analysis, function: Wrapped, arguments: Arguments, state: State) -> bool:
    """Whether what the cache gives is what the function would give now: the cache was made in this activation, and nothing that
    the function sees has changed since it was first called."""
    inner = function.function
    if not function.fresh or not isinstance(inner, Func) or m.past:
        return False
    place = Named(f"cache {inner.info.reference} {inner.chain}")
    return all(
        _as_before(place, field, seen, state)
        for field, seen in ((SEEN, _surroundings(inner, state)), *_changeable(arguments, state))
    )


def _as_before(place: Named, field: str, seen: Value, state: State) -> bool:
    before = state.fields.setdefault((place, field), seen)
    return before == seen


def _surroundings(function: Func, state: State) -> Value:
    """The variables that the function names, and how often what they hold has been changed."""
    with glance(function.info.node):
        names = sorted({n.id for n in ast.walk(function.info.node) if isinstance(n, ast.Name)})
    frames = [state.frame(name) for name in reversed(function.chain)]
    values = [next((frame[name] for frame in frames if name in frame), Const(value=None)) for name in names]
    changes = tuple(
        Const(value=state.made_at(changes_of(v.address))) for v in values if isinstance(v, Obj | Seq | Dict)
    )
    return Tuple(items=(*values, *changes, Const(value=state.made_at(WRITTEN))))


def _changeable(arguments: Arguments, state: State) -> list[tuple[str, Value]]:
    """The arguments that may be changed and stay the same key of the cache, and how often they have been."""
    made_here = [v for v in arguments.every() if isinstance(v, Obj) and not lives_on(v.address)]
    return [(f"{SEEN} {term_of(v)!r}", Const(value=state.made_at(changes_of(v.address)))) for v in made_here]
