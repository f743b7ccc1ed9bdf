"""Candidates for the seal: functions that decide something, and on whose answer others let something out.

What counts is how a function is asked, and what depends on its answer; `weighing` ranks them.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from pytest_invariants.scaffold.asking import Asked, asked_at
from pytest_invariants.scaffold.graph import Graph
from pytest_invariants.scaffold.kinds import Types
from pytest_invariants.scaffold.natures import Nature, given_back, nature_of
from pytest_invariants.scaffold.survey import Function
from pytest_invariants.scaffold.things import Things
from pytest_invariants.verdict import Place


@dataclass(frozen=True)
class Call:
    """One call of a candidate: by whom, where, with which arguments by parameter, and what its answer decides."""

    by: Function
    at: Place
    arguments: dict[str, ast.expr] = field(compare=False)
    asked: Asked
    node: ast.Call = field(compare=False, repr=False)


@dataclass(frozen=True)
class Candidate:
    """A function that may be the seal; `verdict` is how it says yes, as its callers understand it."""

    function: Function
    verdict: str
    calls: tuple[Call, ...]

    @property
    def asking(self) -> tuple[Call, ...]:
        """The calls on whose answer something depends."""
        return tuple(call for call in self.calls if call.asked is not Asked.OTHERWISE)

    @property
    def askers(self) -> list[Function]:
        """The functions in which something depends on the answer."""
        return list({call.by.ref: call.by for call in self.asking}.values())


def candidates(graph: Graph, things: Things, fewest: int = 1) -> list[Candidate]:
    """Every candidate that at least so many functions obey, in no order that means anything."""
    survey = graph.survey
    calls: dict[str, list[Call]] = {}
    for function in survey.functions.values():
        targets = {id(node): target for node, target in graph.calls[function.ref]}
        for node, asked in asked_at(function):
            callee = survey.functions.get(targets.get(id(node), ""))
            if callee is not None and callee != function:
                calls.setdefault(callee.ref, []).append(_call(function, node, asked, callee))
    made = (_candidate(survey.functions[ref], graph.types[ref], things, found) for ref, found in calls.items())
    return [one for one in made if one is not None and len(one.askers) >= fewest]


def given(graph: Graph, things: Things, ref: str) -> Candidate | None:
    """The candidate that a user named, whatever is thought of it."""
    function = graph.survey.functions.get(ref)
    if function is None:
        return None
    calls = []
    for caller in sorted(graph.callers.get(ref, ())):
        asker = graph.survey.functions[caller]
        targets = {id(node) for node, target in graph.calls[caller] if target == ref}
        calls += [_call(asker, node, asked, function) for node, asked in asked_at(asker) if id(node) in targets]
    made = _candidate(function, graph.types[ref], things, calls)
    return made or Candidate(function, _by_its_text(graph.types[ref], function), tuple(calls))


def _call(by: Function, node: ast.Call, asked: Asked, callee: Function) -> Call:
    return Call(by, Place(by.path, node.lineno), _arguments(callee, node), asked, node)


def _arguments(callee: Function, call: ast.Call) -> dict[str, ast.expr]:
    named = dict(zip(callee.parameters, call.args, strict=False))
    named |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    if callee.owner and isinstance(call.func, ast.Attribute):
        named["self"] = call.func.value
    return named


def _by_its_text(types: Types, function: Function) -> str:
    """How a function says yes of which the callers do not tell: by what it gives back, or by not raising."""
    given = given_back(function, types)
    if given is not None and given.many:
        return "filters"
    return "raises" if any(isinstance(node, ast.Raise) for node in function.nodes) else "sealed"


def _candidate(function: Function, types: Types, things: Things, calls: list[Call]) -> Candidate | None:
    nature = nature_of(function, types, things)
    if nature is None:
        return None
    if nature in (Nature.FILTERS, Nature.RAISES) and function.node.returns is not None:
        calls = [_taken(call) for call in calls]
    verdict = _verdict(nature, Counter(call.asked for call in calls))
    return Candidate(function, verdict, tuple(calls)) if verdict else None


def _taken(call: Call) -> Call:
    """Where it gives back what may be had, whoever takes that obeys."""
    return replace(call, asked=Asked.DRAWN) if call.asked is not Asked.ALONE else call


def _verdict(nature: Nature, counts: Counter[Asked]) -> str | None:
    """`sealed`, `allowed`, `raises`, `enters`, `filters`, or None where nobody obeys it."""
    refuses, allows = counts[Asked.REFUSES], counts[Asked.ALLOWS]
    match nature:
        case Nature.ENTERS:
            return "enters" if counts[Asked.ENTERED] else None
        case Nature.YES_OR_NO:
            return None if not refuses and not allows else "sealed" if refuses >= allows else "allowed"
        case Nature.REASON:
            return "sealed" if refuses > allows else None
        case Nature.RAISES:
            return "raises" if counts[Asked.ALONE] or counts[Asked.DRAWN] else None
        case Nature.FILTERS:
            return "filters" if counts[Asked.DRAWN] else None


def evidence(candidate: Candidate) -> Iterator[str]:
    """In words, for the registry."""
    askers = candidate.askers
    if len(askers) == 1:
        yield f"{askers[0].ref} does something else where it answers otherwise"
    elif askers:
        modules = len({asker.module for asker in askers})
        yield f"{len(askers)} functions of {modules} modules do something else where it answers otherwise"
    if candidate.calls:
        yield "asked at " + ", ".join(str(call.at) for call in candidate.calls[:6])
