"""What leaves the analysis's sight: functions handed to others, objects made elsewhere, results of calls that are not followed."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import keeping
from pytest_invariants.flow.domain import abroad
from pytest_invariants.flow.domain.mapping import Renaming
from pytest_invariants.flow.domain.scope import Scope, module_frame
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.terms import Alloc, Applied, Field, Literal, Named, Param, Term, contains
from pytest_invariants.flow.domain.values import (
    NO_LABELS,
    Bound,
    Class,
    Dict,
    Foreign,
    Func,
    Label,
    Labels,
    Obj,
    Partial,
    Seq,
    Sym,
    Thunk,
    Tuple,
    Value,
    Wrapped,
    options_of,
    term_of,
)
from pytest_invariants.flow.domain.wrapped import innermost
from pytest_invariants.flow.machine.machine import Arguments, OutOfBudget
from pytest_invariants.flow.machine.merging import join
from pytest_invariants.program.code import ClassInfo
from pytest_invariants.registry.model import Grant
from pytest_invariants.verdict import Place, Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

UNSEEN = frozenset({
    Reason.COMPUTED_IMPORT, Reason.DYNAMIC_ATTRIBUTE, Reason.OPEN_PROTOCOL, Reason.PROXY, Reason.TOO_MANY_TARGETS,
    Reason.OPAQUE_CALLABLE,
})  # fmt: skip


def escape(m: Analysis, value: Value, state: State, scope: Scope, node: ast.AST, others: tuple[Value, ...]) -> None:
    """A value is handed to code that is not followed, which may call it now."""
    match value:
        case Thunk():
            _run_thunk(m, value, state, scope, node)
        case Tuple():
            for item in value.items:
                escape(m, item, state, scope, node, others)
        case Seq() | Dict():
            _each(m, value, state, scope, node, others)
        case Func() | Bound() | Partial() | Wrapped():
            m.effects.escaped.append(value)
            _run_function(m, value, state, scope, node, others)
        case Obj() if isinstance(called := _called(value), Bound):
            _run_function(m, called, state, scope, node, others)
        case _:
            for label in value.labels:
                if m.grant_of(label) is Grant.CALL:
                    _record(m, label, state, scope)


def _called(value: Obj) -> Bound | None:
    """What runs where an object is called."""
    found = value.cls.lookup("__call__")
    return Bound(function=found[1], receiver=value, owner=found[0]) if found and isinstance(found[1], Func) else None


def _each(m: Analysis, value: Seq | Dict, state: State, scope: Scope, node: ast.AST, others: tuple[Value, ...]) -> None:
    """What a collection holds is handed over with it; a collection in a collection is not opened."""
    cell = state.find(value.address)
    for template in cell.templates if cell is not None and m.has_call_capability else ():
        if not isinstance(template.value, Seq | Dict):
            inside = state.fork()
            inside.facts |= template.facts
            escape(m, template.value, inside, scope, node, others)


def _record(m: Analysis, label: Label, state: State, scope: Scope) -> None:
    from pytest_invariants.flow.seal.granting import record

    record(m, label, state, scope.here)


def _run_thunk(m: Analysis, value: Thunk, state: State, scope: Scope, node: ast.AST) -> None:
    from pytest_invariants.flow.calls.thunks import LAZY, await_value, drained

    if not m.has_call_capability:
        return
    inside = state.fork()
    with m.collecting():
        if value.kind in ("coroutine", "gather", "task", "thread"):
            await_value(m, value, inside, scope, node)
        elif value.kind == "generator" or value.kind in LAZY:
            drained(m, value, inside)


def _run_function(
    m: Analysis, value: Value, state: State, scope: Scope, node: ast.AST, others: tuple[Value, ...]
) -> None:
    if m.making or m.past or not m.has_call_capability:
        return
    inner = innermost(value)
    given = tuple(item for other in others for item in (other.items if isinstance(other, Tuple) else (other,)))
    if isinstance(inner, Func) and inner.info not in m.stack and len(m.stack) < 12:
        with m.collecting():
            m.call(value, Arguments(_fitting(m, inner, value, given)), state.fork(), scope, node)


def _fitting(m: Analysis, inner: Func, value: Value, given: tuple[Value, ...]) -> tuple[Value, ...]:
    """As many of the other arguments as the function takes."""
    spec = inner.info.node.args
    room = len(spec.posonlyargs) + len(spec.args) - isinstance(value, Bound)
    return tuple(v for v in given if not isinstance(v, Func | Bound | Partial | Class | Foreign))[:room]


CONSTRUCTION = 4_000
"""Steps that a constructor may take before it is run again with fewer paths kept apart."""


def construct_symbolically(m: Analysis, cls: ClassInfo) -> tuple[dict[str, Value], State]:
    """Run the constructor with symbols for its parameters; what it leaves in `self`, and the heap behind it."""
    found = cls.lookup("__init__")
    if found is None or not isinstance(found[1], Func):
        return {}, State(m.world)
    held = (m.collectors, m.yields, m.stack, m.active, m.past, m.effects, m.steps, m.step_limit)
    sampler, m.sampler = m.sampler, None  # what is found here is kept, and of every path
    steps = CONSTRUCTION if sampler is not None else min(CONSTRUCTION, m.step_limit)
    try:
        ends = _constructed(m, cls, found[1], steps)
        if not ends and steps == CONSTRUCTION:
            with m.preparing(steps):
                ends = _constructed(m, cls, found[1], steps)
    finally:
        m.collectors, m.yields, m.stack, m.active, m.past, m.effects, m.steps, m.step_limit = held
        m.sampler = sampler
    if not ends:
        return {}, State(m.world)
    end = join(m, ends)
    return {name: v for (address, name), v in end.fields.items() if address == own_address(cls)}, end


def _constructed(m: Analysis, cls: ClassInfo, initialiser: Func, steps: int) -> list[State]:
    """How the constructor may end, within so many steps; nothing where it does not."""
    from pytest_invariants.flow.objects.construct import symbolic_arguments

    m.collectors, m.yields, m.stack, m.active, m.past = [[]], [], [], [], True
    m.effects, m.steps, m.step_limit = type(m.effects)(), 0, steps
    state = State(m.world)
    receiver = Obj(address=own_address(cls), cls=cls, exact=True)
    arguments = symbolic_arguments(m, initialiser, cls.reference, state)
    given = replace(arguments, positional=(receiver, *arguments.positional))
    try:
        return [after for _, after in m.call(initialiser, given, state, m.scope_of_class(cls), cls.node)]
    except (OutOfBudget, RecursionError):
        return []


def own_address(cls: ClassInfo) -> Term:
    return Named(f"an instance of {cls.reference}")


def move(m: Analysis, value: Value, cls: ClassInfo, address: Term, made: State, state: State) -> Value:
    """What a constructor put into a field, seen from another instance of the class."""
    own = own_address(cls)

    def mapper(term: Term) -> Term | None:
        if term == own:
            return address
        if isinstance(term, Param) and term.owner == cls.reference:
            return Field(address, term.name)
        if isinstance(term, Alloc) and term not in m.world.heap and made.find(term) is not None:
            return Applied("made", (address, Literal(term.number, "int")))
        return None

    renaming = Renaming(mapper)
    for key, cell in made.heap.items():
        new = renaming.term(key)
        if cell is not None and state.find(new) is None:
            state.heap[new] = renaming.cell(cell)
            if key in m.types:
                m.types[new] = m.types[key]
    for (owner, name), held in made.fields.items():
        target = renaming.term(owner)
        if owner != own and state.field(target, name) is None:
            moved = state.fields[target, name] = renaming.value(held)
            if owner in m.class_of:
                m.class_of.setdefault(target, m.class_of[owner])
            for option in [one for one in options_of(moved) if isinstance(one, Seq | Dict)]:
                m.kept_as.setdefault(option.address, set()).add(Field(target, name))
                keeping.as_left(m, state, [option.address])
    for term in m.class_of.made_with(cls.reference):
        m.class_of.setdefault(renaming.term(term), m.class_of[term])
    return renaming.value(value)


def possible_grants(m: Analysis, function: Value, node: ast.AST, why: Reason, at: Place) -> Labels:
    """A call that is not followed may hand out a capability, unless it leads out of the program."""
    term = term_of(function)
    if why in UNSEEN and not leads_out(function, term):
        return frozenset({Label(-1, Applied("unseen", (term,)), at, doubt=why)})
    if abroad.may_bring(m, function):
        return frozenset({Label(-1, Applied("unseen", (term,)), at, doubt=Reason.UNTYPED_RECEIVER)})
    if why is Reason.UNTYPED_RECEIVER and isinstance(node, ast.Call):
        named = isinstance(node.func, ast.Attribute) and node.func.attr in m.granting_names
        if named or (is_value(m, function) and m.handed.granting):
            return frozenset({Label(-1, Applied("unseen", (term,)), at, doubt=why)})
    return NO_LABELS


def is_value(m: Analysis, function: Value) -> bool:
    """Whether what is called is something that was brought or stored, and no method that goes by its name."""
    return isinstance(function, Sym) and not (isinstance(function.term, Field) and function.term.base not in m.class_of)


def leads_out(function: Value, term: Term) -> bool:
    """A function of another package holds none of the program's capabilities."""
    if isinstance(function, Foreign) or abroad.is_method(function):
        return True
    return contains(term, lambda t: isinstance(t, Applied) and "." in t.function and ":" not in t.function)


__all__ = ["construct_symbolically", "escape", "module_frame", "move", "possible_grants"]
