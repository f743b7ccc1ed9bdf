"""Candidates for capabilities: what the functions that obey a seal read, and do, of the things that it decides about."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from pytest_invariants.scaffold.acting import grant_of
from pytest_invariants.scaffold.kinds import Kind
from pytest_invariants.scaffold.reading import Reading
from pytest_invariants.scaffold.roles import Roles, root
from pytest_invariants.scaffold.seals import Call, Candidate
from pytest_invariants.scaffold.survey import Function
from pytest_invariants.scaffold.things import IDENTITY
from pytest_invariants.scaffold.words import CONTENT, EXERCISE, words
from pytest_invariants.verdict import Place

MOST_HELPERS = 4
"""How many calls away from the seal a function may still count as one that obeys it."""
BELOW = 2
"""How many calls below such a function what it was let through may be used."""
MOST_UNSURE = 24
"""Members that are used anywhere else, of which people are asked."""


@dataclass(frozen=True)
class Guarded:
    """A field, method or function that may be a capability, with the places at which it is let out."""

    ref: str
    grant: str
    places: tuple[Place, ...]
    sure: bool = True
    why: str = "let out"


def guarded(code: Reading, seal: Candidate, roles: Roles) -> list[Guarded]:
    """Every candidate: the sure ones first, each kind by its name."""
    finder = _Finder(code, seal, roles)
    out = finder.obeyed()
    near = {ref: at for ref, at in finder.near().items() if ref not in out}
    wide = {ref: at for ref, at in finder.anywhere().items() if ref not in out and ref not in near}
    often = dict(sorted(wide.items(), key=lambda pair: (-len(pair[1]), pair[0]))[:MOST_UNSURE])
    told = {ref for ref in (*out, *near, *often) if _tells(code, ref)}
    found = [
        finder.made(ref, at, "let out", (ref in told or not told) and finder.is_whole(ref)) for ref, at in out.items()
    ]
    found += [finder.made(ref, at, "used below the seal", sure=False) for ref, at in near.items()]
    found += [finder.made(ref, at, "used without the seal in sight", sure=False) for ref, at in often.items()]
    found = found if any(one.sure for one in found) else [finder.taken_on(one) for one in found]
    return sorted(found, key=lambda one: (_HOW[one.why], one.ref))


_HOW = {"let out": 0, "used below the seal": 1, "used without the seal in sight": 2}


def _tells(code: Reading, ref: str) -> bool:
    """Whether it is a method or a function, or its name says that it is for a model; among others a mere field is doubtful."""
    return ref in code.survey.functions or bool(words(ref.rpartition(".")[2]) & (CONTENT | EXERCISE))


class _Finder:
    """Looks for one seal; `whole` are the classes that it decides about, `parts` those that these hold many of."""

    def __init__(self, code: Reading, seal: Candidate, roles: Roles) -> None:
        self.code, self.seal, self.roles = code, seal, roles
        self.whole = set(roles.classes)
        self.parts = _parts(code, roles.classes)

    def is_whole(self, ref: str) -> bool:
        """Not a mere field of a part."""
        return ref in self.code.survey.functions or _owner(ref) not in self.parts

    def made(self, ref: str, places: Iterable[Place], why: str, sure: bool) -> Guarded:
        return Guarded(ref, grant_of(self.code, ref), tuple(sorted(places)), sure, why)

    def taken_on(self, one: Guarded) -> Guarded:
        """Where nothing is sure: what the things themselves have, and give or do in more than one place."""
        cls, _, name = one.ref.rpartition(".")
        above = {each for whole in self.whole for each in self.code.survey.line(whole)}
        fits = cls in above and len(one.places) > 1 and bool(words(name) & (CONTENT | EXERCISE))
        return replace(one, sure=fits)

    def obeyed(self) -> dict[str, set[Place]]:
        """What functions that lead to the seal let out."""
        survey, ref = self.code.survey, self.seal.function.ref
        obeying = self.code.graph.leading(ref, MOST_HELPERS) - {ref}
        places: dict[str, set[Place]] = defaultdict(set)
        for each in obeying:
            function = survey.functions[each]
            if function.owner not in self.whole | self.parts:
                self._collect(places, _members(self.code, function, self.whole | self.parts))
                self._collect(places, self._by_name(function))
        for each in [each for each in places if each in survey.functions]:
            inner = _members(self.code, survey.functions[each], self.parts)
            self._collect(places, ((member, at) for member, at in inner if member in survey.functions))
        return self._counted(places)

    def near(self) -> dict[str, set[Place]]:
        """What they, or functions that they call, use of anything that an agent gives out, and where that comes from."""
        askers = {call.by.ref for call in self.seal.asking}
        places: dict[str, set[Place]] = defaultdict(set)
        for each in self.code.graph.below(askers, BELOW) - {self.seal.function.ref}:
            function = self.code.survey.functions[each]
            self._collect(places, _members(self.code, function, self._kin, of_a_thing=True))
        found = self._counted(places)
        for call in self.seal.asking:
            for ref, at in _sources(self.code, call.by, self._asked(call)):
                found.setdefault(ref, set()).add(at)
        found.pop(self.seal.function.ref, None)
        return found

    def _asked(self, call: Call) -> list[ast.expr]:
        """What the seal was asked about."""
        return [call.arguments[name] for name in self.roles.subject if name in call.arguments]

    def anywhere(self) -> dict[str, set[Place]]:
        """What any function uses of the things that are decided about."""
        places: dict[str, set[Place]] = defaultdict(set)
        for function in self.code.survey.functions.values():
            if self.whole and function.owner not in self._kin:
                self._collect(places, _members(self.code, function, self._kin, of_a_thing=True))
        return self._counted(places)

    @cached_property
    def _kin(self) -> set[str]:
        """The classes, those above them and those below."""
        ours = self.code.survey.classes
        above = {each for cls in self.whole for each in self.code.survey.line(cls) if each in ours}
        return self.whole | above | {cls for cls in self.code.survey.classes if above & set(self.code.survey.line(cls))}

    @staticmethod
    def _collect(places: dict[str, set[Place]], found: Iterable[tuple[str, Place]]) -> None:
        for ref, at in found:
            places[ref].add(at)

    def _counted(self, places: Mapping[str, set[Place]]) -> dict[str, set[Place]]:
        return {ref: at for ref, at in places.items() if self._counts(ref)}

    def _counts(self, ref: str) -> bool:
        """Not the facts that the seal decides by, nor a field that merely holds parts, nor a question."""
        survey = self.code.survey
        if ref == self.seal.function.ref or ref in self.roles.state:
            return False
        if ref in survey.functions and _is_question(survey.functions[ref]):
            return False
        cls, _, name = ref.rpartition(".")
        if cls not in survey.classes:  # of another package's class the prover follows what is called, and no fields
            return ref in survey.functions or ref in self.code.graph.callers
        kind = _kind_of_member(self.code, cls, name)
        return survey.has(cls, name) and (kind is None or kind.cls not in self.whole | self.parts)

    def _by_name(self, function: Function) -> Iterator[tuple[str, Place]]:
        """What gets the very name that the seal was asked about, after it was, where it is asked about a name."""
        mine = [call for call in self.seal.asking if call.by.ref == function.ref]
        if self.roles.classes or not mine:
            return
        arguments = (each for call in mine for each in self._asked(call))
        asked, first = {root(each) for each in arguments} - {None}, min(call.at.line for call in mine)
        aside = {id(each) for node in function.nodes for each in _aside(node)}
        for node, target in self.code.graph.calls[function.ref]:
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            if id(node) in aside or node.lineno < first or not any(root(each) in asked for each in given):
                continue
            if target != self.seal.function.ref and target not in self.code.survey.classes:
                ours = target in self.code.survey.functions
                if ours or target.rpartition(".")[0] in self.code.survey.classes:
                    yield _defined(self.code, target), Place(function.path, node.lineno)


def _owner(ref: str) -> str:
    return ref.rpartition(".")[0]


def _defined(code: Reading, target: str) -> str:
    """A method as the topmost class of ours has it."""
    function = code.survey.functions.get(target)
    return code.graph.defined(function.owner, function.name) if function is not None and function.owner else target


def _parts(code: Reading, classes: Collection[str]) -> set[str]:
    """The classes of which the fields of these classes hold instances: the tools of a skill, the tool that is wrapped."""
    some = next(iter(code.types.values()), None)
    known = [code.survey.classes[ref] for ref in classes if ref in code.survey.classes]
    held = [
        some.of_annotation(cls.module, annotation)
        for cls in known
        for annotation in cls.fields.values()
        if some is not None
    ]
    ours = [kind for kind in held if kind is not None and kind.cls in code.survey.classes]
    return {kind.cls for kind in ours if kind.many or code.things.is_one(kind.cls) or code.things.does(kind.cls)} - set(
        classes
    )


def _members(
    code: Reading, function: Function, classes: Collection[str], *, of_a_thing: bool = False
) -> Iterator[tuple[str, Place]]:
    """Members of these classes that are read outside of tests and refusals; `of_a_thing`: those that are for a model."""
    aside = {id(each) for node in function.nodes for each in _aside(node)}
    for member in code.graph.members[function.ref]:
        if id(member.node) in aside or member.name in IDENTITY or member.cls not in classes:
            continue
        if not of_a_thing or words(member.name) & (CONTENT | EXERCISE) or _is_method(code, member.ref):
            yield member.ref, Place(function.path, member.node.lineno)


def _is_method(code: Reading, member: str) -> bool:
    return member in code.survey.functions


def _sources(code: Reading, function: Function, arguments: Iterable[ast.expr]) -> Iterator[tuple[str, Place]]:
    """The calls from which what is asked about was got in the same function."""
    names = {root(argument) for argument in arguments} - {None}
    drawn = {
        root(node.iter)
        for node in function.nodes
        if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension) and root(node.target) in names
    }
    targets = {id(node): target for node, target in code.graph.calls[function.ref]}
    for node in function.nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in names | drawn:
                for call in (each for each in ast.walk(value) if id(each) in targets):
                    if targets[id(call)] in code.survey.functions:
                        yield _defined(code, targets[id(call)]), Place(function.path, node.lineno)


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


def _kind_of_member(code: Reading, cls: str, name: str) -> Kind | None:
    annotation = code.survey.classes[cls].fields.get(name)
    method = code.survey.classes[cls].methods.get(name)
    some = next(iter(code.types.values()))
    return some.of_annotation(code.survey.classes[cls].module, method.node.returns if method else annotation)


def _is_question(function: Function) -> bool:
    return isinstance(function.node.returns, ast.Name) and function.node.returns.id == "bool"
