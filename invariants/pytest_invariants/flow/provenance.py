"""Where a principal comes from: the caller of this activation, a constant, or somebody else."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from pytest_invariants.flow.terms import (
    PAST,
    Alloc,
    Applied,
    Element,
    Field,
    Index,
    Literal,
    Named,
    Param,
    Term,
    contains,
)
from pytest_invariants.flow.values import Value, term_of

if TYPE_CHECKING:
    from pytest_invariants.flow.analysis import Analysis


class Origin(Enum):
    CALLER = auto()
    CONSTANT = auto()
    WRONG = auto()
    UNKNOWN = auto()


def origin_of(m: Analysis, role: str, value: Value, checked: set[Term], granted: Term) -> Origin:
    """The origin of the value in a principal's role, given what the seal was asked about and what is granted."""
    term = term_of(value)
    declared = m.seal.declared.principal.get(role)
    if contains(term, lambda t: t in checked or (t == granted and not isinstance(t, Literal))):
        return Origin.WRONG
    if declared is not None:
        return _declared(m, term, declared.qualname, declared.module)
    return _inferred(m, term, role)


def _declared(m: Analysis, term: Term, qualname: str, module: str) -> Origin:
    owner, _, attribute = qualname.rpartition(".")
    if isinstance(term, Literal):
        return Origin.CONSTANT
    if isinstance(term, Field) and term.name == attribute:
        known = m.class_of.get(term.base)
        fits = known is None or any(c.qualname == owner and c.module == module for c in known.mro)
        return _root(m, term.base) if fits else Origin.WRONG
    if isinstance(term, Param) and term.owner == "" and not m.has_caller_object:
        return Origin.CALLER
    inner = _root(m, term)
    return inner if inner in (Origin.UNKNOWN, Origin.CONSTANT) else Origin.WRONG


def _inferred(m: Analysis, term: Term, role: str) -> Origin:
    if isinstance(term, Param) and term.owner == "" and m.names_caller(term.name, role):
        return Origin.WRONG
    return _root(m, term)


def _root(m: Analysis, term: Term) -> Origin:
    match term:
        case Literal():
            return Origin.CONSTANT
        case Param():
            return Origin.CALLER
        case Field(base, _):
            return _root(m, base)
        case Index(base, key, _):
            return _root(m, base) if isinstance(key, Literal) else Origin.WRONG
        case Element():
            return Origin.WRONG
        case Alloc(_, past):
            return Origin.WRONG if past else Origin.UNKNOWN
        case Named(name):
            return Origin.UNKNOWN if name.startswith("answer") else Origin.WRONG
        case Applied(function, arguments):
            return _applied(m, function, arguments)
        case _:
            return Origin.UNKNOWN


def _applied(m: Analysis, function: str, arguments: tuple[Term, ...]) -> Origin:
    """What was computed is the caller's where all its arguments are the caller's or constants."""
    if function.startswith(("os.", "environ")):
        return Origin.WRONG
    origins = {_root(m, argument) for argument in arguments}
    for origin in (Origin.WRONG, Origin.UNKNOWN, Origin.CALLER):
        if origin in origins:
            return origin
    return Origin.CONSTANT if arguments else Origin.UNKNOWN


__all__ = ["PAST", "Origin", "origin_of"]
