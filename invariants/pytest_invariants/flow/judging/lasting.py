"""Later activations: the world as it is once earlier ones have left something in the objects that live on."""

from __future__ import annotations

from dataclasses import replace

from pytest_invariants.flow.calls import hooked
from pytest_invariants.flow.containers import containers
from pytest_invariants.flow.domain.aging import Aging
from pytest_invariants.flow.domain.outcomes import Kept
from pytest_invariants.flow.domain.state import Cell, State, Template
from pytest_invariants.flow.domain.terms import Alloc, Named, Term
from pytest_invariants.flow.domain.values import Dict, Obj, Seq, Value, union
from pytest_invariants.flow.judging.activation import Activation
from pytest_invariants.flow.machine.analysis import Analysis
from pytest_invariants.flow.seal.granting import settle


def later_world(m: Analysis, activations: list[Activation]) -> State | None:
    """The world with what all these activations left behind; None where they left nothing."""
    old = m.world
    changed = [address for address in old.touched if (cell := old.find(address)) is not None and cell.exact]
    if not changed and not any(activation.effects.kept for activation in activations):
        return None
    world = State(None, True, dict(old.frames), dict(old.heap), dict(old.fields))
    for address in changed:  # in which order, and whether all are still there, is not known
        hooked.uncertain(address, world)
    for activation in activations:
        _leave_behind(m, activation, world)
    return world


def _leave_behind(m: Analysis, activation: Activation, world: State) -> None:
    aging = Aging(rename=True)
    for address, cell in activation.left.items():
        templates = tuple(replace(aging.template(_asked(m, t, world)), facts=frozenset()) for t in cell.templates)
        world.heap[aging.term(address)] = Cell(templates)
    for name, frame in activation.frames.items():
        world.frames.setdefault(name, {key: aging.value(held) for key, held in frame.items()})
    for (address, name), held in activation.fields.items():
        aged = aging.value(held)
        place = (aging.term(address), name)
        world.fields[place] = union([world.fields[place], aged]) if place in world.fields else aged
    for kept in activation.effects.kept:
        if kept.address not in m.declared_addresses:
            _give(m, world, kept, aging)


def _give(m: Analysis, world: State, kept: Kept, aging: Aging) -> None:
    """Something more that a place may hold."""
    address, what, aged = kept.address, kept.what, aging.value(kept.value)
    if what.startswith("field "):
        _set(m, world, address, what.removeprefix("field "), aged)
    elif isinstance(address, Named) and address.name in world.frames:
        frame = world.frames[address.name]
        world.frames[address.name] = {**frame, what: union([frame[what], aged] if what in frame else [aged])}
    else:
        _put(m, world, address, Template(aged, key=aging.value(kept.key) if kept.key is not None else None))


def _asked(m: Analysis, template: Template, world: State) -> Template:
    """The element with those labels marked that an answer had covered when it was put in."""
    labels = settle(m, template.value.labels, template.facts, world)
    return replace(template, value=replace(template.value, labels=labels))


def _set(m: Analysis, world: State, address: Term, name: str, value: Value) -> None:
    old = world.fields.get((address, name))
    cls = m.class_of.get(address)
    if old is None and cls is not None:
        old = m.symbolic_field(Obj(address=address, cls=cls, exact=True), name, world)
    world.fields[address, name] = union([old, value] if old is not None else [value])


def _put(m: Analysis, world: State, address: Term, template: Template) -> None:
    cell = world.find(address)
    if cell is None:
        if isinstance(address, Alloc):
            cell = Cell()
        else:
            cell = containers.symbolic(m, Dict(address=address) if template.key is not None else Seq(address=address))
    m.left_behind.add(address)
    if template not in cell.templates:
        exact = cell.exact and template.key is None  # an entry may take another one's place
        world.heap[address] = replace(
            cell, templates=(*cell.templates, template), source=None, whole=False, exact=exact
        )
