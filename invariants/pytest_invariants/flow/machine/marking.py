"""Loops that note down what was refused: where nothing was noted, every round ended without a refusal.

A note is an entry of a collection that was empty before the loop, or a variable that no round sets back: `bad = True`,
`bad |= refused`, `count += 1`, `ok = ok and allowed`.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import noting
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State, changes_of, losses_of
from pytest_invariants.flow.domain.terms import NOTHING, Applied, Fresh, Literal, Term
from pytest_invariants.flow.domain.values import Cond, Const, Obj, Sym, Value, Verdict, term_of
from pytest_invariants.flow.library.library import EXCEPTIONS
from pytest_invariants.flow.machine import answering, counting, everywhere
from pytest_invariants.flow.machine.merging import reduced

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

CHANGING = {False: (ast.Or, ast.BitOr), True: (ast.And, ast.BitAnd)}
"""The operators after which a variable that was not false (true) before never is."""

CAUGHT = "exception"
"""What a handler's exception is called of which nothing else is known."""


@dataclass
class Marks:
    """What one loop may note its refusals in: the variables, each with its truth before the loop, and what each round left."""

    begun: State
    frame: str
    flags: dict[str, bool]
    draw: int
    lists: list[Term]
    """The collections that were made on this activation and are empty before the loop."""
    ends: list[tuple[Value, State]] = field(default_factory=list)


def watched(m: Analysis, node: ast.For | ast.AsyncFor, begun: State, scope: Scope) -> Marks:
    held = begun.frame(scope.frame)
    truths = {name: bool(value.value) for name, value in held.items() if isinstance(value, Const)}
    lists = [] if m.past else _empty_lists(begun)
    if m.past or not truths:
        return Marks(begun, scope.frame, {}, m.draw(node, scope), lists)
    shared = _shared(scope)
    caught = {part.name for part in ast.walk(node) if isinstance(part, ast.ExceptHandler) and part.name}
    flags = {
        name: truths[name]
        for name, stores in _stores(node).items()
        if name in truths and name not in shared | caught
        if all(_keeps(name, truths[name], store, caught) for store in stores)
    }
    return Marks(begun, scope.frame, flags, m.draw(node, scope), lists)


def notes_anything(marks: Marks) -> bool:
    """Whether a round has put something into a collection that was empty before."""
    return any(end.cell(a).filled for _, end in marks.ends for a in marks.lists)


def _empty_lists(state: State) -> list[Term]:
    return [a for a, cell in state.heap.items() if cell is not None and noting.made_now(a) and _is_empty(state, a)]


def _shared(scope: Scope) -> set[str]:
    """Variables of the function that another one may set as well, or that belong to another one."""
    nodes = ast.walk(scope.info.node) if scope.info is not None else ()
    return {name for node in nodes if isinstance(node, ast.Nonlocal | ast.Global) for name in node.names}


def _stores(node: ast.AST) -> dict[str, list[ast.AST | None]]:
    """The statements that set each variable; None for one that may set it to anything."""
    found: dict[str, list[ast.AST | None]] = {}
    told: set[ast.AST] = set()
    for part in ast.walk(node):
        match part:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value):
                found.setdefault(name, []).append(value)
                told.add(target)
            case ast.AugAssign(target=ast.Name(id=name) as target):
                found.setdefault(name, []).append(part)
                told.add(target)
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) if part not in told:
                found.setdefault(name, []).append(None)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                found.setdefault(name, []).append(None)
            case ast.MatchMapping(rest=str(name)) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.setdefault(name, []).append(None)
            case ast.alias(name=path, asname=other):
                found.setdefault(other or path.partition(".")[0], []).append(None)
    return found


def _keeps(name: str, truth: bool, store: ast.AST | None, caught: set[str]) -> bool:
    """Whether the variable stays what it is where it is no longer `truth`; an exception that was caught is never false."""
    match store:
        case ast.Name(id=given):
            return given in caught and not truth
        case ast.Constant(value=bool(value) | str(value)):
            return bool(value) is not truth
        case ast.BoolOp(op=op, values=parts):
            return isinstance(op, CHANGING[truth]) and any(isinstance(p, ast.Name) and p.id == name for p in parts)
        case ast.BinOp(op=op, left=ast.Name(id=left)):
            return isinstance(op, CHANGING[truth]) and left == name
        case ast.AugAssign(op=ast.Add(), value=ast.Constant(value=int(step))):
            return not truth and step > 0
        case ast.AugAssign(op=op):
            return isinstance(op, CHANGING[truth])
        case _:
            return False


def told_apart(
    m: Analysis, marks: Marks, finished: list[tuple[Value, State]], scope: Scope
) -> list[tuple[Value, State]]:
    """The ends of a round, those that set a variable apart from those that did not."""
    for name in marks.flags:
        finished = [(drawn, end) for drawn, state in finished for end in _by_flag(m, marks, name, state, scope)]
    marks.ends += [(drawn, state.fork()) for drawn, state in finished]
    for _, state in finished:
        noting.forget(marks.draw, state)
        noting.ends(marks.draw, state)
    return finished


def _by_flag(m: Analysis, marks: Marks, name: str, state: State, scope: Scope) -> list[State]:
    value = state.frame(marks.frame).get(name)
    if isinstance(value, Sym) and _is_positive(value.term):
        counting.noted(m, value.term, Const(value=True), state)
    elif value is not None and _is_exception(value):
        state.known |= {("true", term_of(value), NOTHING): True, ("is", term_of(value), NOTHING): False}
    if not isinstance(value, Verdict | Cond) or not m.seal.boolean:
        return [state]
    ends = []
    for truth in (True, False):
        for end in m.assume(value, truth, state.fork(), scope):
            end.bind(marks.frame, name, Const(value=truth))
            ends.append(end)
    return ends


def _is_exception(value: Value) -> bool:
    if isinstance(value, Obj):
        return any(base.endswith(EXCEPTIONS) for base in value.cls.foreign_bases())
    match term_of(value):
        case Fresh(_, hint):
            return hint == CAUGHT
        case Applied(function, _):
            return function.startswith("builtins.") and function.endswith(EXCEPTIONS)
        case _:
            return False


def _is_positive(term: Term) -> bool:
    """Whether it is a sum of a count and a step."""
    match term:
        case Applied("Add", (left, Literal(int(step)))):
            counted = isinstance(left, Literal) and isinstance(left.value, int) and left.value >= 0
            return step > 0 and (counted or _is_positive(left))
        case _:
            return False


def fewer(m: Analysis, marks: Marks, states: list[State], limit: int) -> list[State]:
    """At most so many paths; those on which something was noted are not joined with the others."""
    if len(states) <= limit or not _asked(marks):
        return reduced(m, states, limit)
    cells = _noted(marks)
    groups: dict[object, list[State]] = {}
    for state in states:
        noted = [state.cell(a).filled for a in cells], [_truth(m, marks, n, state) for n in marks.flags]
        groups.setdefault(repr(noted), []).append(state)
    if len(groups) > limit // 2:
        return reduced(m, states, limit)
    share = min(limit, 2 * limit // len(groups))
    return [one for group in groups.values() for one in reduced(m, group, share)]


def _asked(marks: Marks) -> bool:
    """Whether any round asked the seal."""
    return any(end.calls.keys() != marks.begun.calls.keys() for _, end in marks.ends)


def _noted(marks: Marks) -> list[Term]:
    """The collections that were empty before the loop, and that a round has put something in."""
    cells = [a for a, cell in marks.begun.heap.items() if cell is not None and _is_empty(marks.begun, a)]
    return [a for a in cells if any(end.find(a) != marks.begun.find(a) for _, end in marks.ends)]


def conclude(m: Analysis, source: Value, drawn: list[Term], marks: Marks, states: list[State]) -> None:
    """The loop over these collections has come to its end. On a path on which nothing was noted no round noted anything."""
    if m.past:
        return
    answering.all_of_source(m, source, marks.draw, marks.ends, states)
    answering.conclude(m, source, marks, states)
    if not _asked(marks):
        return
    cells = _noted(marks)
    for after in states:
        empty = [a for a in cells if _unchanged(marks.begun, a, after)]
        unset = [n for n, truth in marks.flags.items() if _truth(m, marks, n, after) is truth]
        left = [
            (term_of(one), end.facts)
            for one, end in marks.ends
            if not any(end.cell(a).filled for a in empty)
            and not any(_truth(m, marks, n, end) is (not marks.flags[n]) for n in unset)
        ]
        for address in drawn if len(left) < len(marks.ends) else ():
            everywhere.conclude(address, left, after)
        for place in [a for a in cells if noting.made_now(a) and _nothing_lost(marks, a)]:
            for address in drawn:
                _conclude_unless(marks, address, place, after)


def _nothing_lost(marks: Marks, address: Term) -> bool:
    """Whether no round took anything out."""
    place = losses_of(address)
    return all(end.made_at(place) == marks.begun.made_at(place) for _, end in marks.ends)


def _conclude_unless(marks: Marks, address: Term, place: Term, after: State) -> None:
    """Of each element that no round has noted in the collection at `place` it is known what such rounds ended with."""
    rounds = [(term_of(one), noting.notes(place, end), end.facts) for one, end in marks.ends]
    noted = [(drawn, keys) for drawn, keys, _ in rounds if keys]
    others = [(drawn, facts) for drawn, keys, facts in rounds if not keys]
    if noted and others:
        everywhere.conclude_unless(address, noted, others, place, after)


def _is_empty(state: State, address: Term) -> bool:
    cell = state.cell(address)
    return cell.closed and not (cell.templates or cell.filled or cell.lazy or cell.version)


def _unchanged(begun: State, address: Term, after: State) -> bool:
    """Whether nothing was ever put in, on none of the paths that were joined."""
    place = changes_of(address)
    return after.find(address) == begun.find(address) and after.made_at(place) == begun.made_at(place)


def _truth(m: Analysis, marks: Marks, name: str, state: State) -> bool | None:
    value = state.frame(marks.frame).get(name)
    if value is not None and _is_exception(value):
        return True
    if isinstance(value, Sym):
        value = counting.counted(m, value, state)
    return bool(value.value) if isinstance(value, Const) else None
