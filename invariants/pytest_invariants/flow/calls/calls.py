"""Calls: whom they reach, how arguments are bound, and following the callee."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.calls import around, aside, callbacks, entrusted, escaping, opened, stages
from pytest_invariants.flow.calls.binding import bind
from pytest_invariants.flow.calls.dispatching import dispatched
from pytest_invariants.flow.containers import changing, holding, methods
from pytest_invariants.flow.containers.iterating import mapped_now, maps
from pytest_invariants.flow.domain import abroad, types
from pytest_invariants.flow.domain.naming import deed_of, subject_of
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import Doubt, State
from pytest_invariants.flow.domain.terms import Applied, Term, roots
from pytest_invariants.flow.domain.values import (
    ANY,
    NO_LABELS,
    NONE,
    Bound,
    Class,
    Const,
    Descriptor,
    Dict,
    Foreign,
    Func,
    Label,
    Method,
    Obj,
    Partial,
    Seq,
    Sym,
    Thunk,
    Tuple,
    Union,
    Value,
    Wrapped,
    term_of,
    with_labels,
)
from pytest_invariants.flow.library import library
from pytest_invariants.flow.library.waiting import soon, submitted
from pytest_invariants.flow.machine.machine import DEPTH_LIMIT, Arguments, Results
from pytest_invariants.flow.machine.merging import bounded
from pytest_invariants.flow.objects import namespaces, tested
from pytest_invariants.flow.objects.construct import construct
from pytest_invariants.flow.seal.granting import mark_exit, record
from pytest_invariants.flow.seal.sealing import consult
from pytest_invariants.program.bodies import glance, note, says_nothing
from pytest_invariants.program.code import FunctionInfo
from pytest_invariants.registry.model import Grant
from pytest_invariants.verdict import Place, Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


RECURSION_LIMIT = 3
"""How often a function is followed into itself, once less in a large surface; what it adds beyond that it has added before."""


def call(m: Analysis, function: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """All outcomes of a call."""
    m.tick()
    m.site = (node, scope.chain[-1])
    _exercise(m, function, state, scope, node)
    match function:
        case Func():
            return call_function(m, function, arguments, state, scope, node)
        case Bound():
            return _call_bound(m, function, arguments, state, scope, node)
        case Partial():
            return call(m, function.function, _with_held(m, function, arguments, state), state, scope, node)
        case Wrapped():
            return _call_wrapped(m, function, arguments, state, scope, node)
        case Class():
            return construct(m, function.info, arguments, state, scope, node)
        case Foreign():
            return library.call(m, function, arguments, state, scope, node)
        case Method():
            return methods.call(m, function, arguments, state, scope, node)
        case Descriptor():
            return call(m, function.function, arguments, state, scope, node)
        case Union():
            return [r for option in function.options for r in call(m, option, arguments, state.fork(), scope, node)]
        case Obj() | Thunk() if around.decorates(function, arguments):
            return around.decorated(function, arguments, state)
        case Obj() if function.cls.lookup("__call__"):
            return [
                r
                for method, after in m.attribute(function, "__call__", state, scope, node)
                for r in call(m, method, arguments, after, scope, node)
            ]
        case Const():
            return []
        case Sym() if maps(function, arguments):
            return mapped_now(m, arguments, state, scope, node)
        case Sym() if (handed := library.submits(function, arguments)) is not None:
            return submitted(m, handed, state, scope, node)
        case Sym():
            return unknown_call(m, function, arguments, state, scope, node, function.why)
        case _:
            return unknown_call(m, function, arguments, state, scope, node, Reason.OPAQUE_CALLABLE)


def _with_held(m: Analysis, function: Partial, arguments: Arguments, state: State) -> Arguments:
    """The arguments of a partial's call: its own first."""
    from pytest_invariants.flow.containers.containers import gathered

    given = (*_override(function, arguments), *arguments.keywords)
    options = gathered(m, [v for v in (function.options, arguments.options) if v is not None], state)
    if function.more is None:
        return Arguments(function.args + arguments.positional, given, arguments.more, options)
    later = [v for v in (arguments.more,) if v is not None]
    return Arguments(function.args, given, gathered(m, [function.more, *later], state, arguments.positional), options)


def _override(function: Partial, arguments: Arguments) -> tuple[tuple[str, Value], ...]:
    given = {name for name, _ in arguments.keywords}
    return tuple((name, value) for name, value in function.keywords if name not in given)


def _exercise(m: Analysis, function: Value, state: State, scope: Scope, node: ast.AST) -> None:
    """Calling a value that carries a call capability exercises it."""
    for label in function.labels:
        if m.grant_of(label) is Grant.CALL and not isinstance(function, Partial):
            record(m, label, state, scope.here)


def _call_bound(
    m: Analysis, function: Bound, arguments: Arguments, state: State, scope: Scope, node: ast.AST
) -> Results:
    inner = function.function
    if isinstance(inner, Descriptor) and inner.kind == "static":
        return call(m, inner.function, arguments, state, scope, node)
    given = replace(arguments, positional=(function.receiver, *arguments.positional))
    return call(m, inner, given, state, scope, node)


def _call_wrapped(
    m: Analysis, function: Wrapped, arguments: Arguments, state: State, scope: Scope, node: ast.AST
) -> Results:
    match function.kind:
        case "cache":
            return library.call_cached(m, function, arguments, state, scope, node)
        case "context" | "asynccontext":
            return [(make_thunk(m, "context", function.function, arguments, state, scope, node), state)]
        case around.AROUND if arguments.positional:
            return around.called(m, function.function, arguments, state, scope, node)
        case "singledispatch" | "singledispatchmethod":
            return dispatched(m, function, arguments, state, scope, node)
        case "partialmethod" if isinstance(held := function.function, Partial) and arguments.positional:
            receiver, *rest = arguments.positional
            given = replace(
                arguments,
                positional=(receiver, *held.args, *rest),
                keywords=(*_override(held, arguments), *arguments.keywords),
            )
            return call(m, held.function, given, state, scope, node)
        case "foreign":
            _doubt(
                m,
                Reason.FOREIGN_DECORATOR,
                arguments,
                state,
                function.at or scope.here,
                "a decorator of another package",
            )
            return call(m, function.function, arguments, state, scope, node)
        case _:
            return call(m, function.function, arguments, state, scope, node)


def make_thunk(
    m: Analysis, kind: str, function: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST
) -> Thunk:
    """A call that has been made and has not run. It stays pending until somebody awaits, iterates or enters it."""
    number, at = m.number(state), scope.at(node)
    state.pending |= {(number, kind, at)}
    labels = NO_LABELS
    m.thunk_functions[number] = function
    given = (arguments.positional, arguments.keywords, at, arguments.more, arguments.options)
    return Thunk(labels, kind, number, function, *given)


def call_function(
    m: Analysis, function: Func, arguments: Arguments, state: State, scope: Scope, node: ast.AST
) -> Results:
    info = function.info
    m.note_edge(info)
    opened.note_call(m, info, state)
    if info in m.seal.functions and not m.is_context(info):
        if info.is_async:
            return [(make_thunk(m, "coroutine", function, arguments, state, scope, node), state)]
        return consult(m, function, bind(m, function, arguments, state), state, scope, node)
    if info.is_async and not info.is_generator:
        return [(make_thunk(m, "coroutine", function, arguments, state, scope, node), state)]
    if info in m.capabilities.functions:
        return [exercise_function(m, function, arguments, state, scope, node)]
    if info.is_generator:
        return [(make_thunk(m, "generator", function, arguments, state, scope, node), state)]
    return inline(m, function, arguments, state, scope, node)


def run_coroutine(
    m: Analysis, function: Func, arguments: Arguments, state: State, scope: Scope, node: ast.AST
) -> Results:
    """What awaiting the call of a coroutine function does."""
    info = function.info
    if info in m.seal.functions:
        return consult(m, function, bind(m, function, arguments, state), state, scope, node)
    if info in m.capabilities.functions:
        return [exercise_function(m, function, arguments, state, scope, node)]
    return inline(m, function, arguments, state, scope, node)


def exercise_function(
    m: Analysis, function: Func, arguments: Arguments, state: State, scope: Scope, node: ast.AST
) -> tuple[Value, State]:
    """A capability that is a function: the call itself, or its result, is the grant."""
    info = function.info
    number = m.capabilities.functions[info]
    bound = bind(m, function, arguments, state)
    label = Label(number, subject_of(m, info, bound), scope.at(node))
    terms = tuple(term_of(value) for value in bound.values())
    if m.registry.capabilities[number].grant is Grant.CALL:
        record(m, replace(label, also=deed_of(m, info, bound)), state, scope.here)
    result = Applied(m.capabilities.name_of(info), terms)
    declared = m.return_type(function, state)
    if m.registry.capabilities[number].grant is Grant.CALL:
        return types.shape(m, result, declared, Reason.OPAQUE_CALLABLE), state
    value = types.shape(m, result, declared)
    return with_labels(value, frozenset({replace(label, also=result)})), state


def inline(m: Analysis, function: Func, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """Follow the callee."""
    info = function.info
    limit = RECURSION_LIMIT - 1 if m.pressed else RECURSION_LIMIT
    if m.stack.count(info) >= limit and not stages.is_new(m, function, arguments, state):
        return []
    if info in m.stops and m.stack:
        terms = tuple(term_of(value) for value in bind(m, function, arguments, state).values())
        return [(types.shape(m, Applied(info.reference, terms), m.return_type(function, state)), state)]
    if len(m.stack) >= DEPTH_LIMIT:
        return unknown_call(m, function, arguments, state, scope, node, Reason.TOO_MANY_TARGETS)
    if is_stub(info):
        terms = tuple(term_of(value) for value in bind(m, function, arguments, state).values())
        return [(types.shape(m, Applied(info.reference, terms), m.return_type(function, state)), state)]
    if m.stack and m.seen_enough(info):
        return [aside.passed_over(m, function, arguments, state, scope, node)]
    if not m.stack or m.matters(function, arguments, state):
        return follow(m, function, arguments, state)
    return aside.tried(m, function, arguments, state, scope, node)


def follow(m: Analysis, function: Func, arguments: Arguments, state: State) -> Results:
    """Evaluate the callee's body on every path."""
    info = function.info
    frame = f"{info.qualname}#{m.number(state)}"
    bound = stages.numbered(m, function, bind(m, function, arguments, state))
    state.frames[frame] = tested.by_parameters(m, function, bound, state)
    m.stages.append((info, stages.constants_of(state.frames[frame]) | stages.around(function, state)))
    inner = Scope(info.module, info.path, (*function.chain, frame), info, info.owner, info.qualname, info.node.lineno)
    m.stack.append(info)
    try:
        with m.effort.following(m):
            results = _run(m, info, state, inner)
    finally:
        m.stack.pop()
        m.stages.pop()
    for _, after in results if frame not in m.captured else ():
        after.frames.pop(frame, None)
    _note_refusals(m, results)
    return bounded(m, [(tested.as_declared(m, function, value, state), after) for value, after in results])


def _note_refusals(m: Analysis, results: Results) -> None:
    """A callee that gives an object, and nothing where the seal refuses, obeys the answer: what its caller makes of it is another
    matter."""
    if any(isinstance(value, Obj) for value, _ in results):
        refused = [after for value, after in results if value == NONE and "denied" in after.outcomes.values()]
        m.effects.refused |= {after.left for after in refused if after.left is not None}


def is_stub(info: FunctionInfo) -> bool:
    """A body that only says what the method is: `...`, or `raise NotImplementedError`; its annotation says what it gives."""
    node = info.node
    if isinstance(node, ast.Lambda) or node.returns is None:
        return False
    with glance(node):
        return says_nothing(node.body)


def _run(m: Analysis, info: FunctionInfo, state: State, scope: Scope) -> Results:
    if isinstance(info.node, ast.Lambda):
        at = Place(info.path, info.node.body.lineno)
        return [(mark_exit(m, value, after, at), after) for value, after in m.evaluate(info.node.body, state, scope)]
    note(info.node)
    outcomes = m.execute(info.node.body, state, scope)
    return [
        (o.value if o.kind == "return" and o.value is not None else NONE, o.state)
        for o in outcomes
        if o.kind in ("return", "next")
    ]


def unknown_call(
    m: Analysis, function: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST, why: Reason
) -> Results:
    """A call that cannot be followed: it may have asked the seal, may raise, may hand on what it was given."""
    at = scope.at(node)
    m.may_raise_midway(state)
    harmless = (
        library.of_library(term_of(function))
        or library.builtin_method(m, term_of(function))
        or (
            escaping.leads_out(function, term_of(function))
            and not any(of_program(m, v, state, 3) for v in arguments.every())
        )
    )
    if not harmless:
        state.read_anew(lambda _: True)
        if not m.decides_by(term_of(function)):
            _doubt(m, why, arguments, state, at, _describe(node), term_of(function))
        m.note_unresolved(why, at, node)
    for value in arguments.every():
        m.escape(value, state, scope, node, tuple(v for v in arguments.every() if v is not value))
    soon(m, function, arguments, state, scope, node)
    labels = NO_LABELS.union(*(entrusted.labels_of(m, v, state) for v in arguments.every()), function.labels)
    labels |= holding.through_method(m, term_of(function), arguments.every(), state)
    labels |= callbacks.run(m, arguments, state, scope, node)
    labels |= entrusted.run(
        m, function, arguments.every(), state, scope, node, special=library.of_library(term_of(function))
    )
    term = m.evaluated(Applied("result", (term_of(function), *(term_of(v) for v in arguments.every()))), state)
    named = library.of_library(term_of(function))
    changing.by_others(m, term_of(function), named, arguments.every(), state)
    namespaces.set_unseen(m, term_of(function), arguments, state, scope, at)
    if not harmless and not isinstance(function, Foreign):
        changing.spoil(arguments.every(), state, at, why)
    if not harmless or (escaping.is_value(m, function) and not m.past) or abroad.may_bring(m, function):
        labels |= m.possible_grants(function, node, why, at)
    return [(Sym(labels, term, why=why, abroad=harmless and escaping.leads_out(function, term_of(function))), state)]


def of_program(m: Analysis, value: Value, state: State, depth: int) -> bool:
    """Whether foreign code that is given this value could reach the program through it."""
    match value:
        case Func() | Bound() | Partial() | Wrapped() | Class() | Thunk() | Obj() | Descriptor():
            return True
        case Sym():
            return (
                value.type == ANY
                and not value.abroad
                and not abroad.of_names(m, value.term)
                and not library.of_library(value.term)
                and not escaping.leads_out(value, value.term)
            )
        case Tuple():
            return any(of_program(m, item, state, depth) for item in value.items)
        case Seq() | Dict() if depth:
            return any(of_program(m, t.value, state, depth - 1) for t in state.cell(value.address).templates)
        case _:
            return False


def _doubt(
    m: Analysis, why: Reason, arguments: Arguments, state: State, at: Place, note: str, function: Term | None = None
) -> None:
    terms = [term_of(v) for v in arguments.every()] + ([function] if function is not None else [])
    leaves = frozenset().union(*(roots(t) for t in terms)) if terms else frozenset()
    state.doubts |= {Doubt(why, at, leaves, note)}


def _describe(node: ast.AST) -> str:
    if isinstance(node, ast.Call):
        text = ast.unparse(node.func)
        return text if len(text) <= 60 else text[:57] + "..."
    return "a call"
