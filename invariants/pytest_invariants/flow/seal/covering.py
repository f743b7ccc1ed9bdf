"""Level 4: does this answer of the seal speak of this capability, and was it asked for the right principal?

Two terms name the same thing where one is the other's identity (`skill.name`), where one was looked up by the other
(`store.get(name)`), or where the path has compared them. A part belongs to its whole (`skill.tools[0]` to `skill`); a tool belongs to the
group that it names (`tool.group`). Anything else is another thing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.state import Fact, Open, Related
from pytest_invariants.flow.domain.terms import (
    Applied,
    Element,
    Field,
    Index,
    Literal,
    Term,
    contains,
    is_identity,
    parts,
    rewrite,
)
from pytest_invariants.flow.domain.values import Dict, Label, Obj, SealCall, Seq, Value, term_of
from pytest_invariants.flow.seal.provenance import Origin, origin_of
from pytest_invariants.registry.model import Grant
from pytest_invariants.verdict import Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

CONVERSIONS = frozenset({"tuple", "list", "set", "frozenset", "sorted", "str", "reversed", "iter", "copy"})
"""What keeps all of its argument; a normalised name (`lower`, `strip`) may be another one's."""
FAULTS = {
    Origin.CONSTANT: Reason.CONSTANT_PRINCIPAL,
    Origin.WRONG: Reason.WRONG_PRINCIPAL,
    Origin.UNKNOWN: Reason.OPAQUE_CALLABLE,
}


@dataclass(frozen=True, slots=True)
class Cover:
    """The fact that speaks of a label, and what is wrong with it."""

    fact: Open | None = None
    fault: Reason | None = None

    @property
    def holds(self) -> bool:
        return self.fact is not None and self.fault is None


def cover(m: Analysis, label: Label, facts: frozenset[Fact]) -> Cover:
    """The best answer of the seal about the label's subject among the facts."""
    if label.stale or not facts:
        return Cover()
    key = (label.subject, label.also, facts, m.of_all, tuple(m.active), len(m.generic))
    if key not in m.covers:
        m.covers[key] = _cover(m, label, facts)
    found: Cover = m.covers[key]
    return found


def _cover(m: Analysis, label: Label, facts: frozenset[Fact]) -> Cover:
    best = Cover()
    links = [fact for fact in facts if isinstance(fact, Related)]
    for fact in facts:
        if not isinstance(fact, Open):
            continue
        if not speaks_of(m, fact.call, label.subject, links) and not _speaks_of_part(m, fact.call, label, links):
            continue
        if fact.asserted:
            best = best if best.fact else Cover(fact, Reason.ASSERT_GUARD)
            continue
        found = Cover(fact, _principal_fault(m, fact.call, label))
        if found.holds:
            return found
        best = found
    return best


def _speaks_of_part(m: Analysis, call: SealCall, label: Label, links: list[Related]) -> bool:
    """Whether the answer speaks of what the capability gave, or of an element of it; of an element that only has the same
    name where it was let through from among those of the same owner."""
    if label.also is None or not speaks_of(m, call, label.also, links):
        return False
    given = any(isinstance(t, Applied) and m.capability_call(t.function) for t in parts(label.also))
    if not call.whole or given or m.grant_of(label) is Grant.CALL:
        return True
    return any(label.subject in same_as(m, term_of(w), links) for w in call.whole)


def _principal_fault(m: Analysis, call: SealCall, label: Label) -> Reason | None:
    checked = {root for value in call.subjects for root in asked_about(m, value)}
    for name, value in call.principals:
        origin = origin_of(m, name, value, checked, label.subject)
        if origin is not Origin.CALLER:
            return FAULTS[origin]
    return None


def speaks_of(m: Analysis, call: SealCall, subject: Term, links: list[Related]) -> bool:
    granted = same_as(m, subject, links)
    whole = {w for term in granted for w in wholes(m, term, links)}
    for value in call.subjects:
        for asked in asked_about(m, value):
            if same_as(m, asked, links) & (granted | whole):
                return True
            if isinstance(asked, Field) and m.is_part(asked) and same_as(m, asked.base, links) & granted:
                return True
    return False


def asked_about(m: Analysis, value: Value) -> set[Term]:
    """The objects that an argument in the subject's role speaks of."""
    term = unconverted(term_of(value))
    if isinstance(term, Field):
        if m.holds_state(term):
            return {term.base}
        return {term} if isinstance(value, Obj) or is_identity(term.name) else set()
    if isinstance(value, Obj):
        return {term}
    if m.subject_is_state or isinstance(term, Literal):
        return set()
    if isinstance(value, Seq | Dict) or (isinstance(term, Index) and not term.names):
        return set()
    return {term}


def in_other_round(call: SealCall, subject: Term) -> bool:
    """Whether the question was about an earlier element of the very loop that the subject comes from."""
    own = {(e.draw, e.base) for e in drawn_in(subject)}
    asked = [e for value in call.subjects for e in drawn_in(term_of(value))]
    return any((e.draw, e.base) in own for e in asked)


def drawn_in(term: Term) -> list[Element]:
    """The elements that a term was made from, without those that they were drawn from in turn."""
    match term:
        case Element():
            return [term]
        case Field(base, _):
            return drawn_in(base)
        case Index(base, key, _):
            return drawn_in(base) + drawn_in(key)
        case Applied(_, arguments):
            return [found for argument in arguments for found in drawn_in(argument)]
        case _:
            return []


def unconverted(term: Term) -> Term:
    while isinstance(term, Applied) and term.function in CONVERSIONS and term.arguments:
        term = term.arguments[0]
    return term


def first_time(term: Term) -> Term:
    """A call that is made again speaks of the same thing, though it need not give the same answer."""
    if not contains(term, lambda t: isinstance(t, Applied) and t.function == "again"):
        return term
    return rewrite(
        term, lambda t: first_time(t.arguments[0]) if isinstance(t, Applied) and t.function == "again" else None
    )


def same_as(m: Analysis, term: Term, links: list[Related]) -> set[Term]:
    """All terms that name the same thing."""
    found: set[Term] = set()
    stack = [term]
    while stack:
        current = unconverted(first_time(stack.pop()))
        if current in found:
            continue
        found.add(current)
        stack += _aliases(m, current)
        for link in links:
            sides = _sides(link)
            if not link.member and current in (*sides, link.left, link.right) and not _nothing(link):
                stack += [*sides, link.left, link.right]
    return found


def _sides(link: Related) -> tuple[Term, Term]:
    """The things that are the same where these are."""
    match link.left, link.right:
        case Applied("builtins.id", (Element() as left,)), Applied("builtins.id", (Element() as right,)):
            return (left, right) if left.base == right.base else (link.left, link.right)
        case Applied(text, (Field() as left, *around)), Applied(other, (Field() as right, *rest)):
            named = is_identity(left.name) and left.name == right.name and text.startswith("f-string ")
            if named and text == other and around == rest and all(isinstance(one, Literal) for one in around):
                return left.base, right.base
    return _entity(link.left), _entity(link.right)


def _entity(term: Term) -> Term:
    """The thing that an identity names: two things of one name are the same thing."""
    return term.base if isinstance(term, Field) and is_identity(term.name) else term


def _nothing(link: Related) -> bool:
    return any(
        isinstance(t, Literal) and (t.value is None or isinstance(t.value, bool)) for t in (link.left, link.right)
    )


def _aliases(m: Analysis, term: Term) -> list[Term]:
    match term:
        case Field(base, name) if is_identity(name):
            return [base]
        case Index(_, key, True):
            return [key]
        case Applied(function, arguments):
            named = m.key_of(function, arguments)
            return [named] if named is not None else []
        case _:
            return []


def wholes(m: Analysis, term: Term, links: list[Related]) -> set[Term]:
    """What a granted thing is a part of: the owner of the capability field that it stands in."""
    found: set[Term] = set()
    stack = [term]
    for link in links:
        if link.member and link.left == term:
            stack.append(Element(0, link.right))
    while stack:
        current = unconverted(stack.pop())
        match current:
            case Element(draw, Element() as base, number):
                inner = wholes(m, base, links)
                found |= inner | {Element(draw, w, number) for w in inner}
            case Element(_, base, _) | Index(base, _, False):
                stack.append(base)
            case Field(base, name) if m.is_capability_field(name) or m.is_part(current):
                found |= same_as(m, base, links)
            case Applied(function, (base, *_)) if function.startswith("at ") or function == "slice":
                stack.append(base)
            case Applied(function, arguments) if m.capability_call(function):
                for argument in arguments:
                    found |= same_as(m, argument, links)
    return found
