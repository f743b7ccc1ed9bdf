"""Loops: no round, one round, and more rounds until nothing new comes of it; then what held for every element."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import noting
from pytest_invariants.flow.containers.drawing import unrolled
from pytest_invariants.flow.domain import live
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.terms import Term
from pytest_invariants.flow.domain.values import Const, Dict, Member, Obj, Seq, Sym, Value, options_of, term_of
from pytest_invariants.flow.machine import everywhere, marking, removing
from pytest_invariants.flow.machine.comprehensions import settled_source
from pytest_invariants.flow.machine.deciding import decide
from pytest_invariants.flow.machine.machine import Outcome, OutOfBudget
from pytest_invariants.flow.machine.merging import alike, distinct, reduced
from pytest_invariants.flow.machine.reading import split
from pytest_invariants.flow.machine.sampling import followed_in_part

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


ROUNDS = 3
"""Rounds that are followed; a path that needs more of them differs from these only in how often it did the same."""


def rounds(m: Analysis) -> int:
    return 1 if m.coarse or m.past or m.sampler is not None else 2 if m.pressed else ROUNDS


STAGES = 16
"""Rounds after which a loop that still comes to new constants is given up: the surface is left undecided."""


class Stages:
    """How long a loop is followed: a few rounds, and on while its variables come to constants that they have not had."""

    def __init__(self, m: Analysis, scope: Scope) -> None:
        self.m, self.frame, self.number = m, scope.frame, 0
        self.seen: set[tuple[str, Value]] = set()

    def more(self, heads: list[State]) -> bool:
        new = self._constants(heads) - self.seen
        self.seen |= new
        self.number += 1
        if self.number <= rounds(self.m):
            return True
        if new and self.number > STAGES and not self.m.coarse:
            raise OutOfBudget
        return bool(new) and self.number <= STAGES and not (self.m.coarse or self.m.past)

    def _constants(self, heads: list[State]) -> set[tuple[str, Value]]:
        return {
            (name, option)
            for head in heads
            for name, value in head.frame(self.frame).items()
            for option in options_of(value)
            if isinstance(option, Const | Member)
        }


def heads_kept(m: Analysis) -> int:
    return max(2, m.path_limit // 4)


def for_loop(m: Analysis, node: ast.For | ast.AsyncFor, state: State, scope: Scope) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for source, before in m.evaluate(node.iter, state, scope):
        settled = settled_source(m, source, before)
        before.epoch += isinstance(node, ast.AsyncFor)  # also where nothing comes
        exact = unrolled(m, settled, before)
        if exact is not None:
            live.spent(settled, before)
            outcomes += _each_in_turn(m, node, exact, before, scope)
        else:
            outcomes += _rounds(m, node, settled, before, scope)
    return outcomes


def _each_in_turn(
    m: Analysis, node: ast.For | ast.AsyncFor, items: tuple[Value, ...], state: State, scope: Scope
) -> list[Outcome]:
    """A display whose elements are all known: one round each, in order."""
    going, ended = [state], list[Outcome]()
    for item in items:
        ready = [
            one
            for before in going
            for value, drawn in split(item, before)
            for one in m.unpack(node.target, value, drawn, scope)
        ]
        onward = _body(m, node, ready, scope, ended)
        going = reduced(m, distinct(onward), heads_kept(m) * 2)
    return _after(m, node, going, ended, scope)


def _body(
    m: Analysis, node: ast.For | ast.AsyncFor | ast.While, states: list[State], scope: Scope, left: list[Outcome]
) -> list[State]:
    """The states in which a round comes to its end; ways out of the loop are added to `left`."""
    onward: list[State] = []
    for outcome in m.execute_all(node.body, states, scope):
        if outcome.kind in ("next", "continue"):
            onward.append(outcome.state)
        else:
            left.append(outcome)
    return onward


def _rounds(m: Analysis, node: ast.For | ast.AsyncFor, source: Value, state: State, scope: Scope) -> list[Outcome]:
    draw = m.draw(node, scope)
    if m.past:  # one round stands for all while modules are loaded
        m.generic.add(draw)
    exhausted, ended = [] if _gives_something(source, state) else [state.fork()], list[Outcome]()
    ends: list[removing.End] = []
    partly = False
    heads, begun = [state], state.fork()
    stages, marks = Stages(m, scope), marking.watched(m, node, begun, scope)
    while stages.more(heads):
        finished, left = _round(m, node, source, heads, scope, marks)
        finished = marking.told_apart(m, marks, finished, scope)
        ended += left
        partly |= not finished or any(s.calls.keys() != begun.calls.keys() for _, s in finished)
        partly |= marking.notes_anything(marks)
        ends += [removing.ended(drawn, s) for drawn, s in finished]
        heads = marking.fewer(m, marks, _news([s for _, s in finished], exhausted), heads_kept(m))
        exhausted += heads
        if not heads:
            break
    exhausted = marking.fewer(m, marks, distinct(exhausted), heads_kept(m) * 2)
    drawn = [source.address, *live.wholes(m, node.iter, source)] if isinstance(source, Seq | Dict) else []
    for address in drawn:
        for after in exhausted:
            after.heap.setdefault(address, after.find(address))
            everywhere.conclude(address, [(term_of(end.drawn), end.facts) for end in ends], after)
    removing.conclude(m, source, ends, begun, exhausted)
    marking.conclude(m, source, drawn, marks, exhausted)
    if partly and m.sampler is not None and _may_ask(m, scope):
        exhausted = [followed_in_part(after, scope.here) for after in exhausted]
    return _after(m, node, exhausted, ended, scope)


def _gives_something(source: Value, state: State) -> bool:
    """Whether something has been put into the collection on this very path: there is a round then."""
    cell = state.find(source.address) if isinstance(source, Seq | Dict) and noting.made_now(source.address) else None
    return cell is not None and cell.filled and cell.closed and bool(cell.templates) and not cell.lazy


def _may_ask(m: Analysis, scope: Scope) -> bool:
    return scope.info is None or m.reach is None or m.reach.may_ask(scope.info)


def _news(states: list[State], known: list[State]) -> list[State]:
    return [s for s in distinct(states) if not any(s.epoch == k.epoch and alike(s, k) for k in known)]


def _round(
    m: Analysis, node: ast.For | ast.AsyncFor, source: Value, heads: list[State], scope: Scope, marks: marking.Marks
) -> tuple[list[tuple[Value, State]], list[Outcome]]:
    finished: list[tuple[Value, State]] = []
    left: list[Outcome] = []
    drawn = [pair for head in heads for pair in m.iterate(source, head, scope, node)]
    ready: dict[Term, list[State]] = {}
    elements: dict[Term, Value] = {}
    m.active.append(marks.draw)
    for element, state in drawn:
        noting.begins(marks.draw, marks.lists, state)
        elements.setdefault(term_of(element), element)
        ready.setdefault(term_of(element), []).extend(m.unpack(node.target, element, state, scope))
    with m.sharing(len(ready)):
        for term, states in ready.items():
            finished += [(elements[term], end) for end in _body(m, node, states, scope, left)]
    m.active.pop()
    return finished, left


def _after(
    m: Analysis, node: ast.For | ast.AsyncFor | ast.While, exhausted: list[State], ended: list[Outcome], scope: Scope
) -> list[Outcome]:
    outcomes = [o for o in ended if o.kind == "return"]
    outcomes += [Outcome("next", o.state) for o in ended if o.kind == "break"]
    for after in exhausted:
        outcomes += m.execute(node.orelse, after, scope) if node.orelse else [Outcome("next", after)]
    return outcomes


def while_loop(m: Analysis, node: ast.While, state: State, scope: Scope) -> list[Outcome]:
    heads, exhausted, ended = [state], list[State](), list[Outcome]()
    stages = Stages(m, scope)
    while heads and stages.more(heads):
        ways = decide(m, node.test, heads, scope)
        exhausted += ways.false
        onward = _body(m, node, ways.true, scope, ended)
        heads = reduced(m, distinct(onward), heads_kept(m))
        for head in heads:
            head.known = {}
    exhausted += decide(m, node.test, heads, scope).false
    return _after(m, node, distinct(exhausted), ended, scope)


__all__ = ["Const", "Obj", "Sym", "Term", "for_loop", "while_loop"]
