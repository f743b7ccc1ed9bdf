"""Where a principal comes from: the caller of this activation, a constant, or somebody else."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.terms import (
    NOTHING,
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
    roots,
)
from pytest_invariants.flow.domain.values import Const, Sym, Value, term_of

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


GATHERED = "gathered"
"""What a collection that the code makes is called by: its elements are the arguments."""


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


def of_nobody(m: Analysis, role: str, value: Value, state: State) -> Value:
    """The principal that was found to be none, where a false constant stands in its place: `turn.category or None`."""
    if not isinstance(value, Const) or value.value:
        return value
    declared = m.seal.declared.principal.get(role)
    wanted = declared.qualname.rpartition(".")[2] if declared is not None else ""
    for (kind, term, other), truth in state.known.items():
        name = term.name if isinstance(term, Field | Param) else ""
        is_none = (kind == "true" and not truth) or (kind == "is" and truth)
        fits = name == wanted if wanted else name in (role, *role.split("_"))
        caller = is_none and fits and other == NOTHING and origin_of(m, role, Sym(term=term), set(), other)
        if caller is Origin.CALLER:
            return Sym(value.labels, term)
    return value


def _declared(m: Analysis, term: Term, qualname: str, module: str) -> Origin:
    owner, _, attribute = qualname.rpartition(".")
    if isinstance(term, Literal):
        return Origin.CONSTANT
    if isinstance(term, Field) and term.name == attribute:
        known = m.class_of.get(term.base)
        fits = known is None or any(c.qualname == owner and c.module == module for c in known.mro)
        return _root(m, term.base) if fits else Origin.WRONG
    if isinstance(term, Applied) and term.function == GATHERED and term.arguments:
        if all(_declared(m, argument, qualname, module) is Origin.CALLER for argument in term.arguments):
            return Origin.CALLER
        if _of_receiver(term.arguments, attribute):
            return Origin.WRONG
    if isinstance(term, Param) and term.owner == "" and not m.has_caller_object:
        return Origin.CALLER
    inner = _root(m, term)
    return inner if inner in (Origin.UNKNOWN, Origin.CONSTANT) else Origin.WRONG


def _of_receiver(terms: tuple[Term, ...], attribute: str) -> bool:
    """Whether a collection was made of nothing but what the surface's receiver holds, and not of the declared field."""
    leaves = {leaf for term in terms for leaf in roots(term) if not isinstance(leaf, Literal)}
    named = any(contains(term, lambda t: isinstance(t, Field) and t.name == attribute) for term in terms)
    return leaves == {Param("self")} and not named


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
    """What was computed is the caller's where all its arguments are the caller's or constants; what was gathered may be."""
    if function == GATHERED:
        return Origin.CONSTANT if all(isinstance(argument, Literal) for argument in arguments) else Origin.UNKNOWN
    if function.startswith(("os.", "environ")):
        return Origin.WRONG
    origins = {_root(m, argument) for argument in arguments}
    for origin in (Origin.WRONG, Origin.UNKNOWN, Origin.CALLER):
        if origin in origins:
            return origin
    return Origin.CONSTANT if arguments else Origin.UNKNOWN


__all__ = ["PAST", "Origin", "origin_of"]
