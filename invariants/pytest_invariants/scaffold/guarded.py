"""Candidates for capabilities: what the functions that obey a seal read, and do, of the things that it decides about."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from pytest_invariants.scaffold.kinds import Kind, Types
from pytest_invariants.scaffold.roles import Roles, root
from pytest_invariants.scaffold.seals import Candidate
from pytest_invariants.scaffold.survey import Function, Survey
from pytest_invariants.verdict import Place

MOST_HELPERS = 4
"""How many calls away from the seal a function may still count as one that obeys it."""
IDENTITY = frozenset({"name", "id", "key", "slug", "uid", "uuid"})
"""A thing's name is no secret: a request carries it, and a refusal repeats it."""


@dataclass(frozen=True)
class Guarded:
    """A field, method or function that may be a capability, with the places at which it is let out."""

    ref: str
    grant: str
    places: tuple[Place, ...]
    sure: bool = True


def guarded(survey: Survey, types: dict[str, Types], seal: Candidate, roles: Roles) -> list[Guarded]:
    """Every candidate, by its name."""
    obeying = {ref for ref in reaching(survey, types, seal.function.ref) if ref != seal.function.ref}
    whole, parts = set(roles.classes), _parts(survey, types, roles.classes)
    places: dict[str, set[Place]] = defaultdict(set)
    for ref in obeying:
        function = survey.functions[ref]
        if function.owner not in whole | parts:
            for member, at in _members(types[ref], function, whole | parts):
                places[member].add(at)
            for target, at in _by_name(types[ref], function, seal, roles):
                places[target].add(at)
    for ref in [ref for ref in places if ref in survey.functions]:
        for member, at in _members(types[ref], survey.functions[ref], parts):
            if member in survey.functions:  # a part's own method gets out by that of the whole
                places[member].add(at)
    ours = {ref: at for ref, at in places.items() if _counts(survey, types, ref, roles, whole | parts)}
    return [
        Guarded(ref, _grant(survey, types, ref), tuple(sorted(at)), ref in survey.functions or _owner(ref) not in parts)
        for ref, at in sorted(ours.items())
    ]


def _owner(ref: str) -> str:
    return ref.rpartition(".")[0]


def reaching(survey: Survey, types: dict[str, Types], ref: str, calls: int = MOST_HELPERS) -> set[str]:
    """The functions that lead to `ref` by at most so many calls, itself included."""
    return leading(callers_of(survey, types), ref, calls)


def callers_of(survey: Survey, types: dict[str, Types]) -> dict[str, set[str]]:
    """For each function that is called, the functions that call it."""
    callers: dict[str, set[str]] = defaultdict(set)
    for function in survey.functions.values():
        for node in function.nodes:
            if isinstance(node, ast.Call) and (target := types[function.ref].target(node)):
                callers[target].add(function.ref)
    return callers


def leading(callers: Mapping[str, set[str]], ref: str, calls: int = MOST_HELPERS) -> set[str]:
    """Those of them that lead to `ref` by at most so many calls, itself included."""
    found = layer = {ref}
    for _ in range(calls):
        layer = {caller for each in layer for caller in callers.get(each, ())} - found
        found = found | layer
    return found


def _parts(survey: Survey, types: dict[str, Types], classes: Collection[str]) -> set[str]:
    """The classes of which the fields of these classes hold instances: the tools of a skill."""
    some = next(iter(types.values()), None)
    held = [
        some.of_annotation(survey.classes[ref].module, annotation)
        for ref in classes
        for annotation in survey.classes[ref].fields.values()
        if some is not None
    ]
    return {kind.cls for kind in held if kind is not None and kind.many} - set(classes)


def _members(types: Types, function: Function, classes: Collection[str]) -> Iterator[tuple[str, Place]]:
    """Members of these classes that are read outside of tests and refusals."""
    aside = {id(each) for node in function.nodes for each in _aside(node)}
    for node in function.nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and id(node) not in aside:
            kind = types.of(node.value)
            if kind is not None and not kind.many and kind.cls in classes and node.attr not in IDENTITY:
                yield f"{kind.cls}.{node.attr}", Place(function.path, node.lineno)


def _aside(node: ast.AST) -> Iterator[ast.AST]:
    """What decides, or refuses, instead of letting anything out."""
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            yield from ast.walk(test)
        case ast.comprehension(ifs=ifs):
            for test in ifs:
                yield from ast.walk(test)
        case ast.Raise() | ast.Compare():
            yield from ast.walk(node)


def _by_name(types: Types, function: Function, seal: Candidate, roles: Roles) -> Iterator[tuple[str, Place]]:
    """Functions that get the very name that the seal was asked about, where it is asked about a name."""
    if roles.classes:
        return
    asked = {
        root(call.arguments[name])
        for call in seal.calls
        if call.by.ref == function.ref
        for name in roles.subject
        if name in call.arguments
    }
    aside = {id(each) for node in function.nodes for each in _aside(node)}
    for node in function.nodes:
        if (
            isinstance(node, ast.Call)
            and id(node) not in aside
            and any(root(each) in asked - {None} for each in node.args)
        ):
            target = types.target(node)
            if target and target != seal.function.ref and target in types.survey.functions:
                yield target, Place(function.path, node.lineno)


def _counts(survey: Survey, types: dict[str, Types], ref: str, roles: Roles, classes: Collection[str]) -> bool:
    """Not the facts that the seal decides by, nor a field that merely holds parts, nor a question."""
    if ref in roles.state or (ref in survey.functions and _is_question(survey.functions[ref])):
        return False
    cls, _, name = ref.rpartition(".")
    if cls not in survey.classes:
        return True
    kind = _kind_of_member(survey, types, cls, name)
    return survey.has(cls, name) and (kind is None or kind.cls not in classes)


def _kind_of_member(survey: Survey, types: dict[str, Types], cls: str, name: str) -> Kind | None:
    annotation = survey.classes[cls].fields.get(name)
    method = survey.classes[cls].methods.get(name)
    some = next(iter(types.values()))
    return some.of_annotation(survey.classes[cls].module, method.node.returns if method else annotation)


def _is_question(function: Function) -> bool:
    return isinstance(function.node.returns, ast.Name) and function.node.returns.id == "bool"


def _grant(survey: Survey, types: dict[str, Types], ref: str) -> str:
    """`call` where calling it does something beyond reading and building; `value` where it only gives something."""
    function = survey.functions.get(ref)
    if function is None or any(ast.unparse(each).endswith("property") for each in function.node.decorator_list):
        return "value"
    return "call" if _acts(survey, types, function, frozenset()) else "value"


def _acts(survey: Survey, types: dict[str, Types], function: Function, seen: frozenset[str]) -> bool:
    if isinstance(function.node, ast.AsyncFunctionDef):
        return True
    for node in function.nodes:
        if not isinstance(node, ast.Call):
            continue
        target = types[function.ref].target(node)
        if target in survey.classes or (isinstance(node.func, ast.Name) and target is None):
            continue
        if target in survey.functions and target not in seen:
            if _acts(survey, types, survey.functions[str(target)], seen | {function.ref}):
                return True
        elif target is None or target not in seen:
            if isinstance(node.func, ast.Attribute) and node.func.attr in _READING:
                continue
            return True
    return False


_READING = frozenset({"get", "values", "items", "keys", "join", "format", "strip", "split", "lower", "upper", "copy"})
"""Methods of the usual containers and of text."""
