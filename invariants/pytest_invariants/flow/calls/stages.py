"""How far a function is followed into itself: as long as it comes to constants that it has not had."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.calls.binding import bind
from pytest_invariants.flow.domain.outcomes import Arguments
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.values import Const, Func, Member, Value
from pytest_invariants.flow.machine import counting
from pytest_invariants.flow.machine.machine import OutOfBudget

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

STAGES = 12
"""Calls into itself after which a function that still comes to new constants is given up."""


def numbered(m: Analysis, function: Func, bound: dict[str, Value]) -> dict[str, Value]:
    """A number by which an element is looked up is a number of its own, one step from the last: a chain goes from link to link."""
    told = {name: counting.folded(value) for name, value in bound.items()}
    if m.past or m.coarse or told == bound:
        return bound
    used = {
        n.slice.id
        for n in ast.walk(function.info.node)
        if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Name)
    }
    return {name: told[name] if name in used else value for name, value in bound.items()}


def around(function: Func, state: State) -> frozenset[tuple[str, Value]]:
    """The constants of the function in which this one was made, and which it reads."""
    if len(function.chain) < 2 or not (held := constants_of(state.frame(function.chain[-1]))):
        return frozenset()
    read = {node.id for node in ast.walk(function.info.node) if isinstance(node, ast.Name)}
    return frozenset((f"around {name}", value) for name, value in held if name in read)


def constants_of(bound: dict[str, Value]) -> frozenset[tuple[str, Value]]:
    return frozenset((name, value) for name, value in bound.items() if isinstance(value, Const | Member))


def is_new(m: Analysis, function: Func, arguments: Arguments, state: State) -> bool:
    """Whether a function that calls itself has come to constants that it has not had: it may do something new then."""
    if m.coarse or m.past:
        return False
    earlier = [constants for info, constants in m.stages if info is function.info]
    bound = numbered(m, function, bind(m, function, arguments, state.fork()))
    new = constants_of(bound) | around(function, state)
    if not new or any(new <= constants for constants in earlier):
        return False
    if len(earlier) > STAGES:
        raise OutOfBudget
    return True
