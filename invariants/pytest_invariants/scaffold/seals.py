"""Candidates for the seal: small functions that decide something, and on whose answer many others let something out.

Names play no part: what counts is how a function is asked, and what depends on its answer.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from pytest_invariants.scaffold.asking import Asked, asked_at
from pytest_invariants.scaffold.kinds import Types
from pytest_invariants.scaffold.survey import Function, Survey
from pytest_invariants.verdict import Place

MOST_STATEMENTS = 15
"""A function that decides, and does nothing else, is not longer."""

ARGUMENT_ERRORS = frozenset({"TypeError", "ValueError", "AssertionError", "NotImplementedError", "RuntimeError"})


@dataclass(frozen=True)
class Call:
    """One call of a candidate: by whom, where, with which arguments by parameter, and what its answer decides."""

    by: Function
    at: Place
    arguments: dict[str, ast.expr] = field(compare=False)
    asked: Asked


@dataclass(frozen=True)
class Candidate:
    """A function that may be the seal; `verdict` is how it says yes, as its callers understand it."""

    function: Function
    verdict: str
    calls: tuple[Call, ...]

    @property
    def askers(self) -> list[Function]:
        """The functions in which something depends on the answer."""
        return list({call.by.ref: call.by for call in self.calls if call.asked is not Asked.OTHERWISE}.values())

    @property
    def weight(self) -> tuple[bool, int, int, int, str]:
        """The higher, the likelier: more functions of more modules obey it, and it decides about two parties; one that
        only finds fault with its arguments decides about none."""
        parties = min(2, len(self.function.parameters) + (self.function.owner is not None))
        modules = len({asker.module for asker in self.askers})
        return (
            not _finds_fault(self.function),
            parties,
            len(self.askers) + modules,
            -len(self.function.nodes),
            self.function.ref,
        )


def candidates(survey: Survey, types: dict[str, Types], fewest: int = 2) -> list[Candidate]:
    """Every candidate that at least so many functions obey, the likeliest first."""
    calls: dict[str, list[Call]] = {}
    for function in survey.functions.values():
        for call, asked in asked_at(function):
            target = types[function.ref].target(call)
            if target in survey.functions and target != function.ref:
                callee = survey.functions[str(target)]
                asking = Call(function, Place(function.path, call.lineno), _arguments(callee, call), asked)
                calls.setdefault(callee.ref, []).append(asking)
    made = (_candidate(survey.functions[ref], of_one) for ref, of_one in calls.items())
    found = [one for one in made if one is not None and len(one.askers) >= fewest]
    return sorted(found, key=lambda candidate: candidate.weight, reverse=True)


def given(survey: Survey, types: dict[str, Types], ref: str) -> Candidate | None:
    """The candidate that a user named, whatever is thought of it."""
    function = survey.functions.get(ref)
    if function is None:
        return None
    calls = [
        Call(asker, Place(asker.path, call.lineno), _arguments(function, call), asked)
        for asker in survey.functions.values()
        for call, asked in asked_at(asker)
        if types[asker.ref].target(call) == ref
    ]
    return Candidate(function, _verdict(function, calls) or _by_its_text(types[ref], function), tuple(calls))


def _by_its_text(types: Types, function: Function) -> str:
    """How a function says yes of which the callers do not tell: by what it gives back, or by not raising."""
    given_back = types.of_annotation(function.module, function.node.returns)
    if given_back is not None and given_back.many:
        return "filters"
    return "raises" if any(isinstance(node, ast.Raise) for node in function.nodes) else "sealed"


def _candidate(function: Function, calls: list[Call]) -> Candidate | None:
    statements = sum(isinstance(node, ast.stmt) for node in function.nodes)
    verdict = _verdict(function, calls)
    if verdict is None or statements > MOST_STATEMENTS or not (function.parameters or function.owner):
        return None
    return Candidate(function, verdict, tuple(calls))


def _verdict(function: Function, calls: list[Call]) -> str | None:
    """`sealed`, `allowed`, `raises`, `enters`, `filters`, or None where it decides nothing."""
    counts = Counter(call.asked for call in calls)
    if _is_context(function):
        return "enters" if counts[Asked.ENTERED] else None
    if _answers_yes_or_no(function):
        if not counts[Asked.REFUSES] and not counts[Asked.ALLOWS]:
            return None
        return "sealed" if counts[Asked.REFUSES] >= counts[Asked.ALLOWS] else "allowed"
    if counts[Asked.ALONE] and _only_raises(function):
        return "raises"
    if counts[Asked.DRAWN] and _filters(function):
        return "filters"
    return None


def _is_context(function: Function) -> bool:
    return any("contextmanager" in ast.unparse(each) for each in function.node.decorator_list)


def _answers_yes_or_no(function: Function) -> bool:
    returns = [node.value for node in function.nodes if isinstance(node, ast.Return)]
    if isinstance(function.node.returns, ast.Name) and function.node.returns.id == "bool":
        return True
    return bool(returns) and all(value is not None and _is_boolean(value) for value in returns)


def _is_boolean(value: ast.expr) -> bool:
    match value:
        case ast.Constant(value=bool()) | ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.BoolOp(values=values):
            return any(_is_boolean(each) for each in values)
        case ast.Call(func=ast.Name(id=name)):
            return name in ("bool", "any", "all", "isinstance")
    return False


def _only_raises(function: Function) -> bool:
    returned = any(isinstance(node, ast.Return) and node.value is not None for node in function.nodes)
    return not returned and any(isinstance(node, ast.Raise) for node in function.nodes)


def _finds_fault(function: Function) -> bool:
    """Every way out by an exception says that an argument is not what it should be."""
    raised = [node.exc for node in function.nodes if isinstance(node, ast.Raise) and node.exc is not None]
    names = [ast.unparse(each.func if isinstance(each, ast.Call) else each) for each in raised]
    return bool(names) and all(name in ARGUMENT_ERRORS for name in names)


def _filters(function: Function) -> bool:
    """It returns a part of one of its parameters."""
    return any(
        isinstance(node, ast.Return)
        and isinstance(node.value, ast.ListComp | ast.GeneratorExp | ast.SetComp)
        and bool(node.value.generators[0].ifs)
        and isinstance(node.value.generators[0].iter, ast.Name)
        and node.value.generators[0].iter.id in function.parameters
        for node in function.nodes
    )


def _arguments(callee: Function, call: ast.Call) -> dict[str, ast.expr]:
    named = dict(zip(callee.parameters, call.args, strict=False))
    named |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    if callee.owner and isinstance(call.func, ast.Attribute):
        named["self"] = call.func.value
    return named


def evidence(candidate: Candidate) -> Iterator[str]:
    """In words, for the registry."""
    askers = candidate.askers
    if len(askers) == 1:
        yield f"{askers[0].ref} does something else where it answers otherwise"
    else:
        modules = len({asker.module for asker in askers})
        yield f"{len(askers)} functions of {modules} modules do something else where it answers otherwise"
    yield "asked at " + ", ".join(str(call.at) for call in candidate.calls[:6])
