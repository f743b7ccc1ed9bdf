"""Candidates for surfaces: functions of which the prover says that a capability gets out, with what speaks for each."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_invariants.flow.doors import Door
from pytest_invariants.flow.prover import Prover
from pytest_invariants.hook.proposal import Row, manner_of, propose
from pytest_invariants.hook.standing import Entry
from pytest_invariants.registry.model import (
    Capability,
    Grant,
    Manner,
    Reference,
    Registry,
    Seal,
    Surface,
    VerdictKind,
)
from pytest_invariants.scaffold.draft import Draft
from pytest_invariants.scaffold.guarded import reaching
from pytest_invariants.scaffold.kinds import Types
from pytest_invariants.scaffold.survey import Function, Survey
from pytest_invariants.verdict import Place, Step

DISPATCHES = 3
"""A function that calls so many ways to a capability hands requests on."""
NEAR = 2
"""Calls between a surface and the seal or a capability; what lies further out is found as a door by itself."""
_NOWHERE = Place("", 0)


@dataclass(frozen=True)
class Proposed:
    """A row, with what speaks for it; `sure` rows are written, the others are left for people to judge."""

    row: Row
    at: Place
    way: tuple[Step, ...]
    asks: bool
    evidence: str
    sure: bool


@dataclass(frozen=True)
class Found:
    """The surfaces, and the functions of which the prover does not know whether anything gets out."""

    surfaces: tuple[Proposed, ...] = ()
    unfollowed: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def surfaces(root: Path, survey: Survey, types: dict[str, Types], draft: Draft, handlers: Collection[str]) -> Found:
    """Every door that the prover finds with the draft's seal and capabilities, inner ones and handlers included."""
    tried = sorted(_worth_trying(survey, types, draft) | set(handlers))
    try:
        prover = Prover(registry_of(root, draft, tried))
        found = prover.doors
    except Exception as error:  # a proposal is better than none; `check` will tell of the fault
        failed = f"the prover failed ({type(error).__name__}), so nobody looked which of these let anything out"
        return Found(tuple(_untried(survey, tried)), problems=(failed,))
    if prover.problems:
        return Found(problems=tuple(f"{problem.message}; {problem.remedy}" for problem in prover.problems))
    doors = {door.function: door for door in found.records}
    callers = _callers(survey, types, doors)
    rows = propose((_entry(survey, door) for door in doors.values()), ())
    rated = [_proposed(survey, doors[ref], rows[ref], callers) for ref in doors]
    rated += _dispatchers(survey, callers, doors)
    rated += _above(survey, types, {one.row.function for one in rated})
    return Found(tuple(sorted(rated, key=lambda one: (not one.sure, one.at))), found.unexamined)


def _untried(survey: Survey, tried: Iterable[str]) -> Iterator[Proposed]:
    """Functions near the seal or a capability, where the prover cannot say more of them."""
    known = [survey.functions[ref] for ref in tried if ref in survey.functions]
    entries = [Entry(each.ref, each.place, (), None, True, tuple(each.parameters)) for each in known]
    for row, each in zip(propose(entries, ()).values(), known, strict=True):
        yield Proposed(row, each.place, (), True, "leads to the seal or to a capability", sure=False)


def _dispatchers(survey: Survey, callers: dict[str, set[str]], doors: Collection[str]) -> Iterator[Proposed]:
    """Public functions that hand requests on to surfaces, themselves or through a private one of their module."""
    handing = {caller for each in callers.values() for caller in each if _ways(caller, callers) >= DISPATCHES}
    for ref in sorted(handing):
        function = survey.functions[ref]
        public = [function] if _is_public(function) else [each for each in _inside(survey, ref) if _is_public(each)]
        for each in public:
            if each.ref not in doors:
                row = Row(each.name, each.ref, Manner.NAMED.value)
                reason = f"hands requests on to {_ways(ref, callers)} of the surfaces: one of its own, or none?"
                yield Proposed(row, each.place, (), True, reason, sure=False)


def _above(survey: Survey, types: dict[str, Types], known: Collection[str]) -> Iterator[Proposed]:
    """Public functions that do no more than lead to a surface; whether they are surfaces is for people to say."""
    for function in survey.functions.values():
        calls = (types[function.ref].target(node) for node in function.nodes if isinstance(node, ast.Call))
        led = next((target for target in calls if target in known), None)
        if led is not None and function.ref not in known and _is_public(function):
            row = Row(function.name, function.ref, manner_of(function.parameters))
            reason = f"leads to {led}: a surface of its own, or covered by that one?"
            yield Proposed(row, function.place, (), True, reason, sure=False)


def _inside(survey: Survey, ref: str) -> Iterator[Function]:
    """Functions of the same module that call this one by its name."""
    module, _, name = ref.partition(":")
    for function in survey.functions.values():
        calls = (node.func for node in function.nodes if isinstance(node, ast.Call))
        if function.module == module and any(isinstance(call, ast.Name) and call.id == name for call in calls):
            yield function


def _ways(caller: str, callers: dict[str, set[str]]) -> int:
    return sum(caller in each for each in callers.values())


def _worth_trying(survey: Survey, types: dict[str, Types], draft: Draft) -> set[str]:
    """Public functions that lead to the seal or to a capability."""
    goals = [draft.seal, *(one.ref for one in draft.capabilities if one.sure and not one.decorated)]
    near = {ref for goal in goals for ref in reaching(survey, types, goal, NEAR)} | readers(survey, types, goals)
    owners = {goal.rpartition(".")[0] for goal in goals[1:]}
    return {
        ref
        for ref in near - set(goals)
        if ref in survey.functions and _is_public(survey.functions[ref]) and survey.functions[ref].owner not in owners
    }


def _is_public(function: Function) -> bool:
    return function.public and "<locals>" not in function.ref and not _is_property(function)


def _is_property(function: Function) -> bool:
    return any(ast.unparse(each).endswith("property") for each in function.node.decorator_list)


def readers(survey: Survey, types: dict[str, Types], goals: Iterable[str]) -> set[str]:
    """Functions that read a field that is a capability."""
    fields = {goal for goal in goals if goal not in survey.functions}
    return {
        function.ref
        for function in survey.functions.values()
        for node in function.nodes
        if isinstance(node, ast.Attribute)
        and (kind := types[function.ref].of(node.value))
        and f"{kind.cls}.{node.attr}" in fields
    }


def registry_of(root: Path, draft: Draft, functions: Iterable[str]) -> Registry:
    """The draft as the prover wants it, with every function that is tried as a surface."""
    return Registry(
        path=root / "entrypoints" / "registry.yaml",
        root=root,
        code=draft.code,
        seal=Seal(
            function=Reference.parse(draft.seal),
            kind=VerdictKind(draft.verdict),
            subject=draft.subject,
            principal={name: Reference.parse(ref) if ref else None for name, ref in draft.principal.items()},
            state=tuple(map(Reference.parse, draft.state)),
            at=_NOWHERE,
        ),
        capabilities=tuple(_capability(one.ref, one.grant, one.decorated) for one in draft.capabilities if one.sure),
        surfaces=tuple(Surface(ref, Reference.parse(ref), Manner.BOTH, _NOWHERE) for ref in functions),
    )


def _capability(ref: str, grant: str, decorated: bool) -> Capability:
    reference = Reference.parse(ref)
    return Capability(None if decorated else reference, reference if decorated else None, Grant(grant), _NOWHERE)


def _callers(survey: Survey, types: dict[str, Types], doors: Iterable[str]) -> dict[str, set[str]]:
    """For each door the functions of other modules that call it."""
    wanted = set(doors)
    callers: dict[str, set[str]] = defaultdict(set)
    for function in survey.functions.values():
        for node in function.nodes:
            target = types[function.ref].target(node) if isinstance(node, ast.Call) else None
            if target in wanted and str(target).partition(":")[0] != function.module:
                callers[str(target)].add(function.ref)
    return callers


def _proposed(survey: Survey, door: Door, row: Row, callers: dict[str, set[str]]) -> Proposed:
    above = sorted(callers.get(door.function, ()))
    evidence, sure = _why(above, callers)
    if not above and not door.asks and any(_inside(survey, door.function)):
        evidence, sure = "only its own module calls it: a surface, or a helper?", False
    return Proposed(row, door.at, door.way, door.asks, evidence, sure)


def _why(above: list[str], callers: dict[str, set[str]]) -> tuple[str, bool]:
    """What speaks for a surface, and whether it is enough: a helper is called by several, a surface by one or handed to."""
    if not above:
        return "no other module calls it", True
    handing = [caller for caller in above if _ways(caller, callers) >= DISPATCHES]
    shown = ", ".join(above[:3]) + (" and others" if len(above) > 3 else "")
    if len(above) == 1 or 2 * len(handing) >= len(above):
        return f"called by {shown}", True
    return f"called by {shown}: a surface, or a helper of theirs?", False


def _entry(survey: Survey, door: Door) -> Entry:
    function = survey.functions.get(door.function)
    return Entry(door.function, door.at, door.way, None, door.asks, tuple(function.parameters if function else ()))
