"""Calls that run later: awaiting coroutines, drawing from generators and lazy iterators."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.calls import around, meanwhile
from pytest_invariants.flow.containers import holding, noting
from pytest_invariants.flow.containers.pairing import zipped
from pytest_invariants.flow.domain import types
from pytest_invariants.flow.domain.live import used_before
from pytest_invariants.flow.domain.mapping import Renaming
from pytest_invariants.flow.domain.outcomes import CLOSED
from pytest_invariants.flow.domain.relevance import known_of
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import Cell, State, Template, absorb
from pytest_invariants.flow.domain.terms import Element, Named, Term, rewrite
from pytest_invariants.flow.domain.values import (
    ANY,
    Func,
    Obj,
    Seq,
    Sym,
    Thunk,
    Tuple,
    Value,
    term_of,
    union,
    with_labels,
)
from pytest_invariants.flow.library import own_contexts
from pytest_invariants.flow.machine import answering, everywhere
from pytest_invariants.flow.machine.comprehensions import keep
from pytest_invariants.flow.machine.machine import Arguments, Results, kept_arguments
from pytest_invariants.flow.machine.reading import split
from pytest_invariants.verdict import Place

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


LAZY = frozenset({"map", "filter", "filterfalse", "takewhile", "dropwhile"})


def done(state: State, thunk: Thunk) -> None:
    state.pending = frozenset(p for p in state.pending if p[0] != thunk.number)


def await_value(m: Analysis, value: Value, state: State, scope: Scope, node: ast.AST) -> Results:
    """The outcomes of `await value`."""
    match value:
        case Thunk(kind="coroutine"):
            done(state, value)
            return _run(m, value, state, scope, node)
        case Thunk(kind="around"):
            done(state, value)
            return around.waited_for(m, value, state, scope, node)
        case Thunk(kind="gather"):
            done(state, value)
            state.epoch += 1
            return _gathered(m, value, state, scope, node)
        case Thunk(kind="task"):
            done(state, value)
            meanwhile.over(value.args[0], state)
            state.epoch += 1
            return task_done(m, value.args[0], state, scope, node)
        case Thunk(kind="thread"):
            done(state, value)
            state.epoch += 1
            given = kept_arguments(value)
            return own_contexts.apart(m, value, state, lambda own: m.call(value.function, given, own, scope, node))
        case Obj() if value.cls.lookup("__await__"):
            return [
                pair
                for method, ready in m.attribute(value, "__await__", state, scope, node)
                for made, after in m.call(method, Arguments(), ready, scope, node)
                for pair in ended(m, made, after, scope, node)
            ]
        case Sym():
            state.epoch += 1
            inner, labels = types.awaited_type(value.type), value.labels | holding.held(state, value.term)
            if inner != ANY:
                return [(with_labels(types.shape(m, value.term, inner), labels), state)]
            return [(with_labels(value, labels), state)]
        case _:
            state.epoch += 1
            return [(value, state)]


def task_done(m: Analysis, value: Value, state: State, scope: Scope, node: ast.AST) -> Results:
    """The outcomes of a task, which runs once: whoever asks for its result later gets the same."""
    before = meanwhile.result_of(value, state)
    if before is not None:
        return split(before, state)
    meanwhile.over(value, state)
    results = own_contexts.apart(m, value, state, lambda own: await_value(m, value, own, scope, node))
    for result, end in results:
        meanwhile.ended_with(value, result, end)
    return results


def _run(m: Analysis, thunk: Thunk, state: State, scope: Scope, node: ast.AST) -> Results:
    from pytest_invariants.flow.calls.calls import run_coroutine

    assert isinstance(thunk.function, Func)
    return run_coroutine(m, thunk.function, kept_arguments(thunk), state, scope, node)


def _gathered(m: Analysis, thunk: Thunk, state: State, scope: Scope, node: ast.AST) -> Results:
    """`gather`: everything awaited in turn; with `return_exceptions` a refusal becomes a value."""
    keeps = any(name == "return_exceptions" for name, _ in thunk.keywords)
    if len(thunk.args) == 1 and isinstance(thunk.args[0], Seq):
        return [(_each_awaited(m, thunk.args[0], state, scope, node, keeps), state)]
    for part in thunk.args:
        meanwhile.start(m, part, state)
    paths: list[tuple[list[Value], State]] = [([], state)]
    for part in thunk.args:
        onward: list[tuple[list[Value], State]] = []
        for values, before in paths:
            onward += [([*values, value], after) for value, after in _awaited(m, part, before, scope, node, keeps)]
        paths = onward
    return [(Tuple(items=tuple(values)), after) for values, after in paths]


def _awaited(m: Analysis, part: Value, state: State, scope: Scope, node: ast.AST, keeps: bool) -> Results:
    if not keeps:
        return task_done(m, part, state, scope, node)
    with m.collecting() as raised:
        results = task_done(m, part, state, scope, node)
    for one in raised:
        if one.refusal:
            one.state.outcomes = {n: "swallowed" if o == "denied" else o for n, o in one.state.outcomes.items()}
        results.append((Sym(term=m.fresh("exception")), one.state))
    return results


def _each_awaited(m: Analysis, value: Seq, state: State, scope: Scope, node: ast.AST, keeps: bool) -> Value:
    from pytest_invariants.flow.containers.containers import contents

    cell = contents(m, value, state)
    templates: list[Template] = []
    for template in cell.templates:
        inside = state.fork()
        inside.facts |= template.facts
        if isinstance(template.value, Thunk):
            done(state, template.value)
            meanwhile.start(m, _beside(m, template, inside, scope, node), inside)
        with m.speaking_of_all():
            for result, after in task_done(m, template.value, inside, scope, node):
                templates.append(Template(result, after.facts, None, template.about))
                keep(m, state, after)
    for template in cell.templates:
        if isinstance(template.value, Thunk):
            done(state, template.value)
    new = Seq(value.labels, m.allocate(state))
    state.heap[new.address] = Cell(tuple(templates), cell.source, cell.whole and len(templates) == len(cell.templates))
    if cell.whole and cell.source is not None and not keeps:  # what would have raised has raised
        everywhere.conclude(cell.source, [(t.about, t.facts) for t in templates if t.about is not None], state)
    return new


def _beside(m: Analysis, template: Template, state: State, scope: Scope, node: ast.AST) -> Value:
    """The same call for another element, which runs where this one waits."""
    from pytest_invariants.flow.containers.drawing import instantiate

    other = instantiate(m, template, m.draw(node, scope, "beside")).value
    return replace(other, number=m.number(state)) if isinstance(other, Thunk) else other


def continued(m: Analysis, value: Value, state: State, scope: Scope, node: ast.AST) -> Results | None:
    """`yield from` a generator: its body goes on as if it stood here; None for anything else."""
    from pytest_invariants.flow.calls.calls import inline

    if not (isinstance(value, Thunk) and value.kind == "generator" and isinstance(value.function, Func) and m.yields):
        return None
    done(state, value)
    return inline(m, value.function, kept_arguments(value), state, scope, node)


def ended(m: Analysis, value: Value, state: State, scope: Scope, node: ast.AST) -> Results:
    """Run an awaitable's generator for what it returns."""
    with m.yielding(lambda _value, _state, _scope: None):
        return continued(m, value, state, scope, node) or [(value, state)]


RETURNED = "<returned>"
"""The field of a drained generator that holds what its body returned."""


SENT = "<sent>"
"""The field of a generator that holds what it was sent so far."""


def sent_before(thunk: Thunk, state: State) -> Value | None:
    return state.field(Named(f"generator {thunk.number}"), SENT)


def drained(m: Analysis, thunk: Thunk, state: State) -> Seq:
    """What iterating gives: the generator's body is run, and each `yield` is an element with what was known there."""
    done(state, thunk)
    new = Seq(thunk.labels, m.allocate(state), "iterator")
    if thunk.kind in LAZY:
        state.heap[new.address] = _lazy(m, thunk, state)
        return new
    templates: list[Template] = []

    def sink(value: Value, at: State, inner: Scope) -> list[State] | None:
        from pytest_invariants.flow.seal.granting import mark_exit, settle_within

        settle_within(m, value, at)
        made = Template(mark_exit(m, value, at, inner.here), known_of(value, at.facts))
        draws = noting.untouched(new.address, at)
        at.add(new.address, made)
        noting.appended(m, new.address, value, draws, at)
        templates[:] = absorb(tuple(templates), [standing_for_all(m, made, held)])
        return None

    held = state.draws
    start = state.fork()
    start.heap[new.address] = Cell()
    outer, m.sent = m.sent, sent_before(thunk, state)
    with m.yielding(sink), m.collecting() as raised, m.closing(True):
        ends = _start(m, thunk, start)
    m.sent = outer
    for one in raised:
        if one.cls == CLOSED:  # raised in the generator alone
            keep(m, state, one.state)
        else:
            m.throw(one)
    for _, end in ends:
        keep(m, state, end)
    if ends:
        state.fields[new.address, RETURNED] = union([value for value, _ in ends])
    answers = [end.cell(new.address) for _, end in ends]
    told = bool(ends) and not used_before(thunk, state) and answering.tells_all(answers)
    state.heap[new.address] = answers[0] if told else Cell(tuple(templates))
    return new


def standing_for_all(m: Analysis, template: Template, held: frozenset[int]) -> Template:
    """What a generator yields in a round stands for what it yields in any: its own loop's element is some element."""

    def general(term: Term) -> Term | None:
        if isinstance(term, Element) and term.draw not in held and term.draw not in m.generic:
            return Element(m.general_draw(term.draw), rewrite(term.base, general), term.age)
        return None

    return Renaming(general, bool).template(template)


def _start(m: Analysis, thunk: Thunk, state: State) -> Results:
    from pytest_invariants.flow.calls.calls import inline

    at = thunk.at or Place("", 1)
    scope = Scope("", at.path, ("thunk",), statement=at.line)
    node = m.stand_in(at)
    arguments = kept_arguments(thunk)
    if isinstance(thunk.function, Func):
        return inline(m, thunk.function, arguments, state, scope, node)
    return m.call(thunk.function, arguments, state, scope, node)


def _lazy(m: Analysis, thunk: Thunk, state: State) -> Cell:
    from pytest_invariants.flow.containers.containers import elements_of
    from pytest_invariants.flow.containers.drawing import unrolled

    at = thunk.at or Place("", 1)
    scope = Scope("", at.path, ("thunk",), statement=at.line)
    node = m.stand_in(at)
    templates: list[Template] = []
    source = thunk.args[0] if len(thunk.args) == 1 else zipped(m, list(thunk.args), state)
    for template in elements_of(m, source, state):
        inside = state.fork()
        inside.facts |= template.facts
        row = template.value if len(thunk.args) > 1 else Tuple(items=(template.value,))
        given = row.items if isinstance(row, Tuple) else (row,)
        with m.speaking_of_all():
            for value, after in m.call(thunk.function, Arguments(given), inside, scope, node):
                templates += _kept(m, thunk.kind, template, value, after, scope, state)
    once = thunk.kind == "map" and len(thunk.args) == 1 and not used_before(thunk, state)
    whole = once and isinstance(source, Seq)
    exact = once and len(templates) == len(unrolled(m, source, state) or ())
    return Cell(tuple(templates), source.address if whole and isinstance(source, Seq) else None, whole, exact=exact)


def _kept(
    m: Analysis, kind: str, template: Template, value: Value, after: State, scope: Scope, state: State
) -> list[Template]:
    keep(m, state, after)
    if kind == "map":
        return [Template(value, after.facts, None, term_of(template.value))]
    if kind == "dropwhile":
        return [Template(template.value, template.facts)]
    ends = m.assume(value, kind != "filterfalse", after, scope)
    for end in ends:
        keep(m, state, end)
    return [replace(template, facts=end.facts) for end in ends]
