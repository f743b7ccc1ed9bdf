"""Drawing elements: one path for each kind of element that a round may bring."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers.containers import elements_of
from pytest_invariants.flow.domain import live
from pytest_invariants.flow.domain.limits import UNROLLED
from pytest_invariants.flow.domain.mapping import Renaming, age
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State, Template, doubt_of_all, lives_on, made_of, writes_of
from pytest_invariants.flow.domain.terms import Applied, Element, Term
from pytest_invariants.flow.domain.types import shape, type_of_constant
from pytest_invariants.flow.domain.values import (
    Class,
    Cond,
    Const,
    Member,
    Obj,
    Seq,
    Sym,
    Thunk,
    Tuple,
    Value,
    Verdict,
    term_of,
    with_labels,
)
from pytest_invariants.flow.machine import comprehensions
from pytest_invariants.flow.machine.machine import Arguments, Results
from pytest_invariants.flow.machine.merging import drawn as drawn_kinds
from pytest_invariants.flow.objects import implicit
from pytest_invariants.program.code import ClassInfo
from pytest_invariants.verdict import Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis
CONSTANT_LIMIT = 4
"""Constants of a display that are told apart; more of them are one unknown constant."""


def unrolled(m: Analysis, value: Value, state: State) -> tuple[Value, ...] | None:
    """The elements of a small display in order, where all are known."""
    if isinstance(value, Tuple) and len(value.items) <= UNROLLED:
        return tuple(with_labels(item, value.labels) for item in value.items)
    if isinstance(value, Seq):
        live.refresh(m, value.address, state)
        cell = state.find(value.address)
        if cell is not None and cell.exact and cell.lazy and value.address in m.generators:
            comprehensions.refresh(m, value, state)
            cell = state.cell(value.address)
        if cell is not None and cell.exact:
            return tuple(with_labels(t.value, value.labels) for t in cell.templates)
    return None


def iterate(m: Analysis, value: Value, state: State, scope: Scope, node: ast.AST) -> Results:
    """One path for each kind of element that a round may bring; what was drawn here before becomes older."""
    draw = m.draw(node, scope)
    if isinstance(node, ast.comprehension):
        m.generic.add(draw)
    match value:
        case Thunk():
            from pytest_invariants.flow.calls.thunks import drained

            return iterate(m, drained(m, value, state), state, scope, node)
        case Obj() if value.cls.lookup("__aiter__") or value.cls.lookup("__iter__"):
            name = "__iter__" if value.cls.lookup("__iter__") else "__aiter__"
            return [
                pair
                for method, s in m.attribute(value, name, state, scope, node)
                for inner, after in m.call(method, Arguments(), s, scope, node)
                for pair in iterate_self(m, inner, value, after, scope, node)
            ]
        case Obj() if (found := implicit.stepped(m, value, age(state, draw), scope, node)) is not None:
            return found
        case Class() if value.info.is_enum:
            return [
                (Member(cls=value.info, name=name), state.fork())
                for name, held in value.info.namespace.items()
                if isinstance(held, Member)
            ]
    aged, current = age(state, draw), value
    if isinstance(node, ast.AsyncFor) or (isinstance(node, ast.comprehension) and node.is_async):
        aged.epoch += 1  # the next element may be waited for
    templates = elements_of(m, current, aged)
    results: Results = []
    for template in _bounded(m, templates, current):
        after = aged.fork()
        drawn = instantiate(m, template, draw)
        after.facts |= drawn.facts
        if _keeps_an_answer(template.value, after):
            after.doubts |= {doubt_of_all(Reason.OPAQUE_CALLABLE, scope.here, "a namespace among others")}
        results.append((_record(m, template.value, drawn.value, draw, after), after))
    return m.fewer(results) if isinstance(node, ast.For | ast.AsyncFor) else drawn_kinds(m, results)


def _keeps_an_answer(value: Value, state: State) -> bool:
    """Whether it is a `SimpleNamespace` that holds the seal's answer: which one's fields are read is not followed."""
    if not isinstance(value, Sym) or not isinstance(value.term, Applied) or value.term.function != NAMESPACE:
        return False
    return any(isinstance(held, Verdict | Cond) for (place, _), held in state.fields.items() if place == value.term)


NAMESPACE = "types.SimpleNamespace"


def _record(m: Analysis, value: Value, drawn: Value, draw: int, state: State) -> Value:
    """A record that nobody has changed, as it is of the element that was drawn: its fields speak of that one."""
    if not isinstance(value, Obj) or lives_on(value.address) or m.is_owner(value.cls):
        return drawn
    renaming, fields = _renaming(m, draw), m.fields_of(value, state)
    renamed = {name: renaming.value(held) for name, held in fields.items()}
    if renamed == fields or not (_immutable(value.cls) or _is_as_made(value, state)):
        return drawn
    address = Applied("drawn", (value.address, Element(draw, value.address)))
    m.class_of[address] = value.cls
    for name, held in renamed.items():
        state.fields[address, name] = held
    return replace(value, address=address)


def _immutable(cls: ClassInfo) -> bool:
    """A named tuple, or a frozen dataclass."""
    return cls.is_namedtuple or any("frozen=True" in ast.unparse(node) for node in cls.node.decorator_list)


def _is_as_made(value: Obj, state: State) -> bool:
    """Whether all fields are what the constructor has put into them."""
    made, writes = state.made_at(made_of(value.address)), state.made_at(writes_of(value.address))
    return made > 0 and not writes and not value.cls.foreign_bases()


def iterate_self(m: Analysis, inner: Value, value: Value, state: State, scope: Scope, node: ast.AST) -> Results:
    """`__iter__` may give the instance itself, which then steps by `__next__`."""
    if inner != value:
        return iterate(m, inner, state, scope, node)
    return implicit.stepped(m, value, state, scope, node) or []


def _bounded(m: Analysis, templates: tuple[Template, ...], value: Value) -> tuple[Template, ...]:
    constants = [t for t in templates if isinstance(t.value, Const)]
    if len(constants) <= CONSTANT_LIMIT:
        return templates
    some = Template(shape(m, Element(0, term_of(value)), type_of_constant(constants[0].value)))
    return (*(t for t in templates if not isinstance(t.value, Const)), some)


def instantiate(m: Analysis, template: Template, draw: int) -> Template:
    """The template with its elements named as drawn here and now.

    An element that stands for all (of a comprehension, of a collection that is not known) becomes one of them; an element that
    a loop has drawn, or that is being drawn, is what it is.
    """

    return _renaming(m, draw).template(template)


def _renaming(m: Analysis, draw: int) -> Renaming:
    def drawn(term: Term) -> Term | None:
        if not isinstance(term, Element):
            return None
        current = term.age == 0 and term.draw in m.active
        return term if current or term.draw not in m.generic else Element(draw, term)

    return Renaming(drawn, lambda draws: not draws.isdisjoint(m.generic))
