"""The prover: reads the program's source, never imports it, and answers for each surface whether it obeys the seal."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cached_property

from pytest_invariants.flow.calls import opened, opening
from pytest_invariants.flow.domain.scope import module_frame
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.values import Class, term_of
from pytest_invariants.flow.domain.wrapped import plain_function
from pytest_invariants.flow.judging.activation import Activation, activate
from pytest_invariants.flow.judging.doors import Doors, Inventory
from pytest_invariants.flow.judging.finding import Missing, Target, capabilities, look_up, seal_model, target_of
from pytest_invariants.flow.judging.judging import Judge, guard_places
from pytest_invariants.flow.judging.lasting import later_world
from pytest_invariants.flow.judging.outside import is_outside, undecided, unexamined
from pytest_invariants.flow.judging.registration import judge_run, judge_surface
from pytest_invariants.flow.judging.sole import judge_sole
from pytest_invariants.flow.judging.wording import MESSAGES, REMEDIES
from pytest_invariants.flow.machine.analysis import Analysis
from pytest_invariants.flow.machine.definitions import resolve_bases
from pytest_invariants.flow.machine.sampling import TOGETHER, way_around
from pytest_invariants.flow.relevance.bearing import names_that_bear
from pytest_invariants.program.code import ClassInfo
from pytest_invariants.program.litter import left_lying
from pytest_invariants.program.program import Program
from pytest_invariants.registry.model import Registry, Surface
from pytest_invariants.verdict import RUN, Finding, Place, Reason, Verdict

RECURSION = 12_000
"""Python frames: the evaluators call themselves for each nested expression, statement and call of the code that is read."""

GUARDS_TRIED = 24
"""Guards that are taken away one by one to see which of them a proof needs; more than these are all named."""


class EmptyProof(Exception):
    """A proof that stands although no answer of the seal counts: a fault of the prover, and never a pass."""

    def __init__(self, surface: str) -> None:
        super().__init__(
            f"the proof of `{surface}` does not depend on any answer of the seal; report the surface's source"
        )


class Prover:
    """Answers the static half of the catalogue for one registry. Work is done when first asked for, and kept."""

    @left_lying()
    def __init__(self, registry: Registry) -> None:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION))
        self.registry = registry
        self.program = Program.load(registry)
        self.m = Analysis(self.program, registry)
        self.problems: list[Missing] = []
        self._again: dict[str, Activation | None] = {}
        for module in list(self.program.sources):
            self.m.load(module)
        resolve_bases(self.m)
        self._read_registry()

    def _read_registry(self) -> None:
        seal = seal_model(self.m, self.registry)
        if not isinstance(seal, Missing):
            self.m.seal = seal
        found, missing = capabilities(self.m, self.registry)
        self.problems += missing
        if isinstance(seal, Missing):
            self.problems.insert(0, seal)
            return
        self.m.seal, self.m.capabilities = seal, found
        self.m.surface_names = {str(s.function): s.id for s in self.registry.surfaces}
        self.m.surface_params = {}
        self.m.relations = self._relations()
        classes = [look_up(self.m, ref) for ref in self.registry.open_classes]
        self.m.open_classes = frozenset(v.info for v in classes if isinstance(v, Class))
        self._reload()

    def _reload(self) -> None:
        """Run the modules once more, now that the seal and the capabilities are known."""
        functions, definitions = self.m.functions, self.m.definitions
        fresh = Analysis(self.program, self.registry)
        fresh.functions, fresh.definitions = functions, definitions
        fresh.seal, fresh.capabilities, fresh.relations = self.m.seal, self.m.capabilities, self.m.relations
        fresh.surface_names, fresh.surface_params, fresh.open_classes = self.m.surface_names, {}, self.m.open_classes
        old = self.m.classes
        self.m = fresh
        for module in self.program.sources:
            fresh.load(module)
        resolve_bases(fresh)
        fresh.try_constructors_again()
        renewed = {cls: fresh.classes.get(ref, cls) for ref, cls in old.items()}
        for held in fresh.capabilities.fields.values():
            held[:] = [(number, renewed.get(cls, cls)) for number, cls in held]
        refusals = tuple(renewed.get(c, c) if isinstance(c, ClassInfo) else c for c in fresh.seal.refusals)
        fresh.seal = replace(fresh.seal, refusals=refusals)
        if self.registry.seal.allowed_value is not None:
            fresh.seal = replace(fresh.seal, allowed=look_up(fresh, self.registry.seal.allowed_value))
        caches = [
            look_up(fresh, cache.of) for cache in self.registry.caches if set(cache.key) >= {"subject", "principal"}
        ]
        plain = [plain_function(value) for value in caches if value is not None]
        fresh.declared_caches = frozenset(f.info for f in plain if f is not None)
        fresh.declared_addresses = frozenset(term_of(v) for v in caches if v is not None)
        fresh.open_classes = frozenset(renewed.get(cls, cls) for cls in fresh.open_classes)
        fresh.loading = Activation(fresh.effects)
        opening.open_all(fresh)
        from pytest_invariants.flow.containers.keeping import as_left
        from pytest_invariants.flow.relevance.later import Later
        from pytest_invariants.flow.relevance.reach import Reach

        reach = Reach(fresh)
        fresh.method_names = frozenset(info.name for info in fresh.functions.values() if info.is_method)
        fresh.granting_names, fresh.reach, fresh.later = reach.granting_names(), reach, Later(fresh)
        as_left(fresh, fresh.world, list(fresh.world.heap))

    def _relations(self) -> dict[str, int]:
        """For each declared relation the position of the argument that names the object."""
        found: dict[str, int] = {}
        for relation in self.registry.relations:
            target = target_of(self.m, relation.of)
            if target is None or target.declared is None:
                self.problems.append(
                    Missing(relation.at, f"`{relation.of}` is not in the code", "name a function of the code roots")
                )
                continue
            spec = target.declared.node.args
            names = [a.arg for a in [*spec.posonlyargs, *spec.args]]
            if relation.key not in names:
                text = f"`{relation.of}` has no parameter `{relation.key}`"
                self.problems.append(Missing(relation.at, text, f"one of: {', '.join(names)}"))
                continue
            found[target.declared.reference] = names.index(relation.key)
        return found

    # The inventory

    @cached_property
    def targets(self) -> dict[str, Target]:
        found = {str(s.function): target_of(self.m, s.function) for s in self.registry.surfaces}
        return {ref: target for ref, target in found.items() if target is not None}

    def is_outside(self, surface: Surface) -> bool:
        """Whether a surface is a function of another package."""
        return is_outside(surface.function, self.program, self.registry)

    @cached_property
    def seal_is_outside(self) -> bool:
        return is_outside(self.registry.seal.function, self.program, self.registry)

    @cached_property
    def activations(self) -> dict[str, Activation]:
        return {ref: self._activate(ref) for ref in self.targets}

    @left_lying()
    def _activate(self, ref: str) -> Activation:
        target = self.targets[ref]
        activation = activate(self.m, target.value, target.declared, ref, self.m.world, target.start)
        module, _, name = ref.partition(":")
        opened.note(self.m, module_frame(module), name.partition(".")[0], self.m.world)
        return activation

    @cached_property
    def _inventory(self) -> Inventory:
        return Inventory(self.m, self._by_function())

    def _by_function(self) -> dict[str, Activation]:
        """Activations by the function as it is defined: a re-exported name leads to the same door."""
        found = {}
        for ref, activation in self.activations.items():
            declared = self.targets[ref].declared
            found[declared.reference if declared is not None else ref] = activation
        return found

    @cached_property
    @left_lying()
    def doors(self) -> Doors:
        if self.problems:
            return Doors()
        found = self._inventory.doors({str(row.function): row.reason for row in self.registry.exempt})
        outside = (str(surface.function) for surface in self.registry.surfaces if self.is_outside(surface))
        return replace(found, outside=tuple(sorted(set(outside))))

    @property
    def bearing(self) -> frozenset[str]:
        """The names that bear on what was found, once all of it was asked for."""
        assert self.doors is not None
        return names_that_bear(self.m, self._inventory)

    @cached_property
    def _later_world(self) -> State | None:
        """The world that all doors have left behind."""
        assert self.doors is not None
        return later_world(self.m, list(self._inventory.activations.values()))

    def _later(self, ref: str) -> Activation | None:
        """A surface once more, in that world; one that was not followed to the end the first time is not followed again."""
        if ref not in self._again:
            self._again[ref] = self._activate_again(ref)
        return self._again[ref]

    def _activate_again(self, ref: str) -> Activation | None:
        target = self.targets[ref]
        if target.start is not None or not self.activations[ref].complete or self._later_world is None:
            return None
        return activate(self.m, target.value, target.declared, ref, self._later_world, None)

    # The invariants

    def consulted(self, surface: Surface) -> Finding:
        """`seal-consulted`, levels 1 to 5."""
        ref = str(surface.function)
        if self.is_outside(surface) or (self.seal_is_outside and ref in self.targets):
            return undecided(surface)
        if ref not in self.targets:
            return self._finding(surface, Reason.MISSING_FUNCTION)
        finding = self._judged(surface)
        if finding.verdict is not Verdict.PROVED:
            return finding
        return self._uncut(surface, finding)

    def _judged(self, surface: Surface) -> Finding:
        ref = str(surface.function)
        later = self._later(ref)
        activations = [self.activations[ref], *([later] if later is not None else [])]
        self.m.root = ref
        finding = Judge(self.m, surface, activations).verdict()
        if finding.verdict is not Verdict.UNDECIDED:
            return finding
        return self._way_around(surface) or finding

    def _way_around(self, surface: Surface) -> Finding | None:
        """A refutation of a surface that was too large, or in which what does not matter was in doubt."""
        ref = str(surface.function)
        first = self.activations[ref]
        steps = TOGETHER // 4 if first.complete and not first.large else TOGETHER
        asked = self.activations[ref].effects.asked

        def judge(activation: Activation) -> Finding:
            self.m.root = ref
            return Judge(self.m, surface, [activation], asked=asked).verdict()

        return way_around(self.m, lambda: self._activate(ref), judge, steps)

    def _uncut(self, surface: Surface, finding: Finding) -> Finding:
        """A proof must hang on its pass edges: with all of them taken for nothing it must fail, and with each of them in turn
        it shows on which it rests."""
        if self._holds_without(surface, None):
            raise EmptyProof(surface.id)
        ref = str(surface.function)
        found = {p for a in (self.activations[ref], self._later(ref)) if a for e in a.events for p in guard_places(e)}
        guards = sorted(found)
        single = len(guards) == 1 or len(guards) > GUARDS_TRIED
        needed = guards if single else [p for p in guards if self.rests_on(surface, p)]
        if not needed:
            either = " or at ".join(str(place) for place in guards)
            return replace(finding, guards=(f"the seal asked at {either}",))
        return replace(finding, guards=tuple(f"the seal asked at {p}" for p in needed or guards))

    def rests_on(self, surface: Surface, guard: Place) -> bool:
        """Whether the proof of a surface falls once the answer asked for at `guard` is taken for nothing."""
        return not self._holds_without(surface, guard)

    def _holds_without(self, surface: Surface, guard: Place | None) -> bool:
        """Whether the proof stands with one pass edge taken for nothing (with all of them, where none is named)."""
        self.m.cut_all, self.m.cut = guard is None, frozenset({guard} if guard is not None else ())
        try:
            activation = self._activate(str(surface.function))
        finally:
            self.m.cut_all, self.m.cut = False, frozenset()
        return Judge(self.m, surface, [activation]).verdict().verdict is Verdict.PROVED

    def registered(self, surface: Surface | None) -> Finding:
        """`door-registered`, of a surface or of the run."""
        if surface is None:
            return judge_run(self)
        return judge_surface(self, surface)

    def sole(self) -> Finding:
        """`seal-sole`."""
        if self.problems:
            return Finding(
                RUN,
                "seal-sole",
                Verdict.UNDECIDED,
                None,
                Reason.HARNESS,
                self.problems[0].at,
                (),
                self.problems[0].message,
                self.problems[0].remedy,
            )
        if self.seal_is_outside:
            return unexamined("seal-sole")
        return judge_sole(self)

    def _finding(self, surface: Surface, reason: Reason) -> Finding:
        return Finding(
            surface.id, "seal-consulted", Verdict.REFUTED, 0, reason, surface.at, (), MESSAGES[reason], REMEDIES[reason]
        )

    # Figures

    @property
    def files(self) -> int:
        return self.program.files

    @property
    def lines(self) -> int:
        return self.program.lines

    @property
    def unreadable(self) -> tuple[Finding, ...]:
        reason = Reason.UNSUPPORTED_SYNTAX
        rows = sorted(self.program.unreadable, key=lambda u: (u.path, u.line))
        return tuple(
            Finding(
                RUN, "readable", Verdict.UNDECIDED, None, reason, Place(u.path, u.line), (), u.message, REMEDIES[reason]
            )
            for u in rows
        )
