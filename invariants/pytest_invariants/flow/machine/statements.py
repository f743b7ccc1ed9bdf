"""Statements: one executor a kind of node."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain import types
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import Open, State
from pytest_invariants.flow.domain.terms import Index
from pytest_invariants.flow.domain.values import ANY, NONE, Class, Const, Dict, Obj, Seq, Sym, Value
from pytest_invariants.flow.machine import definitions, imports, in_place
from pytest_invariants.flow.machine.deciding import decide
from pytest_invariants.flow.machine.deleting import deleted
from pytest_invariants.flow.machine.expressions import combine
from pytest_invariants.flow.machine.loops import for_loop, while_loop
from pytest_invariants.flow.machine.machine import Outcome, Raised
from pytest_invariants.flow.machine.matching import match_statement
from pytest_invariants.flow.machine.merging import kept_apart, limited
from pytest_invariants.flow.machine.surprises import surprises
from pytest_invariants.flow.machine.targets import held, unpack
from pytest_invariants.flow.machine.trying import try_statement, with_statement
from pytest_invariants.flow.objects import implicit
from pytest_invariants.flow.seal.granting import mark_exit
from pytest_invariants.program.code import ClassInfo

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


Executor = Callable[["Analysis", "ast.stmt", State, Scope], list[Outcome]]


def execute(m: Analysis, body: list[ast.stmt], state: State, scope: Scope) -> list[Outcome]:
    """All ways in which a block may end."""
    return execute_all(m, body, [state], scope)


def execute_all(m: Analysis, body: list[ast.stmt], states: list[State], scope: Scope) -> list[Outcome]:
    """The same for all paths that come to the block: no more of them are kept apart than after a statement."""
    going, ended = kept_apart(m, states), list[Outcome]()
    for statement in body if going else ():
        onward: list[Outcome] = []
        with m.sharing(len(going)):
            for before in going:
                m.tick()
                onward += _statement(m, statement, before, scope.on(statement))
        onward = limited(m, onward)
        ended += [o for o in onward if o.kind != "next"]
        going = [o.state for o in onward if o.kind == "next"]
        if not going:
            return ended
    return ended + [Outcome("next", after) for after in going]


def _statement(m: Analysis, node: ast.stmt, state: State, scope: Scope) -> list[Outcome]:
    executor = EXECUTORS.get(type(node))
    if executor is None:
        return [Outcome("next", state)]
    if not m.may_catch or (m.past and scope.info is not None):
        return executor(m, node, state, scope)
    if node not in m.surprising:
        m.surprising[node] = surprises(node, {info.name for info in m.seal.functions})
    for kind in m.surprising[node]:
        m.surprise(Raised(state.fork(), kind))
    with m.beginning(state.fork()):
        return executor(m, node, state, scope)


def expression(m: Analysis, node: ast.Expr, state: State, scope: Scope) -> list[Outcome]:
    return [Outcome("next", after) for _, after in m.evaluate(node.value, state, scope)]


def returned(m: Analysis, node: ast.Return, state: State, scope: Scope) -> list[Outcome]:
    if node.value is None:
        return [Outcome("return", state, NONE)]
    outcomes: list[Outcome] = []
    for value, after in m.evaluate(node.value, state, scope):
        after.left = scope.here
        outcomes.append(Outcome("return", after, mark_exit(m, value, after, scope.here)))
    return outcomes


def assigned(m: Analysis, node: ast.Assign, state: State, scope: Scope) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for value, after in m.evaluate(node.value, state, scope):
        states = [after]
        for target in node.targets:
            states = [end for before in states for end in unpack(m, target, value, before, scope)]
        outcomes += [Outcome("next", end) for end in states]
    return outcomes


def annotated(m: Analysis, node: ast.AnnAssign, state: State, scope: Scope) -> list[Outcome]:
    if node.value is None:
        return [Outcome("next", state)]
    outcomes: list[Outcome] = []
    for value, after in m.evaluate(node.value, state, scope):
        declared = types.read(m, node.annotation, after, scope)
        if isinstance(value, Seq | Dict):
            m.types.setdefault(value.address, declared)
        elif isinstance(value, Sym) and value.type == ANY and declared != ANY:
            value = m.typed(value, declared)
        elif isinstance(value, Sym) and value.type.name == declared.name and not value.type.args:
            value = replace(value, type=declared)
            m.declared_later[value.term] = (node.annotation, scope)
        outcomes += [Outcome("next", end) for end in unpack(m, node.target, value, after, scope)]
    return outcomes


def augmented(m: Analysis, node: ast.AugAssign, state: State, scope: Scope) -> list[Outcome]:
    """`x += y`: lists change in place, everything else is computed and bound anew. What has `x` is evaluated once."""
    outcomes: list[Outcome] = []
    for old, bind, middle in held(m, node.target, state, scope):
        for more, after in m.evaluate(node.value, middle, scope):
            made = implicit.operated(m, node.op, old, more, after, scope, node, "i")
            if made is not None:
                outcomes += [Outcome("next", end) for new, s in made for end in bind(new, s)]
            elif in_place.augmented(m, node.op, old, more, after, scope, node):
                outcomes.append(Outcome("next", after))
            else:
                new = combine(m, node.op, old, more, after)
                outcomes += [Outcome("next", end) for end in bind(new, after)]
    return outcomes


def branch(m: Analysis, node: ast.If, state: State, scope: Scope) -> list[Outcome]:
    ways = decide(m, node.test, [state], scope)
    for truth in (True, False):
        for taken in ways.of(truth):
            taken.step(scope.here, f"`{_text(m, node.test)}` is {'true' if truth else 'false'}")
    return m.execute_all(node.body, ways.true, scope) + m.execute_all(node.orelse, ways.false, scope)


def _text(m: Analysis, node: ast.expr) -> str:
    if node not in m.texts:
        text = ast.unparse(node)
        m.texts[node] = text if len(text) <= 70 else text[:67] + "..."
    return m.texts[node]


def raised(m: Analysis, node: ast.Raise, state: State, scope: Scope) -> list[Outcome]:
    if node.exc is None:
        m.throw(_again(state))
        return []
    for value, after in m.evaluate(node.exc, state, scope):
        cls = _exception_class(value)
        m.throw(Raised(after, cls, "denied" in after.outcomes.values(), value))
    return []


def _again(state: State) -> Raised:
    """What is being handled goes on."""
    from pytest_invariants.flow.machine.trying import handled

    refusal = "denied" in state.outcomes.values()
    match handled(state):
        case (Const(value=cls), value, *_):
            return Raised(state, cls, refusal, None if value == NONE else value)  # type: ignore[arg-type]
        case _:
            return Raised(state, None, refusal)


def _exception_class(value: Value) -> ClassInfo | str | None:
    match value:
        case Obj():
            return value.cls
        case Class():
            return value.info
        case Sym() if value.type.name.startswith("builtins."):
            return value.type.name
        case _:
            path = getattr(value, "path", "")
            return path if path.startswith("builtins.") else None


def asserted(m: Analysis, node: ast.Assert, state: State, scope: Scope) -> list[Outcome]:
    """Under `-O` an assertion is gone: what it finds out is remembered as asserted, and guards nothing."""
    outcomes: list[Outcome] = []
    ways = decide(m, node.test, [state.fork()], scope)
    for passed in ways.true:
        new = passed.facts - state.facts
        weak = frozenset(Open(f.call, f.epoch, asserted=True) if isinstance(f, Open) else f for f in new)
        passed.facts = state.facts | weak
        passed.known = dict(state.known)
        outcomes.append(Outcome("next", passed))
    for failed in ways.false:
        m.throw(Raised(failed, "builtins.AssertionError"))
    return outcomes or [Outcome("next", state)]


def _ends(kind: str) -> Callable[..., list[Outcome]]:
    def executor(_m: Analysis, _node: ast.stmt, state: State, _scope: Scope) -> list[Outcome]:
        return [Outcome(kind, state)]

    return executor


EXECUTORS: dict[type[ast.stmt], Callable[..., list[Outcome]]] = {
    ast.Expr: expression, ast.Return: returned, ast.Assign: assigned, ast.AnnAssign: annotated, ast.AugAssign: augmented,
    ast.If: branch, ast.Raise: raised, ast.Assert: asserted, ast.Delete: deleted, ast.Break: _ends("break"),
    ast.Continue: _ends("continue"), ast.Pass: _ends("next"), ast.Global: _ends("next"), ast.Nonlocal: _ends("next"),
    ast.For: for_loop, ast.AsyncFor: for_loop, ast.While: while_loop, ast.Try: try_statement, ast.TryStar: try_statement,
    ast.With: with_statement, ast.AsyncWith: with_statement, ast.Match: match_statement,
    ast.FunctionDef: definitions.function, ast.AsyncFunctionDef: definitions.function, ast.ClassDef: definitions.class_,
    ast.Import: imports.plain, ast.ImportFrom: imports.selected,
}  # fmt: skip
__all__ = ["Index", "execute", "unpack"]
