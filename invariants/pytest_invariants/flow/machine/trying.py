"""`try` and `with`: exception edges to handlers, `finally` for each way out, context managers that may swallow."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State, doubt_of_all
from pytest_invariants.flow.domain.values import NONE, Class, Const, Foreign, Sym, Tuple, Value
from pytest_invariants.flow.machine import groups
from pytest_invariants.flow.machine.contexts import enter, leave, swallow, waits_itself
from pytest_invariants.flow.machine.machine import Outcome, Raised
from pytest_invariants.flow.machine.merging import distinct
from pytest_invariants.flow.machine.raising import joined
from pytest_invariants.flow.machine.surprises import ANYTHING
from pytest_invariants.flow.relevance.syntax import names_in
from pytest_invariants.program.code import ClassInfo
from pytest_invariants.verdict import Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


RAISED_LIMIT = 24
BROAD = ("builtins.Exception", "builtins.BaseException")


@dataclass
class Caught:
    """What one handler takes, and whether any of that is raised for sure."""

    states: list[State] = field(default_factory=list)
    sure: bool = False


def try_statement(m: Analysis, node: ast.Try | ast.TryStar, state: State, scope: Scope) -> list[Outcome]:
    with m.collecting() as left:
        outcomes = _guarded(m, node, state, scope)
    if not node.finalbody:
        for one in left:
            m.throw(one)
        return outcomes
    return _finally(m, node.finalbody, outcomes, left, scope)


def _guarded(m: Analysis, node: ast.Try | ast.TryStar, state: State, scope: Scope) -> list[Outcome]:
    """The body, its handlers and its `else`; what no handler takes goes on to the collector outside."""
    with m.collecting() as raised:
        outcomes = m.execute(node.body, state, scope)
    done = [o for o in outcomes if o.kind != "next"]
    through = [o.state for o in outcomes if o.kind == "next"]
    done += m.execute_all(node.orelse, through, scope) if node.orelse else [Outcome("next", one) for one in through]
    caught = [Caught() for _ in node.handlers]
    some = Sym(term=m.fresh("exception"))
    for one in _fewer(m, raised):
        _catch(m, node, one, scope, caught, some)
    for handler, taken in zip(node.handlers, caught, strict=True):
        done += _handled(m, handler, taken.states, scope)
    return done


def _fewer(m: Analysis, raised: list[Raised]) -> list[Raised]:
    """Alike ones once; where too many are left, those of one class are joined."""
    kept: list[Raised] = []
    seen: dict[object, list[State]] = {}
    for one in raised:
        state = one.state
        alike = seen.setdefault((one.cls, one.refusal, state.facts, state.pending, state.doubts), [])
        if not any(len(distinct([other, state])) == 1 for other in alike):
            alike.append(state)
            kept.append(one)
    explicit = [o for o in kept if o.refusal or o.value is not None]
    others = [o for o in kept if not (o.refusal or o.value is not None)]
    return [one for group in (explicit, others) for one in (joined(m, group) if len(group) > RAISED_LIMIT else group)]


def _catch(
    m: Analysis, node: ast.Try | ast.TryStar, one: Raised, scope: Scope, caught: list[Caught], some: Value
) -> None:
    """Add the state to those of each handler that may take the exception; on it goes where none takes it for sure."""
    for handler, taken in zip(node.handlers, caught, strict=True):
        told = partial(_takes, m, handler.type, scope)
        takes = groups.taken(m, one, told) if isinstance(node, ast.TryStar) else told(one)
        if takes is not False:
            doubt = _doubt(m, handler.type, one, scope, taken.sure) if takes is None else ""
            taken.states.append(_taken(handler, one, some, scope, doubt))
            taken.sure |= bool(takes) and not one.plain
        if takes:
            return
    m.throw(one)


def _taken(handler: ast.ExceptHandler, one: Raised, some: Value, scope: Scope, doubt: str) -> State:
    """The state in which the handler begins."""
    caught = swallow(one)
    if doubt:
        caught.doubts |= {doubt_of_all(Reason.OPAQUE_CALLABLE, scope.at(handler), doubt)}
    caught.step(scope.at(handler), "the exception is caught")
    if handler.name:
        caught.bind(scope.frame, handler.name, some if one.value is None else one.value)
    if raises_again(handler) or handled(caught):
        caught.frames[CAUGHT] = {"": Tuple(items=(Const(value=one.cls), one.value or NONE, *handled(caught)))}
    return caught


CAUGHT = "caught"
"""The frame that holds what is being handled: class and value of each exception, the innermost first."""


def raises_again(handler: ast.ExceptHandler) -> bool:
    return any(isinstance(node, ast.Raise) and node.exc is None for one in handler.body for node in ast.walk(one))


def handled(state: State) -> tuple[Value, ...]:
    """Nothing, where paths were joined that handle different exceptions."""
    held = state.frame(CAUGHT).get("")
    return held.items if isinstance(held, Tuple) else ()


def _doubt(m: Analysis, node: ast.expr | None, one: Raised, scope: Scope, sure: bool) -> str:
    """Why it is not known whether this is ever raised here: an exception of the program is raised by what says so. No matter
    where something that is raised for sure goes the same way."""
    options = _options(m, node, one, scope)
    if one.by_seal and not one.refusal:
        return "" if any(getattr(o, "path", "").rpartition(".")[2] in FAILURES for o in options) else SEAL
    own = bool(options) and all(isinstance(option, Class) for option in options)
    return CODE if own and not sure and one.plain and one.cls == ANYTHING else ""


def _handled(m: Analysis, handler: ast.ExceptHandler, states: list[State], scope: Scope) -> list[Outcome]:
    ended = m.execute_all(handler.body, states, scope)
    for outcome in ended:
        if handler.name:
            outcome.state.unbind(scope.frame, handler.name)
        if held := handled(outcome.state):
            outcome.state.frames[CAUGHT] = {"": Tuple(items=held[2:])}
    return ended


def _takes(m: Analysis, node: ast.expr | None, scope: Scope, one: Raised) -> bool | None:
    """Whether the handler takes this exception; None where it may or may not."""
    if node is None:
        return True
    verdicts = []
    for option in _options(m, node, one, scope):
        verdicts.append(False if _no_lookup(m, option, one) else catches(option, one))
    if True in verdicts:
        return True
    return None if None in verdicts or not verdicts else False


FAILURES = frozenset({"RuntimeError", "OSError", "IOError", "TimeoutError", "ConnectionError"})
"""What a seal that breaks raises, rather than what the code beside it does."""


SEAL, CODE = "the seal may raise this", "what is called here may raise this"


def _options(m: Analysis, node: ast.expr | None, one: Raised, scope: Scope) -> list[Value]:
    """The classes that a handler names."""
    values = [v for v, _ in m.evaluate_quietly(node, one.state, scope)] if node is not None else []
    return [option for value in values for option in (value.items if isinstance(value, Tuple) else (value,))]


def _no_lookup(m: Analysis, kind: Value, one: Raised) -> bool:
    """A handler for a missing key takes no failure of a seal that looks nothing up; one for an exception of the program none
    of a seal that does not know it."""
    if isinstance(kind, Class) and one.by_seal and not one.refusal:
        return not any(kind.info.name in names_in(info.node) for info in m.seal.functions)
    names = (
        "builtins.KeyError",
        "builtins.IndexError",
        "builtins.LookupError",
        "builtins.StopIteration",
        "builtins.ImportError",
    )
    return one.by_seal and not one.refusal and not m.seal.looks_up and getattr(kind, "path", "") in names


def catches(kind: Value, one: Raised) -> bool | None:
    if isinstance(kind, Foreign) and kind.path in BROAD:
        return True
    if isinstance(kind, Class) and isinstance(one.cls, ClassInfo):
        if kind.info in one.cls.mro:
            return True
        return None if one.cls in kind.info.mro else False
    if isinstance(kind, Class) and isinstance(one.cls, str):
        return None if one.cls == "builtins.Exception" else False
    if isinstance(kind, Foreign) and isinstance(one.cls, ClassInfo):
        return True if _derives(one.cls, kind.path) else None if one.cls.opaque_base else False
    if isinstance(kind, Foreign) and isinstance(one.cls, str):
        return _builtin(kind.path, one.cls)
    return None


def _derives(cls: ClassInfo, path: str) -> bool:
    return any(_builtin(path, base) for base in cls.foreign_bases())


def _builtin(kind: str, raised: str) -> bool | None:
    """Whether a builtin exception class is a subclass of another."""
    import builtins

    left = getattr(builtins, raised.rpartition(".")[2], None)
    right = getattr(builtins, kind.rpartition(".")[2], None)
    if not (isinstance(left, type) and isinstance(right, type)):
        return None
    if issubclass(left, right):
        return True
    return None if issubclass(right, left) else False


def _finally(
    m: Analysis, body: list[ast.stmt], outcomes: list[Outcome], left: list[Raised], scope: Scope
) -> list[Outcome]:
    """The block runs once for each way out; where it returns, it has the last word."""
    done: list[Outcome] = []
    for outcome in outcomes:
        for end in m.execute(body, outcome.state, scope):
            done.append(Outcome(outcome.kind, end.state, outcome.value) if end.kind == "next" else end)
    for one in _fewer(m, left):
        held = dict(one.state.outcomes)
        if one.refusal:
            one.state.outcomes = {n: "swallowed" if o == "denied" else o for n, o in held.items()}
        for end in m.execute(body, one.state, scope):
            if end.kind == "next":
                end.state.outcomes.update(held)
                m.throw(replace(one, state=end.state))
            else:
                done.append(end)
    return done


def with_statement(m: Analysis, node: ast.With | ast.AsyncWith, state: State, scope: Scope) -> list[Outcome]:
    return _with(m, node, 0, state, scope)


def _with(m: Analysis, node: ast.With | ast.AsyncWith, position: int, state: State, scope: Scope) -> list[Outcome]:
    """The items from outside in; the innermost holds the body."""
    if position == len(node.items):
        return m.execute(node.body, state, scope)
    item = node.items[position]
    outcomes: list[Outcome] = []
    for manager, before in m.evaluate(item.context_expr, state, scope):
        waits = isinstance(node, ast.AsyncWith) and waits_itself(manager)

        def inside(value: Value, entered: State, waits: bool = waits) -> list[Outcome]:
            entered.epoch += waits
            states = [entered]
            if item.optional_vars is not None:
                states = m.unpack(item.optional_vars, value, entered, scope)
            return [o for ready in states for o in _with(m, node, position + 1, ready, scope)]

        ends = enter(m, manager, before, scope, item.context_expr, inside)
        for end in ends:
            end.state.epoch += waits
        outcomes += ends
    return outcomes


__all__ = ["NONE", "catches", "leave", "try_statement", "with_statement"]
