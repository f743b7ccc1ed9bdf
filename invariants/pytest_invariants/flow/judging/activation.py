"""One activation of a function by somebody outside: its arguments are symbols, what it returns or yields has left."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from pytest_invariants.flow.calls import hooked
from pytest_invariants.flow.calls.thunks import await_value, done
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import Cell, State
from pytest_invariants.flow.domain.terms import Param, Term
from pytest_invariants.flow.domain.values import (
    Bound,
    Class,
    Dict,
    Func,
    Obj,
    Partial,
    Seq,
    Sym,
    Thunk,
    Tuple,
    Value,
    Wrapped,
)
from pytest_invariants.flow.domain.wrapped import plain_function
from pytest_invariants.flow.machine.analysis import Analysis
from pytest_invariants.flow.machine.effort import Effort
from pytest_invariants.flow.machine.machine import Arguments, Effects, Event, OutOfBudget, kept_arguments
from pytest_invariants.flow.objects.construct import symbolic_arguments
from pytest_invariants.flow.seal.granting import let_out
from pytest_invariants.program.code import ClassInfo, FunctionInfo
from pytest_invariants.verdict import Place


@dataclass
class Activation:
    """What came of it: grants, whether the seal was asked, what was left behind for later activations."""

    effects: Effects
    refused: bool = False
    complete: bool = True
    fault: str = ""
    large: bool = False
    """Whether paths were joined early."""
    sampled: bool = False
    """Whether one path was followed wherever several go the same way: none were joined, and some left out."""
    left: dict[Term, Cell] = field(default_factory=dict)
    frames: dict[str, dict[str, Value]] = field(default_factory=dict)
    fields: dict[tuple[Term, str], Value] = field(default_factory=dict)
    states: list[State] = field(default_factory=list)
    effort: Effort = field(default_factory=Effort)
    params: dict[str, ClassInfo | None] = field(default_factory=dict)
    """The classes of the surface's parameters."""
    receiver: ClassInfo | None = None
    """The class of its receiver."""

    @property
    def events(self) -> list[Event]:
        return self.effects.events


SELF = Param("self")
"""The receiver of the surface."""


def activate(
    m: Analysis, target: Value, declared: FunctionInfo | None, root: str, base: State, start: State | None = None
) -> Activation:
    """Run the target once. `declared` is the function as the registry names it: it says which arguments there are."""
    m.effects, m.collectors, m.yields, m.stack, m.active, m.stages = Effects(), [[]], [], [], [], []
    m.past, m.steps, m.root, m.followed, m.long = False, 0, root, {}, set()
    state = State(base) if start is None else start.fork()
    hooked.by_others(m, declared.module if declared is not None else "", state)
    activation = Activation(m.effects, receiver=_receiver_of(target, state))
    m.effort = activation.effort
    resume(m, activation)
    inner = plain_function(target)
    place = declared.place if declared is not None else Place("", 1)
    scope = Scope(declared.module if declared else "", place.path, ("outside",), statement=place.line)
    node = m.stand_in(place)
    try:
        arguments = _arguments(m, target, declared, inner, state)
        activation.params = m.surface_params
        state.step(place, "entered")
        for value, after in m.call(target, arguments, state, scope, node):
            _leave(m, value, after, scope, node, activation)
    except (OutOfBudget, RecursionError):
        activation.complete = False
    except Exception as error:  # a fault of the prover leaves this surface undecided, and the others are judged
        activation.complete, activation.fault = False, f"{type(error).__name__}: {error}"
    activation.refused, activation.large = _some_denied(m), m.tired
    activation.states += [one.state for one in m.collectors[0] if one.state.pending]
    for one in m.collectors[0]:
        _snapshot(m, one.state, activation)
    return activation


def _some_denied(m: Analysis) -> bool:
    return any(one.refusal for one in m.collectors[0])


def _arguments(
    m: Analysis, target: Value, declared: FunctionInfo | None, inner: Func | None, state: State
) -> Arguments:
    named = m.plain.get(declared) if declared is not None else inner
    named = named if named is not None else inner
    if named is None:
        m.surface_params = {}
        return Arguments()
    arguments = symbolic_arguments(m, named, "", state)
    spec = named.info.node.args
    names = [a.arg for a in [*spec.posonlyargs, *spec.args]][
        len([*spec.posonlyargs, *spec.args]) - len(arguments.positional) :
    ]
    m.surface_params = {name: _class(value) for name, value in zip(names, arguments.positional, strict=False)}
    m.surface_params |= {name: _class(value) for name, value in arguments.keywords}
    return arguments


def _class(value: Value) -> ClassInfo | None:
    options = getattr(value, "options", (value,))
    return next((option.cls for option in options if isinstance(option, Obj)), None)


def receiver_for(m: Analysis, cls: Class) -> Obj:
    """Some instance of the class: the one that the surface is a method of."""
    m.class_of[SELF] = cls.info
    return Obj(address=SELF, cls=cls.info, exact=True)


def _receiver_of(target: Value, state: State) -> ClassInfo | None:
    """The class of what the surface is bound to, or of what its maker was bound to."""
    bound = [target.receiver] if isinstance(target, Bound) else []
    every = [*bound, *(value for frame in state.frames.values() for value in frame.values())]
    return next((value.cls for value in every if isinstance(value, Obj) and value.address == SELF), None)


def resume(m: Analysis, activation: Activation) -> None:
    """Take up what is known of this surface alone, to run or to judge it."""
    m.surface_params, m.receiver = activation.params, activation.receiver
    m.covers, m.settlings, m.entrusted = {}, {}, {}
    if activation.receiver is not None:
        m.class_of[SELF] = activation.receiver


def _leave(m: Analysis, value: Value, state: State, scope: Scope, node: ast.AST, activation: Activation) -> None:
    """The result is out; a coroutine is awaited and a generator drawn by whoever has called."""
    activation.states.append(state)
    _snapshot(m, state, activation)
    if isinstance(value, Func | Bound | Partial | Wrapped):
        m.effects.escaped.append(value)
    match value:
        case Thunk(kind="coroutine" | "gather" | "task" | "thread"):
            for inner, after in await_value(m, value, state, scope, node):
                _leave(m, inner, after, scope, node, activation)
        case Thunk(kind="generator" | "context", function=Func()):
            for end in _draw(m, value, state, scope, node):
                _snapshot(m, end, activation)
        case Thunk(kind="map" | "filter" | "filterfalse" | "takewhile" | "dropwhile"):
            from pytest_invariants.flow.calls.thunks import drained

            let_out(m, drained(m, value, state), state, state.left or scope.here)
        case Tuple():
            for item in value.items:
                if isinstance(item, Thunk):
                    _leave(m, item, state.fork(), scope, node, activation)
            let_out(m, value, state, state.left or scope.here)
        case _:
            let_out(m, value, state, state.left or scope.here)


def _draw(m: Analysis, value: Thunk, state: State, scope: Scope, node: ast.AST) -> list[State]:
    def sink(item: Value, at: State, inner: Scope) -> list[State] | None:
        let_out(m, item, at, inner.here)
        return None

    done(state, value)
    from pytest_invariants.flow.calls.calls import inline

    assert isinstance(value.function, Func)
    with m.yielding(sink), m.closing(value.kind == "generator"):
        return [end for _, end in inline(m, value.function, kept_arguments(value), state, scope, node)]


def _snapshot(m: Analysis, state: State, activation: Activation) -> None:
    """What objects that live on were given, with all that hangs on it: collections, fields, frames of closures."""
    stack = [kept.value for kept in m.effects.kept]
    seen: set[Value] = set()
    while stack:
        value = stack.pop()
        if value in seen:
            continue
        seen.add(value)
        match value:
            case Tuple():
                stack += value.items
            case Seq() | Dict():
                stack += _collection(value, state, activation)
            case Obj():
                own = {key: held for key, held in state.fields.items() if key[0] == value.address}
                activation.fields.update(own)
                stack += own.values()
            case Func():
                frames = {name: state.frames[name] for name in value.chain if name in state.frames}
                activation.frames.update(frames)
                stack += [held for frame in frames.values() for held in frame.values()]
            case Bound() | Partial() | Wrapped():
                stack += [
                    value.function,
                    *getattr(value, "args", ()),
                    *([value.receiver] if isinstance(value, Bound) else []),
                ]


def _collection(value: Seq | Dict, state: State, activation: Activation) -> list[Value]:
    cell = state.heap.get(value.address)
    if cell is None:
        return []
    known = activation.left.get(value.address, Cell())
    activation.left[value.address] = Cell(tuple(dict.fromkeys((*known.templates, *cell.templates))))
    return [t.value for t in cell.templates]


__all__ = ["Activation", "Sym", "activate", "plain_function", "receiver_for"]
