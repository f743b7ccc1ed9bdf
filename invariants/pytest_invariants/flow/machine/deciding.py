"""Tests, as control flow: `and`, `or` and `not` are branches, so that no answer becomes a value that would have to be told apart."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.machine.merging import kept_apart

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


@dataclass
class Ways:
    """The paths on which a test holds, and those on which it does not."""

    true: list[State] = field(default_factory=list)
    false: list[State] = field(default_factory=list)

    def of(self, truth: bool) -> list[State]:
        return self.true if truth else self.false

    def turned(self) -> Ways:
        return Ways(self.false, self.true)


def decide(m: Analysis, test: ast.expr, states: list[State], scope: Scope) -> Ways:
    """Evaluate a test on each of several paths."""
    match test:
        case ast.BoolOp(op=op, values=operands):
            return _in_turn(m, operands, isinstance(op, ast.Or), states, scope)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return decide(m, operand, states, scope).turned()
    ways = Ways()
    with m.sharing(len(states)):
        for value, after in (pair for before in states for pair in m.evaluate(test, before, scope)):
            ways.true += m.assume(value, True, after.fork(), scope)
            ways.false += m.assume(value, False, after, scope)
    return ways


def decide_all(m: Analysis, tests: list[ast.expr], states: list[State], scope: Scope) -> Ways:
    """The paths on which all of the tests hold, and those on which one does not: none of them is joined or left out."""
    ways = Ways(states)
    for test in tests:
        found = decide(m, test, ways.true, scope)
        ways = Ways(found.true, ways.false + found.false)
    return ways


def _in_turn(m: Analysis, operands: list[ast.expr], stops_at: bool, states: list[State], scope: Scope) -> Ways:
    """One operand after the other, until one has this truth value."""
    stopped, going = list[State](), states
    for operand in operands:
        found = decide(m, operand, going, scope)
        stopped += found.of(stops_at)
        going = kept_apart(m, found.of(not stops_at))
    ways = Ways(stopped, going) if stops_at else Ways(going, stopped)
    return _one_of(m, ways) if m.sampler is not None else ways


def _one_of(m: Analysis, ways: Ways) -> Ways:
    """While a way around is looked for, one path of all."""
    assert m.sampler is not None
    every = [(truth, state) for truth in (True, False) for state in ways.of(truth)]
    chosen = m.sampler.one(every, lambda pair: pair[1])
    return Ways([state for truth, state in chosen if truth], [state for truth, state in chosen if not truth])


__all__ = ["Ways", "decide", "decide_all"]
