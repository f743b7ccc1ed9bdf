"""Context variables: what they hold is known by their annotation, and setting one asks nobody."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import holding
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import SET, State
from pytest_invariants.flow.domain.terms import Applied, Field
from pytest_invariants.flow.domain.types import read, shape
from pytest_invariants.flow.domain.values import (
    ANY,
    NONE,
    NONE_TYPE,
    Labels,
    Obj,
    Sym,
    Type,
    Value,
    put_in,
    term_of,
    union,
    with_labels,
)
from pytest_invariants.flow.machine.machine import Arguments, Results

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

KIND = "ContextVar"


def _declared(m: Analysis, variable: Sym) -> Type:
    """What the annotation says that it holds."""
    node, scope = m.declared_later.get(variable.term, (None, None))
    told = read(m, node, m.world, scope) if node is not None and scope is not None else variable.type
    return told.args[0] if told.args else ANY


def _get(m: Analysis, variable: Sym, arguments: Arguments, state: State) -> Results:
    """What was set by whoever was here before, or the default."""
    own = state.fields.get((variable.term, SET))
    if own is not None and own != NONE:
        return [(own, state)]
    declared = _declared(m, variable)
    given = tuple(term_of(value) for value in arguments.every())
    term = m.evaluated(Applied("result", (Field(variable.term, "get"), *given)), state)
    value = shape(m, term, declared)
    for option in getattr(value, "options", (value,)):
        if isinstance(option, Obj):
            m.class_of[option.address] = option.cls
    labels = variable.labels | holding.held(state, variable.term)
    results = [(with_labels(value, labels), state.fork())]
    return [*results, *((default, state.fork()) for default in arguments.positional if declared != NONE_TYPE)]


def call(
    m: Analysis, name: str, variable: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST
) -> Results:
    """`get`, `set` and `reset`."""
    assert isinstance(variable, Sym)
    if name == "get":
        return _get(m, variable, arguments, state)
    if name == "reset":
        before = state.fields.get((term_of(arguments.positional[0]), SET)) if arguments.positional else None
        if before is not None and before != NONE:
            state.fields[variable.term, SET] = before
        else:
            state.fields.pop((variable.term, SET), None)
        return [(NONE, state)]
    token = Sym(term=m.fresh("token"), abroad=True)
    state.fields[token.term, SET] = state.fields.get((variable.term, SET), NONE)  # what `reset` brings back
    for value in arguments.positional:
        m.escape(value, state, scope, node, ())
        state.fields[variable.term, SET] = value
    holding.hold(m, variable.term, arguments.positional, state)
    return [(token, state)]


def changed(m: Analysis, may_set: Callable[[str], bool], labels: Labels, state: State) -> None:
    """A callee that is not followed may have set these variables of modules to something that carries what it was given."""
    for name, value in _variables(m):
        if may_set(name):
            before = [held for held, _ in _get(m, value, Arguments(), state)]
            state.fields[value.term, SET] = union([*before, put_in(labels, value.term)])


def _variables(m: Analysis) -> list[tuple[str, Sym]]:
    """The context variables of the loaded modules, with their names."""
    if m.context_variables is None or m.reach is None:
        frames = [frame for name, frame in m.world.frames.items() if name.startswith("module ")]
        named = [pair for frame in frames for pair in frame.items()]
        m.context_variables = [(n, v) for n, v in named if isinstance(v, Sym) and v.type.name == KIND]
    return m.context_variables


METHODS = frozenset({"get", "set", "reset"})


__all__ = ["KIND", "METHODS", "call", "changed"]
