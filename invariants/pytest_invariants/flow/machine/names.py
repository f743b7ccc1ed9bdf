"""Names: looking them up, binding them, and making functions and classes of definitions."""

from __future__ import annotations

import ast
import builtins
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.calls import opened
from pytest_invariants.flow.domain.scope import Scope, module_frame
from pytest_invariants.flow.domain.state import WRITTEN, State
from pytest_invariants.flow.domain.terms import Fresh, Named
from pytest_invariants.flow.domain.values import (
    Const,
    Dict,
    Foreign,
    Func,
    Module,
    Obj,
    Seq,
    Sym,
    Union,
    Value,
    with_labels,
)
from pytest_invariants.flow.machine.machine import Raised, Results
from pytest_invariants.flow.machine.reading import read_again
from pytest_invariants.program.code import FunctionInfo, FunctionNode
from pytest_invariants.verdict import Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


BUILTINS = frozenset(dir(builtins))


def lookup(m: Analysis, name: str, state: State, scope: Scope) -> Results:
    """The variable's value; a union is split and the choice is kept in the variable."""
    for frame in reversed(scope.chain):
        value = state.frame(frame).get(name)
        if value is None:
            continue
        value = m.resolve_import(value, state)
        opened.note(m, frame, name, state)
        if frame.startswith("module ") and _may_change(m, frame, name, value, state):
            others = _others(m, frame.removeprefix("module "), name, value)
            found: Results = [(value, state.fork()), *((other, state.fork()) for other in others)]
            return read_again(m, (Named(frame), name), found)
        if not isinstance(value, Union) or m.past:  # while modules are loaded, nothing hangs on the choice
            return [(value, state)]
        results: Results = []
        for option in value.options:
            after = state.fork()
            chosen = with_labels(option, value.labels)
            after.bind(frame, name, chosen)
            results.append((chosen, after))
        return results
    if name in BUILTINS:
        opened.note(m, opened.BUILTINS, name, state)
        return [(Foreign(path=f"builtins.{name}"), state)]
    if scope.info is not None and name in scope.info.locals and not name.startswith("__"):
        return _unbound(m, state)  # not bound on this path: Python raises
    if m.may_catch and not m.past:
        _unbound(m, state.fork())
    return [(Sym(term=Named(f"{scope.module}:{name}"), why=Reason.DYNAMIC_ATTRIBUTE), state)]


def _may_change(m: Analysis, frame: str, name: str, value: Value, state: State) -> bool:
    """A constant or function of a module that some function sets anew: it may have been called before."""
    if m.past or name.startswith("__"):
        return False
    if not ((frame, name) in m.opened.bound_later or m.rewritten.variable(name, value)):
        bound = m.later is not None and not isinstance(value, Module) and name.isidentifier()
        if not bound or m.later is None or not m.later.bound(frame.removeprefix("module "), name):
            return False
    here = state.frames.get(frame, {}).get(name)
    return here is None or here is m.world.frame(frame).get(name)


def _others(m: Analysis, module: str, name: str, value: Value) -> list[Value]:
    """What a variable of a module may stand for by now: what its functions bind it to, where the text says what that is."""
    place = Named(f"{module}:{name}")
    if isinstance(value, Seq | Dict):
        return [replace(value, address=place)]
    told = isinstance(value, Obj) or (isinstance(value, Const) and not m.rewritten.field(name, value))
    given = m.later.bound(module, name) if m.later is not None and told else []
    found = [_bound_to(m, place, info, what) for info, what in given]
    if not found or None in found:
        return [Sym(term=place, why=Reason.OPAQUE_CALLABLE)]
    return list(dict.fromkeys(one for values in found for one in values or ()))


def _bound_to(m: Analysis, place: Named, info: FunctionInfo, given: ast.expr | None) -> list[Value] | None:
    """The instances that an expression gives, or the constant; None where that is not known."""
    if isinstance(given, ast.Constant):
        return [Const(value=given.value)]
    with m.program.read.glancing():
        classes = m.reach.mentions.classes_of(info, given) if m.reach is not None and given is not None else None
    return [Obj(address=place, cls=cls) for cls in dict.fromkeys(classes)] if classes else None


def _unbound(m: Analysis, state: State) -> Results:
    if m.may_catch:
        m.throw(Raised(state, "builtins.NameError"))
    return []


def frame_of(name: str, scope: Scope) -> str:
    """The frame that an assignment to `name` binds: the function's own, unless `global` or `nonlocal` says otherwise."""
    frames = [frame for frame in scope.chain if not frame.startswith("comprehension ")]
    info = scope.info
    if info is None or name not in info.declared:
        return frames[-1]
    return module_frame(scope.module) if name in info.globals else frames[-2]


def assign(m: Analysis, name: str, value: Value, state: State, scope: Scope) -> None:
    frame = frame_of(name, scope)
    if scope.info is not None and name in scope.info.declared:
        frame = next((f for f in reversed(scope.chain[:-1]) if name in state.frame(f)), frame)
        m.persist(Named(frame), name, value, state)
    if frame != scope.frame:
        state.counts[WRITTEN] = state.counts.get(WRITTEN, 0) + 1
    if frame.startswith("module ") and scope.info is None:
        m.note_rebinding(frame, name, value, state, scope)
        m.opened.bound(frame, name)
    state.bind(frame, name, value)


def define(m: Analysis, node: FunctionNode, state: State, scope: Scope) -> Results:
    """The function that a `def` or `lambda` makes, with its defaults evaluated now."""
    info = info_for(m, node, scope)
    if isinstance(node, ast.Lambda):
        m.captured.update(scope.chain)
    arguments = node.args
    named = [a.arg for a in [*arguments.posonlyargs, *arguments.args]]
    defaults = list(zip(named[len(named) - len(arguments.defaults) :], arguments.defaults, strict=True))
    defaults += [(a.arg, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None]
    results: Results = []
    for values, after in m.evaluate_all([node for _, node in defaults], state, scope):
        pairs = tuple((name, value) for (name, _), value in zip(defaults, values, strict=True))
        made = Func(info=info, chain=scope.chain, defaults=pairs)
        m.plain[info] = made
        results.append((made, after))
    return results


def info_for(m: Analysis, node: FunctionNode, scope: Scope) -> FunctionInfo:
    if node not in m.functions:
        name = node.name if not isinstance(node, ast.Lambda) else f"<lambda:{node.lineno}>"
        m.functions[node] = FunctionInfo(scope.module, qualify(scope, name), scope.path, node, scope.owner)
    m.functions[node].owner = scope.owner
    return m.functions[node]


def qualify(scope: Scope, name: str) -> str:
    if not scope.qualname:
        return name
    return (
        f"{scope.qualname}.<locals>.{name}"
        if scope.owner is None or scope.info is not None
        else f"{scope.qualname}.{name}"
    )


def unknown(m: Analysis, hint: str, why: Reason) -> Sym:
    term = m.fresh(hint)
    assert isinstance(term, Fresh)
    return Sym(term=term, why=why)
