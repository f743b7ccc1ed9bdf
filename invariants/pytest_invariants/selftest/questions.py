"""Where the proofs of a registry hang: where the seal is asked, and where helpers are called that ask and raise."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from pytest_invariants.registry.model import Reference, VerdictKind
from pytest_invariants.selftest.answers import refuses_by_raising
from pytest_invariants.selftest.arguments import root_name
from pytest_invariants.selftest.code import Code, Draft, Function, Module
from pytest_invariants.selftest.model import Question
from pytest_invariants.selftest.site import NotApplicable, SealCode, Site, called_name, calls_of
from pytest_invariants.verdict import Place


@dataclass(frozen=True)
class Asking:
    """A question with what is asked there: the seal, or a helper that stands for it and raises where it refuses."""

    question: Question
    seal: SealCode

    @property
    def relayed(self) -> bool:
        return bool(self.question.through)

    def sites(self, code: Code) -> list[Site]:
        """The calls on the question's lines, in drafts that may be changed.

        :raises NotApplicable: where a line shows no call of the seal by its name.
        """
        drafts: dict[str, Draft] = {}
        return [site for place in self.question.places for site in self._sites_at(place, code, drafts)]

    def _sites_at(self, place: Place, code: Code, drafts: dict[str, Draft]) -> list[Site]:
        module = code.module_at(place.path)
        if module is None:
            raise NotApplicable("the file cannot be read")
        draft = drafts.setdefault(place.path, Draft.of(module))
        calls = [call for call in calls_of(self.seal, draft.tree) if call.lineno == place.line]
        if not calls:
            raise NotApplicable("no call of the seal by its name stands on that line")
        return [Site(self.seal, code, draft, call) for call in calls]


def askings(code: Code, hanging: Mapping[tuple[Place, ...], tuple[str, ...]]) -> tuple[Asking, ...]:
    """The questions on which surfaces hang, each with its relays."""
    seal = SealCode.find(code, code.registry.seal)
    found = [Asking(_question(code, places, surfaces), seal) for places, surfaces in hanging.items()]
    return tuple(one for asking in found for one in (asking, *_relays(code, asking)))


def every_question(code: Code) -> Asking | None:
    """All calls of the seal by its name at once, whoever hangs on them; None where there are none."""
    seal = SealCode.find(code, code.registry.seal)
    found = [Place(module.path, call.lineno) for module in code.modules() for call in calls_of(seal, module.tree())]
    places = tuple(dict.fromkeys(found))
    surfaces = tuple(surface.id for surface in code.registry.surfaces)
    return Asking(_question(code, places, surfaces), seal) if places else None


def _question(code: Code, places: tuple[Place, ...], surfaces: tuple[str, ...], through: str = "") -> Question:
    first, *also = places
    module = code.module_at(first.path)
    source, function = (module.line(first.line), module.function_at(first.line)) if module else ("", "")
    return Question(first, source, surfaces, function, tuple(also), through)


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
                yield Asking(_question(code, (place,), (surface.id,), name), helper)


def _raising_helper(code: Code, asking: Asking) -> SealCode | None:
    """The function in which the question stands, seen as a seal that raises; None where it refuses otherwise."""
    try:
        sites = asking.sites(code)
        root = root_name(sites[0].subject())
    except NotApplicable:
        return None
    function = sites[0].function if len(sites) == 1 else None
    if function is None or not refuses_by_raising(sites[0]):
        return None
    reference = Reference(sites[0].module.name, _qualname(sites[0], function))
    parameters = {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)}
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
