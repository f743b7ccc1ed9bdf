"""How a function asks another: by a test that refuses, by one that lets pass, alone, in a `with`, or in a loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from enum import Enum

from pytest_invariants.scaffold.survey import Function


class Asked(Enum):
    """What an answer decides."""

    REFUSES = "a true answer refuses"
    ALLOWS = "a true answer lets pass"
    ALONE = "a normal return lets pass"
    ENTERED = "entering lets pass"
    DRAWN = "what comes out passes"
    OTHERWISE = "nothing that can be told"


def asked_at(function: Function) -> Iterator[tuple[ast.Call, Asked]]:
    """Every call in a function, each once, with what its answer decides."""
    kept = _kept(function)
    seen: set[int] = set()
    for node in function.nodes:
        for call, asked in _deciding(node, kept):
            if id(call) not in seen:
                seen.add(id(call))
                yield call, asked
    for node in function.nodes:
        if isinstance(node, ast.Call) and id(node) not in seen:
            yield node, Asked.OTHERWISE


def _kept(function: Function) -> dict[str, ast.Call]:
    """Answers that are kept under a name, where it is bound once."""
    found: dict[str, list[ast.expr]] = {}
    for node in function.nodes:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.NamedExpr(target=ast.Name(id=name), value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                found.setdefault(name, []).append(value.value if isinstance(value, ast.Await) else value)
    return {name: one[0] for name, one in found.items() if len(one) == 1 and isinstance(one[0], ast.Call)}


def _deciding(node: ast.AST, kept: dict[str, ast.Call]) -> Iterator[tuple[ast.Call, Asked]]:
    match node:
        case ast.If(test=test, body=body, orelse=orelse):
            yield from _tested(test, kept, refuses=_ends(body) and not (_ends(orelse) and orelse))
        case ast.While(test=test) | ast.IfExp(test=test):
            yield from _tested(test, kept, refuses=False)
        case ast.comprehension(ifs=ifs, iter=source):
            for test in ifs:
                yield from _tested(test, kept, refuses=False)
            yield from _drawn(source)
        case ast.For(iter=source) | ast.AsyncFor(iter=source):
            yield from _drawn(source)
        case ast.Expr(value=ast.Call() as call) | ast.Expr(value=ast.Await(value=ast.Call() as call)):
            yield call, Asked.ALONE
        case ast.With(items=items) | ast.AsyncWith(items=items):
            yield from ((i.context_expr, Asked.ENTERED) for i in items if isinstance(i.context_expr, ast.Call))


def _drawn(source: ast.expr) -> Iterator[tuple[ast.Call, Asked]]:
    if isinstance(source, ast.Await):
        source = source.value
    if isinstance(source, ast.Call):
        yield source, Asked.DRAWN


def _ends(body: Sequence[ast.stmt]) -> bool:
    """Whether a branch leaves, or notes a refusal, instead of going on to what is let out."""
    return bool(body) and isinstance(body[-1], ast.Raise | ast.Return | ast.Continue | ast.Break)


def _tested(test: ast.expr, kept: dict[str, ast.Call], *, refuses: bool) -> Iterator[tuple[ast.Call, Asked]]:
    """The calls in a test, with the sign that each has there."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _tested(operand, kept, refuses=not refuses)
        case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as operator], comparators=[ast.Constant(value=value)]):
            flips = isinstance(operator, ast.Is) != (value is True)
            yield from _tested(left, kept, refuses=refuses != flips)
        case ast.BoolOp(values=values):
            for value in values:
                yield from _tested(value, kept, refuses=refuses)
        case ast.Await(value=value) | ast.NamedExpr(value=value):
            yield from _tested(value, kept, refuses=refuses)
        case ast.Call(
            func=ast.Name(id="all" | "any" | "bool"), args=[ast.GeneratorExp(elt=inner) | ast.ListComp(elt=inner)]
        ):
            yield from _tested(inner, kept, refuses=refuses)
        case ast.Call():
            yield test, Asked.REFUSES if refuses else Asked.ALLOWS
        case ast.Name(id=name) if name in kept:
            yield kept[name], Asked.REFUSES if refuses else Asked.ALLOWS
