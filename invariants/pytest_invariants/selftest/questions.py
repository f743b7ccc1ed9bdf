"""Where the proofs of a registry hang: where the seal is asked, and where helpers are called that ask and raise."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from pytest_invariants.registry.model import Reference, VerdictKind
from pytest_invariants.selftest.answers import refuses_by_raising
from pytest_invariants.selftest.arguments import root_name
from pytest_invariants.selftest.code import Code, Function, Module
from pytest_invariants.selftest.model import Question
from pytest_invariants.selftest.site import NotApplicable, SealCode, Site, called_name, find_calls
from pytest_invariants.verdict import Finding, Place, Verdict

GUARD = re.compile(r"^the seal asked at (?P<path>.+):(?P<line>\d+)$")


@dataclass(frozen=True)
class Asking:
    """A question with what is asked there: the seal, or a helper that stands for it and raises where it refuses."""

    question: Question
    seal: SealCode

    @property
    def relayed(self) -> bool:
        return bool(self.question.through)

    def sites(self, code: Code) -> list[Site]:
        """The calls on that line, in one tree that may be changed; none where the line shows no call by name."""
        module = code.module_at(self.question.at.path)
        if module is None:
            return []
        tree = module.tree()
        calls = find_calls(self.seal, tree, self.question.at.line)
        prelude: list[str] = []
        return [Site(self.seal, code, module, tree, call, prelude) for call in calls]


def guards_of(finding: Finding) -> tuple[Place, ...]:
    """The places on which a proof says that it rests."""
    found = [match for match in map(GUARD.match, finding.guards) if match]
    return tuple(Place(match["path"], int(match["line"])) for match in found)


def askings(code: Code, findings: Mapping[str, Finding]) -> tuple[Asking, ...]:
    """Every line at which a proved surface's proof hangs, in the order of the files, each with its relays."""
    hanging: dict[Place, list[str]] = {}
    for surface, finding in findings.items():
        if finding.verdict is Verdict.PROVED:
            for place in guards_of(finding):
                hanging.setdefault(place, []).append(surface)
    seal = SealCode.find(code, code.registry.seal)
    found = [Asking(_question(code, place, tuple(hanging[place])), seal) for place in sorted(hanging)]
    return tuple(one for asking in found for one in (asking, *_relays(code, asking)))


def _question(code: Code, place: Place, surfaces: tuple[str, ...], through: str = "") -> Question:
    module = code.module_at(place.path)
    return Question(place, module.line(place.line) if module else "", surfaces, through)


def _relays(code: Code, asking: Asking) -> Iterator[Asking]:
    """Where a surface's own function calls the helper that asks, as a statement of its own, in one place only."""
    helper = _raising_helper(code, asking)
    if helper is None:
        return
    for surface in code.registry.surfaces:
        module = code.module(surface.function.module)
        function = code.definition(surface.function)
        if surface.id in asking.question.surfaces and module is not None and function is not None:
            calls = list(_calls_of(helper.declared.function, module, function))
            if len(calls) == 1:
                place = Place(module.path, calls[0].lineno)
                name = helper.declared.function.qualname
                yield Asking(_question(code, place, (surface.id,), name), helper)


def _raising_helper(code: Code, asking: Asking) -> SealCode | None:
    """The function in which the question stands, seen as a seal that raises; None where it refuses otherwise."""
    sites = asking.sites(code)
    function = sites[0].function if len(sites) == 1 else None
    if function is None or not refuses_by_raising(sites[0]):
        return None
    reference = Reference(sites[0].module.name, _qualname(sites[0], function))
    parameters = {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)}
    try:
        root = root_name(sites[0].subject())
    except NotApplicable:
        root = None
    subject = (root.id,) if root is not None and root.id in parameters else ()
    declared = replace(
        asking.seal.declared, function=reference, kind=VerdictKind.RAISES, subject=subject, principal={}, aliases=()
    )
    return SealCode(declared, function, frozenset({function.name}))


def _qualname(site: Site, function: Function) -> str:
    above = [one.name for one in site.parents(function) if isinstance(one, Function | ast.ClassDef)]
    return ".".join((*reversed(above), function.name))


def _calls_of(helper: Reference, module: Module, function: Function) -> Iterator[ast.Call]:
    name = helper.qualname.rpartition(".")[2]
    for node in ast.walk(function):
        if isinstance(node, ast.Expr):
            call = node.value.value if isinstance(node.value, ast.Await) else node.value
            if isinstance(call, ast.Call) and called_name(call) == name and _means(call, helper, module):
                yield call


def _means(call: ast.Call, helper: Reference, module: Module) -> bool:
    """Whether the name is that of the helper: defined here, imported from its module, or an attribute."""
    if isinstance(call.func, ast.Attribute) or helper.module == module.name:
        return True
    imports = [node for node in ast.walk(module.tree()) if isinstance(node, ast.ImportFrom)]
    last = helper.module.rpartition(".")[2]
    return any(node.module and node.module.rpartition(".")[2] == last and _brings(node, call) for node in imports)


def _brings(node: ast.ImportFrom, call: ast.Call) -> bool:
    return any((alias.asname or alias.name) == called_name(call) for alias in node.names)
