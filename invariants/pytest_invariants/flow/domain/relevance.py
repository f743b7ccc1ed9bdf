"""Which facts a value that is put away takes along: all answers of the seal, and the comparisons that bear on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

from pytest_invariants.flow.domain.state import Fact, Related
from pytest_invariants.flow.domain.terms import Literal, Named, Term, roots
from pytest_invariants.flow.domain.values import Label, Labels, Value


def known_of(value: Value, facts: frozenset[Fact], labels: Callable[[], Labels] | None = None) -> frozenset[Fact]:
    """`labels` gives those of what the value holds."""
    if not any(isinstance(fact, Related) for fact in facts):
        return facts
    own = roots_of(value)
    for label in labels() if labels is not None else ():
        own |= _roots(label.subject) | (_roots(label.also) if label.also is not None else frozenset())
    return frozenset(f for f in facts if not isinstance(f, Related) or _roots(f.left) & own or _roots(f.right) & own)


def roots_of(value: Value) -> frozenset[Term]:
    """The leaves of all terms in a value and its labels."""
    found: set[Term] = set()
    stack: list[object] = [value]
    while stack:
        thing = stack.pop()
        match thing:
            case Term():
                found |= _roots(thing)
            case Label():
                found |= _roots(thing.subject)
            case Value():
                stack += [getattr(thing, spec.name) for spec in fields(thing)]
            case tuple() | frozenset():
                stack += list(thing)
    return frozenset(found)


def _roots(term: Term) -> frozenset[Term]:
    return frozenset(t for t in roots(term) if not isinstance(t, Literal | Named))
