"""The inventory of doors: every function through which a capability can leave, and what covers it.

A function is a door if a capability gets out of it and no other function of the code calls it: a helper belongs to the doors that call
it. A capability, and the seal, are no doors.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_invariants.flow.domain.scope import module_frame
from pytest_invariants.flow.domain.values import Value
from pytest_invariants.flow.domain.wrapped import plain_function
from pytest_invariants.flow.judging.activation import Activation, activate
from pytest_invariants.flow.judging.finding import Target, target_of
from pytest_invariants.flow.judging.judging import by_length
from pytest_invariants.flow.machine.analysis import Analysis
from pytest_invariants.flow.machine.machine import EASY, STEP_LIMIT
from pytest_invariants.flow.relevance.reach import Reach
from pytest_invariants.program.bodies import glance
from pytest_invariants.program.code import FunctionInfo
from pytest_invariants.program.nodes import below
from pytest_invariants.registry.model import Reference
from pytest_invariants.verdict import Place, Reason, Step

INVENTORY_TOTAL = 20_000
"""Steps that the whole inventory may take; what is not reached by then is named as not examined."""
INVENTORY_LIMIT = 6_000
"""Steps that a function may take while the inventory looks whether a capability gets out of it."""


@dataclass(frozen=True, slots=True)
class Door:
    """A function from which a capability gets out; `way` is one way to it, `covered_by` a surface, an exemption or nothing."""

    function: str
    at: Place
    way: tuple[Step, ...]
    covered_by: str | None
    decorated: tuple[str, ...]
    public: bool
    asks: bool
    """Whether every capability that gets out was asked about on its way."""
    reaches: tuple[str, ...] = ()
    """The capabilities that get out, as the registry names them."""


def _handed_out(activation: Activation) -> list[Value]:
    """Functions given to code that is not followed, or left in objects that live on."""
    return [*activation.effects.escaped, *(kept.value for kept in activation.effects.kept)]


@dataclass(frozen=True, slots=True)
class Doors:
    """The inventory. All tuples hold `module:qualname`, sorted."""

    records: tuple[Door, ...] = ()
    registered: tuple[str, ...] = ()
    exempt: tuple[str, ...] = ()
    unregistered: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    unexamined: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    """Surfaces that are functions of other packages: doors whose code is not read."""

    @property
    def found(self) -> tuple[str, ...]:
        return tuple(door.function for door in self.records)


class Inventory:
    """Activates every function that may reach a capability, and keeps those that let one out."""

    def __init__(self, m: Analysis, surfaces: dict[str, Activation]) -> None:
        self.m = m
        self.surfaces = surfaces
        self.activations: dict[str, Activation] = dict(surfaces)
        self.stops = frozenset(i for i in m.functions.values() if i.reference in surfaces)
        self.reach = Reach(m, self.stops, m.reach.mentions if m.reach is not None else None)
        self.called: set[str] = set()
        self.callers: dict[str, set[str]] = {}
        """Who calls each function, as far as that is known once the doors are."""
        self.spent = 0
        self.passed_by: list[str] = []
        for activation in (m.loading, *surfaces.values()):
            self._note_calls(activation)

    def doors(self, exempt: dict[str, str]) -> Doors:
        candidates = self.candidates()
        self.m.stops, reach, self.m.reach = self.stops, self.m.reach, self.reach
        self.m.step_limit, self.m.easy, self.m.coarse = INVENTORY_LIMIT, 0, True
        for info in [i for i in candidates if "<locals>" not in i.qualname]:
            self._examine(info)
        for info in [i for i in self.candidates() if "<locals>" in i.qualname]:
            if self._is_loose(info):
                self._examine(info)
        self.m.stops, self.m.reach, self.m.step_limit = frozenset(), reach, STEP_LIMIT
        self.m.easy, self.m.coarse = EASY, False
        callers = self.callers = self._callers()
        found = sorted(ref for ref, activation in self.activations.items() if self._is_door(ref, activation, callers))
        records = tuple(self._record(ref, exempt) for ref in found)
        registered = tuple(ref for ref in found if ref in self.surfaces)
        unregistered = tuple(ref for ref in found if ref not in self.surfaces and ref not in exempt)
        stale = tuple(sorted(ref for ref in exempt if ref in self.surfaces or not self._lets_out(ref)))
        unexamined = tuple(sorted([*(r for r, a in self.activations.items() if not a.complete), *self.passed_by]))
        used = tuple(ref for ref in sorted(exempt) if ref not in stale)
        return Doors(records, registered, used, unregistered, stale, unexamined)

    def candidates(self) -> list[FunctionInfo]:
        """Functions that may reach a capability, by the names that they and their callees mention; those that nobody
        else mentions come first, since following them shows whom they call."""
        seals, capabilities = self.m.seal.functions, self.m.capabilities.functions
        infos = [i for i in self.m.functions.values() if i not in seals and i not in capabilities]
        plain = [i for i in infos if i.reference not in self.activations and not self._inner_lambda(i)]
        return sorted(
            (i for i in plain if self.reach.may_grant(i)), key=lambda i: (self.reach.mentioned_by(i), i.reference)
        )

    def _inner_lambda(self, info: FunctionInfo) -> bool:
        return isinstance(info.node, ast.Lambda) and (info.owner is not None or "<locals>" in info.qualname)

    def _examine(self, info: FunctionInfo) -> None:
        if info.reference in self.called:
            return
        if self.spent > INVENTORY_TOTAL:
            self.passed_by.append(info.reference)
            return
        target = target_of(self.m, Reference(info.module, info.qualname)) or self._bare(info)
        if target is not None and self._same(target, info):
            self.activations[info.reference] = activate(
                self.m, target.value, target.declared, info.reference, self.m.world, target.start
            )
            self._note_calls(self.activations[info.reference])
        self.spent += self.m.steps

    def _bare(self, info: FunctionInfo) -> Target | None:
        """A function whose name stands for something else by now: a registrar has kept it, or it never had a name."""
        plain = self.m.plain.get(info)
        outside = plain is not None and info.owner is None and "<locals>" not in info.qualname
        return Target(plain, info) if plain is not None and outside else None

    def _note_calls(self, activation: Activation) -> None:
        self.called |= {callee for caller, callee in activation.effects.edges if caller != callee}

    def _same(self, target: Target, info: FunctionInfo) -> bool:
        inner = plain_function(target.value)
        return inner is None or inner.info is info or (target.declared is info)

    def _is_loose(self, info: FunctionInfo) -> bool:
        """A nested function is a door of its own only where somebody outside was handed it."""
        handed = [v for a in (*self.activations.values(), self.m.loading) for v in _handed_out(a)]
        handed += [
            v for name, frame in self.m.world.frames.items() if name.startswith("module ") for v in frame.values()
        ]
        return any(inner is not None and inner.info is info for inner in map(plain_function, handed))

    def _callers(self) -> dict[str, set[str]]:
        callers: dict[str, set[str]] = {}
        for activation in self.activations.values():
            for caller, callee in activation.effects.edges:
                callers.setdefault(callee, set()).add(caller)
        for caller, callee in self._written_calls():
            callers.setdefault(callee, set()).add(caller)
        return callers

    def _written_calls(self) -> Iterator[tuple[str, str]]:
        """Calls by a plain name of the module, also where nobody followed the caller."""
        for info in list(self.m.functions.values()):
            frame = self.m.world.frame(module_frame(info.module))
            with glance(info.node):
                nodes = below(info.node)
            for node in nodes:
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in frame:
                    inner = plain_function(self.m.resolve_import(frame[node.func.id], self.m.world))
                    if inner is not None and inner.info is not info:
                        yield info.reference, inner.info.reference

    def _is_door(self, ref: str, activation: Activation, callers: dict[str, set[str]]) -> bool:
        if not any(
            e.label.capability >= 0 and e.label.doubt is not Reason.DYNAMIC_ATTRIBUTE for e in activation.events
        ):
            return False  # nothing, or what an attribute of a computed name might be
        return ref in self.surfaces or not self._reached_from(ref, callers)

    def _reached_from(self, ref: str, callers: dict[str, set[str]]) -> bool:
        """Whether another function calls it; functions that only call each other are doors."""
        seen: set[str] = set()
        stack = [c for c in callers.get(ref, ()) if c != ref]
        while stack:
            caller = stack.pop()
            if caller in seen or caller == ref:
                continue
            seen.add(caller)
            above = [c for c in callers.get(caller, ()) if c != caller]
            if not above:
                return True
            stack += above
        return False

    def _lets_out(self, ref: str) -> bool:
        activation = self.activations.get(ref)
        if activation is None:
            target = target_of(self.m, Reference.parse(ref))
            if target is None:
                return False
            activation = activate(self.m, target.value, target.declared, ref, self.m.world, target.start)
        return any(e.label.capability >= 0 for e in activation.events) or not activation.complete

    def _record(self, ref: str, exempt: dict[str, str]) -> Door:
        info = next((i for i in self.m.functions.values() if i.reference == ref), None)
        events = [e for e in self.activations[ref].events if e.label.capability >= 0]
        event = min(events, key=lambda e: (e.at, e.label.capability, by_length(e)))
        trail = event.state.trail.steps() if event.state.trail is not None else ()
        covered = f"surface {self.m.surface_names.get(ref, ref)}" if ref in self.surfaces else None
        if covered is None and ref in exempt:
            covered = f"exempt: {exempt[ref]}"
        decorators = tuple(ast.unparse(d) for d in getattr(info.node, "decorator_list", [])) if info else ()
        public = not any(part.startswith("_") for part in ref.partition(":")[2].split("."))
        place = info.place if info is not None else event.at
        asks = all(e.by is not None or e.label.cleared is not None for e in events)
        way = (*trail, Step(event.at, f"`{self._name(event.label.capability)}` gets out"))
        reaches = tuple(sorted({self._name(e.label.capability) for e in events}))
        return Door(ref, place, way, covered, decorators, public, asks, reaches)

    def _name(self, number: int) -> str:
        capability = self.m.registry.capabilities[number]
        return str(capability.of or capability.decorated)
