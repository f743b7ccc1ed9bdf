"""`all(...)`, `any(...)`, `x in answers`: what several truths together say of each of them."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers.drawing import unrolled
from pytest_invariants.flow.domain import live
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State, Template
from pytest_invariants.flow.domain.terms import Named
from pytest_invariants.flow.domain.values import Cond, Const, Seq, Thunk, Tuple, Value, Verdict, is_truth_value
from pytest_invariants.flow.machine import everywhere
from pytest_invariants.flow.machine.machine import Arguments, Results

if TYPE_CHECKING:
    from pytest_invariants.flow.library.models import Model
    from pytest_invariants.flow.machine.analysis import Analysis


def model(operator: str) -> Model:
    return partial(_asked, operator)


def _asked(operator: str, m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    from pytest_invariants.flow.calls.thunks import drained
    from pytest_invariants.flow.library.models import iterable

    source = iterable(m, arguments.positional[0], state, scope, node)
    if isinstance(source, Thunk):
        source = drained(m, source, state)
    return [(Cond(operator=operator, operands=(_drawn(m, source, state),)), state)]


def _drawn(m: Analysis, source: Value, state: State) -> Value:
    """What an iterator gives, where every element is known: it is not there a second time."""
    if not isinstance(source, Seq) or source.kind != "iterator" or unrolled(m, source, state) is None:
        return source
    new = replace(source, address=m.allocate(state), kind="list")
    state.heap[new.address] = replace(state.cell(source.address), lazy=False)
    live.spent(source, state)
    return new


def quantified(m: Analysis, value: Value, operator: str, truth: bool, state: State, scope: Scope) -> list[State]:
    """`all(...)` true and `any(...)` false speak of each element; the other outcomes of some element, which is nobody's pass."""
    from pytest_invariants.flow.containers.containers import elements_of

    shown = unrolled(m, value, state)
    if shown is not None:
        return eager(m, shown, "and" if operator == "all" else "or", truth, state, scope) if shown else [state]
    wanted = operator == "all"
    templates = elements_of(m, value, state)
    if truth is wanted and (put := _only_one(value, templates, state)) is not None:
        return m.assume(put, truth, state, scope)
    if truth is not wanted:
        for template in templates:
            _note_partial(m, template.value, state, scope)
        return [state]
    told = all(template.about is not None for template in templates)
    if not told or not isinstance(value, Seq) or state.cell(value.address).source is None:
        for template in templates:
            _note_partial(m, template.value, state, scope)
        return [state]
    ends = []
    for template in templates:
        inside = state.fork()
        inside.facts |= template.facts
        with m.speaking_of_all():
            found = m.assume(template.value, wanted, inside, scope)
        for end in found:
            ends.append((template.about or Named("unknown"), end.facts))
            state.outcomes.update(end.outcomes)
            state.calls.update(end.calls)
    source = state.cell(value.address).source
    assert source is not None
    everywhere.conclude(source, ends, state)
    return [state]


def _only_one(value: Value, templates: tuple[Template, ...], state: State) -> Value | None:
    """The only answer that a list can hold, where it was put in on this very path."""
    cell = state.find(value.address) if isinstance(value, Seq) else None
    only = templates[0].value if len(templates) == 1 else None
    there = cell is not None and cell.filled and cell.closed and not (cell.lazy or cell.source)
    return only if there and isinstance(only, Verdict | Cond) else None


def _note_partial(m: Analysis, value: Value, state: State, scope: Scope) -> None:
    for verdict in m.verdicts_in(value):
        state.outcomes[verdict.call.number] = "partial"


def eager(
    m: Analysis, operands: tuple[Value, ...], operator: str, truth: bool, state: State, scope: Scope
) -> list[State]:
    """Both operands have been evaluated: `a & b`, `a | b`, chained comparisons."""
    decisive = operator == "or"
    states = [state]
    if truth is not decisive:
        for operand in operands:
            states = [after for before in states for after in m.assume(operand, truth, before, scope)]
        return states
    found: list[State] = []
    for operand in operands:
        found += [after for before in states for after in m.assume(operand, decisive, before.fork(), scope)]
        states = [after for before in states for after in m.assume(operand, not decisive, before, scope)]
    return found


def among_answers(m: Analysis, value: Value, collection: Value, state: State) -> tuple[Value, ...] | None:
    """`True in answers`, where all of these are known: whether any of them is what is looked for."""
    shown = unrolled(m, collection, state) if is_truth_value(value) else None
    if shown is None or not any(isinstance(one, Verdict | Cond) for one in shown):
        return None
    return tuple(Cond(operator="==", operands=(one, value)) for one in shown)


def among_all(m: Analysis, value: Value, collection: Value, state: State) -> Value | None:
    """`True in answers`, where there is an answer for each element of a source: whether any is true; `False in answers`: whether
    not all are."""
    from pytest_invariants.flow.containers.containers import elements_of

    if not (is_truth_value(value) and isinstance(collection, Seq) and state.cell(collection.address).whole):
        return None
    rows = [template.value for template in elements_of(m, collection, state)]
    if not all(is_truth_value(row) or (isinstance(row, Verdict | Cond) and m.seal.boolean) for row in rows):
        return None
    looked_for = isinstance(value, Const) and bool(value.value)
    told = Cond(operator="any" if looked_for else "all", operands=(collection,))
    return told if looked_for else Cond(operator="not", operands=(told,))


def item_by_item(m: Analysis, left: Value, right: Value, state: State) -> tuple[Value, ...] | None:
    """`[answer, answer] == [True, True]`: what each of the items has to be, where one side holds answers; None where that is not
    known. Two that are not of one length are never equal."""
    if not (isinstance(left, Tuple) and isinstance(right, Tuple)) and not (_is_list(left) and _is_list(right)):
        return None
    one, other = unrolled(m, left, state), unrolled(m, right, state)
    if one is None or other is None or not any(isinstance(item, Verdict | Cond) for item in (*one, *other)):
        return None
    if len(one) != len(other):
        return (Const(value=False),)
    return tuple(Cond(operator="==", operands=pair) for pair in zip(one, other, strict=True))


def _is_list(value: Value) -> bool:
    return isinstance(value, Seq) and value.kind == "list"


def extreme(m: Analysis, values: tuple[Value, ...], operator: str) -> Value | None:
    """The greatest of several truths is whether any is true, the smallest whether all are."""
    truths = all(
        isinstance(v, Cond) or (isinstance(v, Verdict) and m.seal.boolean) or is_truth_value(v) for v in values
    )
    if not truths or not any(isinstance(v, Verdict | Cond) for v in values):
        return None
    return Cond(operator=operator, operands=(Tuple(items=values),))
