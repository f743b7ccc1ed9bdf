"""Comparisons of the seal's answer with values, where all answers that it may give are known: which of them are left on a path."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.state import State, lives_on
from pytest_invariants.flow.domain.terms import Literal, Term
from pytest_invariants.flow.domain.values import (
    FALSE,
    TRUE,
    Class,
    Const,
    Dict,
    Member,
    Seq,
    Tuple,
    Value,
    Verdict,
    term_of,
)
from pytest_invariants.program.code import FunctionInfo, own_nodes
from pytest_invariants.registry.model import VerdictKind

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def returns_members(info: FunctionInfo, name: str) -> bool:
    """Whether every answer is a member of the enumeration of this name."""
    node = info.node
    if isinstance(node, ast.Lambda):
        return _is_member(node.body, name)
    if node.returns is not None and ast.unparse(node.returns).strip("'\"") == name:
        return True
    answers = [n.value for n in own_nodes(node) if isinstance(n, ast.Return)]
    return (
        ends(node.body) and bool(answers) and all(answer is not None and _is_member(answer, name) for answer in answers)
    )


def ends(body: list[ast.stmt]) -> bool:
    """Whether a block always returns or raises: what falls off its end gives None."""
    match body[-1] if body else None:
        case ast.Return() | ast.Raise():
            return True
        case ast.If(body=one, orelse=other):
            return ends(one) and ends(other)
        case ast.Match(cases=cases):
            last = cases[-1]
            total = last.guard is None and isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None
            return total and all(ends(case.body) for case in cases)
        case ast.With(body=inner) | ast.AsyncWith(body=inner):
            return ends(inner)
        case ast.Try(body=inner, handlers=handlers, orelse=other, finalbody=last):
            return ends(last) or (ends(other or inner) and all(ends(handler.body) for handler in handlers))
        case _:
            return False


def _is_member(node: ast.expr, name: str) -> bool:
    match node:
        case ast.Attribute(value=base):
            return ast.unparse(base).rpartition(".")[2] == name
        case ast.IfExp(body=body, orelse=other):
            return _is_member(body, name) and _is_member(other, name)
        case _:
            return False


def possible(m: Analysis, verdict: Verdict) -> tuple[Value, ...] | None:
    """The answers that the seal may give; None where they are not known."""
    if m.seal.kind in (VerdictKind.SEALED, VerdictKind.ALLOWED):
        return (TRUE, FALSE) if m.seal.boolean else None
    allowed = m.seal.allowed
    if m.seal.kind is VerdictKind.IS and isinstance(allowed, Member) and m.seal.complete:
        names = [name for name, held in allowed.cls.namespace.items() if isinstance(held, Member)]
        return tuple(Member(cls=allowed.cls, name=name) for name in names)
    return None


def left_after(
    m: Analysis, verdict: Verdict, operator: str, other: Value, truth: bool, state: State
) -> tuple[str, bool] | None:
    """What the answers left by a comparison mean, and whether it took any away; None where they are not known.
    The state keeps which ones it took."""
    answers, items = possible(m, verdict), _items(m, operator, other, state)
    if answers is None or items is None:
        return None
    before = [a for a in answers if not _excluded(m, verdict, a, state)]
    left = [a for a in before if (_seen(m, verdict, a) in items) is truth]
    for answer in before:
        if answer not in left:
            state.known[_atom(verdict, answer)] = False
    allowing = [a for a in left if allows(m, a)]
    meaning = "none" if not left else "open" if len(allowing) == len(left) else "partial" if allowing else "denied"
    return meaning, len(left) < len(before)


def allows(m: Analysis, answer: Value) -> bool:
    if m.seal.kind is VerdictKind.IS:
        return answer == m.seal.allowed
    return (answer == TRUE) is (m.seal.kind is VerdictKind.ALLOWED)


def _atom(verdict: Verdict, answer: Value) -> tuple[str, Term, Term]:
    return "answer", Literal(verdict.call.number, "call"), term_of(answer)


def _excluded(m: Analysis, verdict: Verdict, answer: Value, state: State) -> bool:
    decided = state.decided.get(verdict.call.number)
    if decided in ("open", "denied") and allows(m, answer) is not (decided == "open"):
        return True
    return state.known.get(_atom(verdict, answer)) is False


def _seen(m: Analysis, verdict: Verdict, answer: Value) -> Value | None:
    """The answer, or the part of it that is compared."""
    if not isinstance(answer, Member) or verdict.aspect not in ("value", "name"):
        return answer
    return Const(value=answer.name) if verdict.aspect == "name" else m.member_value(answer)


def _items(m: Analysis, operator: str, other: Value, state: State) -> list[Value] | None:
    """What the answer is compared with, where all of it is known."""
    found: list[Value] = [other]
    if operator == "in":
        match other:
            case Tuple():
                found = list(other.items)
            case Seq() | Dict() if (cell := state.find(other.address)) is not None and _known(other, cell.exact):
                found = [t.key if isinstance(other, Dict) and t.key is not None else t.value for t in cell.templates]
            case Class() if other.info.is_enum:
                found = [held for held in other.info.namespace.values() if isinstance(held, Member)]
            case _:
                return None
    plain = [Const(value=v.value) if isinstance(v, Const) else v for v in found]
    return plain if all(isinstance(v, Const | Member) for v in plain) else None


def _known(other: Seq | Dict, exact: bool) -> bool:
    """Whether what a display holds is all that it can hold: a list by its order, a set or dictionary that was made here."""
    return exact or not lives_on(other.address)


__all__ = ["allows", "left_after", "possible", "returns_members"]
