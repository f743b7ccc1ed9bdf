"""The seal: calls of it, what each kind of answer means, and the pass edges that tests on the answer make."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from pytest_invariants.flow.machine import Arguments, Machine, Raised, Results
from pytest_invariants.flow.scope import Scope
from pytest_invariants.flow.state import Doubt, Open, State, Template
from pytest_invariants.flow.terms import Field, Named, Param
from pytest_invariants.flow.values import (
    NO_LABELS,
    Const,
    Func,
    Member,
    SealCall,
    Seq,
    Sym,
    Tuple,
    Value,
    Verdict,
    term_of,
)
from pytest_invariants.program.code import FunctionInfo, own_nodes
from pytest_invariants.registry.model import Seal, VerdictKind
from pytest_invariants.verdict import Place, Reason


@dataclass(frozen=True)
class SealModel:
    """The registry's seal, found in the program. `allowed` is the one value that allows, for the kind `is`."""

    declared: Seal
    functions: frozenset[FunctionInfo]
    allowed: Value | None
    fields: tuple[str, ...]
    boolean: bool
    looks_up: bool = True
    """Whether the seal's own body may fail to find a key."""

    @property
    def kind(self) -> VerdictKind:
        return self.declared.kind


def returns_booleans(info: FunctionInfo) -> bool:
    """Whether every answer is a real `True` or `False`, so that a comparison with one of them decides."""
    node = info.node
    if isinstance(node, ast.Lambda):
        return _boolean(node.body)
    if node.returns is not None and ast.unparse(node.returns) == "bool":
        return True
    answers = [n.value for n in own_nodes(node) if isinstance(n, ast.Return)]
    return bool(answers) and all(answer is not None and _boolean(answer) for answer in answers)


def _boolean(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=bool()) | ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.BoolOp(values=values):
            return all(_boolean(value) for value in values)
        case ast.IfExp(body=body, orelse=other):
            return _boolean(body) and _boolean(other)
        case ast.Call(func=ast.Name(id="bool" | "isinstance" | "any" | "all")):
            return True
        case _:
            return False


def consult(m: Machine, function: Func, bound: dict[str, Value], state: State, scope: Scope, node: ast.AST) -> Results:
    """A completed call of the seal."""
    seal = m.seal.declared
    m.effects.asked = True
    subjects = tuple(bound[name] for name in seal.subject if name in bound)
    principals = tuple((name, bound[name]) for name in seal.principal if name in bound)
    call = SealCall(Place(scope.path, getattr(node, "lineno", scope.statement)), m.number(), subjects, principals, m.past)
    state.calls[call.number] = call
    state.step(call.at, f"asks the seal `{function.info.name}`")
    _may_break(m, call, state)
    if seal.kind is VerdictKind.FILTERS:
        return [(_filtered(m, call, state), state)]
    if seal.kind in (VerdictKind.RAISES, VerdictKind.ENTERS):
        grant_pass(m, call, state)
        return [(Sym(term=m.fresh("the seal's return")), state)]
    state.outcomes[call.number] = "untested"
    return [(Verdict(call=call), state)]


def _may_break(m: Machine, call: SealCall, state: State) -> None:
    """The seal refuses by raising, or breaks: both matter only to somebody who catches."""
    if not m.may_catch:
        return
    refuses = m.seal.kind in (VerdictKind.RAISES, VerdictKind.ENTERS)
    broken = state.fork()
    broken.outcomes[call.number] = "denied" if refuses else "broke"
    m.throw(Raised(broken, None, refusal=refuses, by_seal=True))


def grant_pass(m: Machine, call: SealCall, state: State) -> None:
    """The pass edge: on this activation the seal has completed and allowed."""
    if any(m.ambiguous(term_of(subject)) for subject in call.subjects):
        state.outcomes[call.number] = "open"
        state.doubts |= {Doubt(Reason.OPAQUE_CALLABLE, call.at, frozenset({Param("")}), "which element this is")}
    elif call.past:
        state.outcomes[call.number] = "stale"
    elif m.cut_all or call.at in m.cut:
        state.outcomes[call.number] = "untested"
    else:
        state.outcomes[call.number] = "open"
        state.facts |= {Open(call, state.epoch)}


def _filtered(m: Machine, call: SealCall, state: State) -> Value:
    from pytest_invariants.flow.containers import elements_of

    new = Seq(address=m.allocate())
    state.outcomes[call.number] = "untested"
    templates = []
    for subject in call.subjects[:1]:
        for template in elements_of(m, subject, state):
            passed = Open(replace(call, subjects=(template.value,)), state.epoch)
            cut = m.cut_all or call.at in m.cut or call.past
            known = frozenset() if cut else frozenset({passed})
            templates.append(Template(template.value, template.facts | known, template.key))
    state.heap[new.address] = m.cell_of(tuple(templates))
    return new


def _settle(m: Machine, verdict: Verdict, outcome: str, state: State, scope: Scope) -> list[State]:
    call = verdict.call
    if outcome == "open":
        grant_pass(m, call, state)
    else:
        state.outcomes[call.number] = "stale" if call.past else outcome
    words = {"open": "allows", "denied": "refuses", "partial": "does not say yes"}
    state.step(scope.here, f"the seal asked at {call.at} {words.get(outcome, outcome)}")
    return [state]


def _allows_when(m: Machine, verdict: Verdict) -> bool | None:
    """The truth that means allowed; None where the answer's own truth means nothing."""
    kind = m.seal.kind
    if kind is VerdictKind.SEALED:
        return False
    if kind is VerdictKind.ALLOWED or (kind is VerdictKind.ATTRIBUTE and verdict.aspect == "truth"):
        return True
    return None


def assume_answer(m: Machine, verdict: Verdict, truth: bool, state: State, scope: Scope) -> list[State]:
    allows = _allows_when(m, verdict)
    if allows is not None:
        known = state.outcomes.get(verdict.call.number)
        outcome = "open" if truth is allows else "denied"
        if known in ("open", "denied") and known != outcome:
            return []
        return _settle(m, verdict, outcome, state, scope)
    if m.seal.kind is VerdictKind.ATTRIBUTE:
        return [state] if truth else []
    if m.seal.kind is VerdictKind.IS and isinstance(m.seal.allowed, Member):
        return [state] if truth else []
    return _settle(m, verdict, "partial", state, scope)


def compare_answer(
    m: Machine, verdict: Verdict, operator: str, other: Value, truth: bool, state: State, scope: Scope
) -> list[State]:
    """`answer is X`, `answer == X`, `answer in (X, Y)`."""
    allows = _allows_when(m, verdict)
    if allows is not None and operator != "in":
        return _compare_truth(m, verdict, allows, other, truth, state, scope)
    if m.seal.kind is not VerdictKind.IS:
        return [state]
    items = _items(m, other, state) if operator == "in" else [other]
    hits = [_same(m, verdict, item) for item in items]
    if any(hit is None for hit in hits):
        return _settle(m, verdict, "partial", state, scope)
    if all(hits):
        outcome = "open" if truth else "denied"
    elif any(hits):
        outcome = "partial" if truth else "denied"
    else:
        outcome = "denied" if truth else "partial"
    known = state.outcomes.get(verdict.call.number)
    if known in ("open", "denied") and outcome in ("open", "denied") and known != outcome:
        return []
    if known in ("open", "denied") and outcome == "partial":
        return [state]
    return _settle(m, verdict, outcome, state, scope)


def _items(m: Machine, other: Value, state: State) -> list[Value]:
    if isinstance(other, Tuple):
        return list(other.items)
    if isinstance(other, Seq):
        return [t.value for t in state.cell(other.address).templates]
    return [other]


def _same(m: Machine, verdict: Verdict, item: Value) -> bool | None:
    """Whether the value compared with is the one that allows; None where it is not known."""
    allowed = m.seal.allowed
    if verdict.aspect in ("value", "name") and isinstance(allowed, Member) and isinstance(item, Const):
        own = Const(value=allowed.name) if verdict.aspect == "name" else m.member_value(allowed)
        return item == own if own is not None else None
    if isinstance(item, Member | Const):
        return replace(item, labels=NO_LABELS) == allowed
    return None


def _compare_truth(
    m: Machine, verdict: Verdict, allows: bool, other: Value, truth: bool, state: State, scope: Scope
) -> list[State]:
    if not isinstance(other, Const):
        return _settle(m, verdict, "partial", state, scope)
    if not isinstance(other.value, bool):
        if m.seal.boolean and other.value is None:
            return [] if truth else [state]
        return _settle(m, verdict, "partial", state, scope)
    if other.value is allows:
        return assume_answer(m, verdict, allows, state, scope) if truth else assume_answer(m, verdict, not allows, state, scope)
    if truth:
        return assume_answer(m, verdict, not allows, state, scope)
    if m.seal.boolean:
        return assume_answer(m, verdict, allows, state, scope)
    return _settle(m, verdict, "partial", state, scope)


def part_of_answer(m: Machine, verdict: Verdict, name: str) -> Value:
    """A field of the answer."""
    if m.seal.kind is VerdictKind.ATTRIBUTE and name == m.seal.declared.attribute:
        return replace(verdict, aspect="truth")
    if m.seal.kind is VerdictKind.IS and name in ("value", "name"):
        return replace(verdict, aspect=name)
    return Sym(term=Field(Named(f"answer {verdict.call.number}"), name))


def swallowed(state: State) -> bool:
    return "swallowed" in state.outcomes.values()


__all__ = ["Arguments", "SealModel", "assume_answer", "compare_answer", "consult", "grant_pass", "part_of_answer"]
