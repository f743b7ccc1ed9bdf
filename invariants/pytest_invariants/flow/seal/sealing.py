"""The seal: calls of it, what each kind of answer means, and the pass edges that tests on the answer make."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain import types
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import Open, State, Template, doubt_of_all, lives_on
from pytest_invariants.flow.domain.terms import Applied, Element, Field, Named, Term, rewrite
from pytest_invariants.flow.domain.values import (
    NO_LABELS,
    Const,
    Dict,
    Func,
    Label,
    Member,
    SealCall,
    Seq,
    Sym,
    Tuple,
    Value,
    Verdict,
    options_of,
    term_of,
    with_labels,
)
from pytest_invariants.flow.machine.machine import Arguments, Raised, Results
from pytest_invariants.flow.seal import answers
from pytest_invariants.flow.seal.provenance import GATHERED, of_nobody
from pytest_invariants.program.code import ClassInfo, FunctionInfo, own_nodes
from pytest_invariants.registry.model import Seal, VerdictKind
from pytest_invariants.verdict import Place, Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


@dataclass(frozen=True)
class SealModel:
    """The registry's seal, found in the program. `allowed` is the one value that allows, for the kind `is`."""

    declared: Seal
    functions: frozenset[FunctionInfo]
    allowed: Value | None
    fields: tuple[str, ...]
    boolean: bool
    complete: bool = False
    """Whether every answer is a member of the enumeration of the one that allows."""
    refusals: tuple[ClassInfo | str, ...] = ()
    """The classes of what the seal refuses with, where all of them are known."""
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
    given = [n.value for n in own_nodes(node) if isinstance(n, ast.Return)]
    return answers.ends(node.body) and bool(given) and all(one is not None and _boolean(one) for one in given)


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


def consult(m: Analysis, function: Func, bound: dict[str, Value], state: State, scope: Scope, node: ast.AST) -> Results:
    """A completed call of the seal."""
    seal = m.seal.declared
    m.effects.asked = True
    subjects = tuple(_whole(bound[name], state) for name in seal.subject if name in bound)
    principals = tuple((name, _as_declared(m, name, bound[name], state)) for name in seal.principal if name in bound)
    call = SealCall(
        Place(scope.path, getattr(node, "lineno", scope.statement)), m.number(state), subjects, principals, m.past
    )
    state.calls[call.number] = call
    state.step(call.at, f"asks the seal `{function.info.name}`")
    _may_break(m, call, state)
    if seal.kind is VerdictKind.FILTERS:
        return [(_filtered(m, function, call, state), state)]
    if seal.kind in (VerdictKind.RAISES, VerdictKind.ENTERS):
        grant_pass(m, call, state)
        return [(Sym(term=m.fresh("the seal's return")), state)]
    state.outcomes[call.number] = "untested"
    return [(Verdict(call=call), state)]


def _as_declared(m: Analysis, role: str, value: Value, state: State) -> Value:
    """The field that a principal is declared to be, where the value is what the constructor has put there, and only there."""
    value = of_nobody(m, role, value, state)
    declared, fields = m.seal.declared.principal.get(role), m.kept_as.get(term_of(value), ())
    if declared is None or len(fields) != 1:
        return _described(m, value, state)
    (field,) = fields
    if field.name != declared.qualname.rpartition(".")[2] or _bound_anew(field, value, state):
        return _described(m, value, state)
    return Sym(value.labels, field)


def _described(m: Analysis, value: Value, state: State) -> Value:
    """A collection that was made here says by its elements whom it speaks for."""
    value = _whole(value, state)
    cell = state.find(value.address) if isinstance(value, Seq) and not lives_on(value.address) else None
    if cell is None or not cell.closed:
        return value
    terms = dict.fromkeys(rewrite(term_of(template.value), partial(_of_some, m)) for template in cell.templates)
    return Sym(value.labels, Applied(GATHERED, tuple(sorted(terms, key=repr))))


def _of_some(m: Analysis, term: Term) -> Term | None:
    """An element stands for all of them, and is not to be drawn anew with others; what a constructor has put into a field is
    called by it."""
    if isinstance(term, Element):
        return Applied("some of", (rewrite(term.base, partial(_of_some, m)),))
    fields = m.kept_as.get(term, ())
    return next(iter(fields)) if len(fields) == 1 and term not in fields else None


def _bound_anew(field: Field, value: Value, state: State) -> bool:
    held = state.field(field.base, field.name)
    return held is not None and term_of(value) not in {term_of(one) for one in options_of(held)}


def _whole(value: Value, state: State) -> Value:
    """A sorted copy, or a set, says of what it is asked about as much as the original."""
    from pytest_invariants.flow.containers.containers import original

    return original(value, state) if isinstance(value, Seq) else value


BREAKING = ("builtins.RuntimeError", "builtins.OSError")
"""What a seal raises that breaks, where it is known what it raises to refuse."""


def _may_break(m: Analysis, call: SealCall, state: State) -> None:
    """The seal refuses by raising, or breaks: both matter only to somebody who catches."""
    if not m.may_catch:
        return
    refuses = m.seal.kind in (VerdictKind.RAISES, VerdictKind.ENTERS)
    for cls in m.seal.refusals if refuses else ():
        _throw(m, call, state, "denied", cls, refusal=True)
    if not (refuses and m.seal.refusals):
        _throw(m, call, state, "denied" if refuses else "broke", None, refusal=refuses)
        return
    for broken in (*BREAKING, *(("builtins.LookupError",) if m.seal.looks_up else ())):
        _throw(m, call, state, "broke", broken, refusal=False)


def _throw(
    m: Analysis, call: SealCall, state: State, outcome: str, cls: ClassInfo | str | None, *, refusal: bool
) -> None:
    broken = state.fork()
    broken.outcomes[call.number] = outcome
    m.throw(Raised(broken, cls, refusal=refusal, by_seal=True))


def grant_pass(m: Analysis, call: SealCall, state: State) -> None:
    """The pass edge: on this activation the seal has completed and allowed."""
    if call.past:
        state.outcomes[call.number] = "stale"
    elif any(m.ambiguous(term_of(subject)) for subject in call.subjects):
        state.outcomes[call.number] = "open"
        state.doubts |= {doubt_of_all(Reason.OPAQUE_CALLABLE, call.at, "which element this is")}
    elif m.cut_all or call.at in m.cut:
        state.outcomes[call.number] = "untested"
    else:
        state.outcomes[call.number] = "open"
        state.facts |= {Open(call, state.epoch)}


def _filtered(m: Analysis, function: Func, call: SealCall, state: State) -> Value:
    """The answer of a seal that filters: what its subject holds, or what its annotation says, each element let through."""
    from pytest_invariants.flow.containers.containers import contents, elements_of

    state.outcomes[call.number] = "untested"
    subject = call.subjects[0] if call.subjects else None
    if isinstance(subject, Seq | Tuple | Dict):
        new: Seq | Dict = Seq(address=m.allocate(state))
        elements = elements_of(m, subject, state)
    else:
        made = types.shape(m, m.fresh("what the seal lets through"), m.return_type(function, state))
        if not isinstance(made, Seq | Dict):
            made = Seq(address=term_of(made))
        new, elements = made, contents(m, made, state).templates
    cut = m.cut_all or call.at in m.cut or call.past
    templates = tuple(_let_through(m, call, template, cut, state.epoch) for template in elements)
    state.heap[new.address] = replace(m.cell_of(templates), closed=True)
    return new


def _let_through(m: Analysis, call: SealCall, template: Template, cut: bool, epoch: int) -> Template:
    passed = Open(replace(call, subjects=(template.value,), whole=call.subjects), epoch)
    number = m.value_capability
    value = template.value
    if number is not None:
        label = Label(number, term_of(value), call.at, answer=True)
        value = with_labels(value, frozenset({label}))
    return replace(template, value=value, facts=template.facts | (frozenset() if cut else {passed}))


def _settle(m: Analysis, verdict: Verdict, outcome: str, state: State, scope: Scope) -> list[State]:
    call = verdict.call
    if outcome == "open":
        grant_pass(m, call, state)
    else:
        state.outcomes[call.number] = "stale" if call.past else outcome
    if outcome in ("open", "denied"):
        state.decided[call.number] = outcome
    words = {"open": "allows", "denied": "refuses", "partial": "does not say yes"}
    state.step(scope.here, f"the seal asked at {call.at} {words.get(outcome, outcome)}")
    return [state]


def _allows_when(m: Analysis, verdict: Verdict) -> bool | None:
    """The truth that means allowed; None where the answer's own truth means nothing."""
    kind = m.seal.kind
    if kind is VerdictKind.SEALED:
        return False
    if kind is VerdictKind.ALLOWED or (kind is VerdictKind.ATTRIBUTE and verdict.aspect == "truth"):
        return True
    return None


def assume_answer(m: Analysis, verdict: Verdict, truth: bool, state: State, scope: Scope) -> list[State]:
    allows = _allows_when(m, verdict)
    if allows is not None:
        known = state.decided.get(verdict.call.number)
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
    m: Analysis, verdict: Verdict, operator: str, other: Value, truth: bool, state: State, scope: Scope
) -> list[State]:
    """`answer is X`, `answer == X`, `answer in (X, Y)`."""
    left = answers.left_after(m, verdict, operator, other, truth, state)
    if left is not None:
        meaning, fewer = left
        return [] if meaning == "none" else _settle(m, verdict, meaning, state, scope) if fewer else [state]
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
    known = state.decided.get(verdict.call.number)
    if known in ("open", "denied") and outcome in ("open", "denied") and known != outcome:
        return []
    if known in ("open", "denied") and outcome == "partial":
        return [state]
    return _settle(m, verdict, outcome, state, scope)


def _items(m: Analysis, other: Value, state: State) -> list[Value]:
    if isinstance(other, Tuple):
        return list(other.items)
    if isinstance(other, Seq):
        return [t.value for t in state.cell(other.address).templates]
    return [other]


def _same(m: Analysis, verdict: Verdict, item: Value) -> bool | None:
    """Whether the value compared with is the one that allows; None where it is not known."""
    allowed = m.seal.allowed
    if verdict.aspect in ("value", "name") and isinstance(allowed, Member) and isinstance(item, Const):
        own = Const(value=allowed.name) if verdict.aspect == "name" else m.member_value(allowed)
        return item == own if own is not None else None
    if isinstance(item, Member | Const):
        return replace(item, labels=NO_LABELS) == allowed
    return None


def _compare_truth(
    m: Analysis, verdict: Verdict, allows: bool, other: Value, truth: bool, state: State, scope: Scope
) -> list[State]:
    if not isinstance(other, Const):
        return _settle(m, verdict, "partial", state, scope)
    if other.value is None and m.seal.boolean:
        return [] if truth else [state]
    if other.value is None:  # None is false: it allows where a false answer does
        known = "open" if not allows else "denied"
        return _settle(m, verdict, known if truth else "denied" if not allows else "partial", state, scope)
    if not isinstance(other.value, bool):
        return _settle(m, verdict, "partial", state, scope)
    if other.value is allows:
        return (
            assume_answer(m, verdict, allows, state, scope)
            if truth
            else assume_answer(m, verdict, not allows, state, scope)
        )
    if truth:
        return assume_answer(m, verdict, not allows, state, scope)
    if m.seal.boolean:
        return assume_answer(m, verdict, allows, state, scope)
    return _settle(m, verdict, "partial", state, scope)


def part_of_answer(m: Analysis, verdict: Verdict, name: str) -> Value:
    """A field of the answer."""
    if m.seal.kind is VerdictKind.ATTRIBUTE and name == m.seal.declared.attribute:
        return replace(verdict, aspect="truth")
    if m.seal.kind is VerdictKind.IS and name in ("value", "name"):
        return replace(verdict, aspect=name)
    return Sym(term=Field(Named(f"answer {verdict.call.number}"), name))


def swallowed(state: State) -> bool:
    return "swallowed" in state.outcomes.values()


__all__ = ["Arguments", "SealModel", "assume_answer", "compare_answer", "consult", "grant_pass", "part_of_answer"]
