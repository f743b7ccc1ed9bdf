"""Renaming terms throughout values, facts and states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from pytest_invariants.flow.domain.records import Hashed
from pytest_invariants.flow.domain.state import Cell, Fact, Open, Read, Related, State, Template, Unless
from pytest_invariants.flow.domain.terms import Element, Mapper, Term, rewrite
from pytest_invariants.flow.domain.values import Label, SealCall, Value

NO_DRAWS: frozenset[int] = frozenset()


def draws_in(thing: object) -> frozenset[int]:
    """The places whose drawn elements a term or a value speaks of."""
    match thing:
        case Hashed():
            try:
                return thing._draws  # type: ignore[attr-defined, no-any-return]
            except AttributeError:
                own = frozenset((thing.draw,)) if isinstance(thing, Element) else NO_DRAWS
                found = own.union(*(draws_in(getattr(thing, spec.name)) for spec in fields(thing)))  # type: ignore[arg-type]
                object.__setattr__(thing, "_draws", found)
                return found
        case tuple() | frozenset() if thing:
            return NO_DRAWS.union(*(draws_in(item) for item in thing))
        case _:
            return NO_DRAWS


class Renaming:
    """Applies one term mapper to everything that holds terms, keeping what does not change.

    `touches` says of the places whose drawn elements something speaks of whether the mapper may change it.
    """

    def __init__(self, mapper: Mapper, touches: Callable[[frozenset[int]], bool] | None = None) -> None:
        self.mapper, self.touches = mapper, touches
        self._values: dict[Value, Value] = {}
        self._terms: dict[Term, Term] = {}

    def _untouched(self, thing: object) -> bool:
        return self.touches is not None and not self.touches(draws_in(thing))

    def _cell_untouched(self, cell: Cell) -> bool:
        if self.touches is None:
            return False
        parts: tuple[object, ...] = (*cell.templates, *(cell.before or ()), *([cell.source] if cell.source else []))
        return not any(self.touches(draws_in(part)) for part in parts)

    def term(self, term: Term) -> Term:
        if self._untouched(term):
            return term
        if term not in self._terms:
            self._terms[term] = rewrite(term, self.mapper)
        return self._terms[term]

    def label(self, label: Label) -> Label:
        subject = self.term(label.subject)
        also = self.term(label.also) if label.also is not None else None
        same = subject == label.subject and also == label.also
        return label if same else replace(label, subject=subject, also=also)

    def value(self, value: Value) -> Value:
        if self._untouched(value):
            return value
        if value not in self._values:
            self._values[value] = self._changed(value)
        return self._values[value]

    def _changed(self, value: Value) -> Value:
        changes: dict[str, Any] = {}
        for spec in fields(value):
            old = getattr(value, spec.name)
            new = self._any(old)
            if new is not old and new != old:
                changes[spec.name] = new
        return replace(value, **changes) if changes else value

    def _any(self, thing: object) -> object:
        match thing:
            case Term():
                return self.term(thing)
            case Value():
                return self.value(thing)
            case SealCall():
                return self.call(thing)
            case frozenset() if thing:
                return frozenset(self.label(label) for label in thing)
            case tuple() if thing:
                return tuple(self._any(item) for item in thing)
            case _:
                return thing

    def call(self, call: SealCall) -> SealCall:
        subjects = tuple(self.value(v) for v in call.subjects)
        principals = tuple((name, self.value(v)) for name, v in call.principals)
        if subjects == call.subjects and principals == call.principals:
            return call
        return replace(call, subjects=subjects, principals=principals)

    def fact(self, fact: Fact) -> Fact:
        if self._untouched(fact):
            return fact
        if isinstance(fact, Open):
            return replace(fact, call=self.call(fact.call))
        if isinstance(fact, Unless):
            inner = replace(fact.fact, call=self.call(fact.fact.call))
            return replace(fact, address=self.term(fact.address), key=self.term(fact.key), fact=inner)
        return Related(self.term(fact.left), self.term(fact.right), fact.member)

    def facts(self, facts: frozenset[Fact]) -> frozenset[Fact]:
        if all(self._untouched(fact) for fact in facts):
            return facts
        return frozenset(self.fact(fact) for fact in facts)

    def template(self, template: Template) -> Template:
        if self._untouched(template):
            return template
        key = self.value(template.key) if template.key is not None else None
        about = self.term(template.about) if template.about is not None else None
        return Template(self.value(template.value), self.facts(template.facts), key, about)

    def cell(self, cell: Cell) -> Cell:
        if self._cell_untouched(cell):
            return cell
        templates = tuple(self.template(t) for t in cell.templates)
        source = self.term(cell.source) if cell.source is not None else None
        before = tuple(self.template(t) for t in cell.before) if cell.before is not None else None
        return replace(cell, templates=templates, source=source, before=before)

    def read(self, read: Read) -> Read:
        return replace(read, value=self.value(read.value), options=tuple(self.value(one) for one in read.options))

    def state(self, state: State) -> State:
        """A renamed fork. Frames of modules hold no drawn elements and stay as they are."""
        new = state.fork()
        for name, frame in state.frames.items():
            if not name.startswith("module ") and not all(self._untouched(value) for value in frame.values()):
                new.frames[name] = {key: self.value(value) for key, value in frame.items()}
        new.heap = {
            self.term(address): self.cell(cell) if cell is not None else None for address, cell in state.heap.items()
        }
        new.fields = {(self.term(a), name): self.value(v) for (a, name), v in state.fields.items()}
        new.facts = self.facts(state.facts)
        new.calls = {number: self.call(call) for number, call in state.calls.items()}
        new.reads = {(self.term(a), name): self.read(one) for (a, name), one in state.reads.items()}
        new.known = {(op, self.term(a), self.term(b)): truth for (op, a, b), truth in state.known.items()}
        return new


def age(state: State, draw: int) -> State:
    """Before the next element is drawn: what was current becomes the last one, and so on."""

    if draw not in state.draws:
        new = state.fork()
        new.draws = state.draws | {draw}
        return new

    def older(term: Term) -> Term | None:
        if isinstance(term, Element) and term.draw == draw:
            return Element(draw, rewrite(term.base, older), term.age + 1)
        return None if draw in draws_in(term) else term

    return Renaming(older, lambda draws: draw in draws).state(state)
