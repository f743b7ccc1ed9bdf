"""What a call of a capability is about: the argument that names it, or the object that it is a deed of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.terms import Literal, Term
from pytest_invariants.flow.domain.values import ANY, Const, Dict, Obj, Sym, Tuple, Value, term_of
from pytest_invariants.program.code import FunctionInfo

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

NAMING = frozenset({"str", "bytes", "int"})
"""Types of what may name a thing."""


def subject_of(m: Analysis, info: FunctionInfo, bound: dict[str, Value]) -> Term:
    """Which argument says what is asked for: a declared relation, or the first that is not the receiver or the caller."""
    position = m.relations.get(info.reference, m.relations.get(m.capabilities.name_of(info)))
    values = list(bound.values())
    if position is not None and position < len(values):
        return term_of(values[position])
    if info.takes_receiver and values and isinstance(values[0], Obj) and m.is_owner(values[0].cls):
        return term_of(values[0])
    own = values[1:] if info.takes_receiver and values else values
    for value in own:
        if not m.is_caller(value) and not (isinstance(value, Const) and value.value is None):
            return term_of(value)
    return term_of(values[0]) if values else Literal(info.reference, "call")


def deed_of(m: Analysis, info: FunctionInfo, bound: dict[str, Value]) -> Term | None:
    """The object itself, where its method takes nothing that could name another thing: a tool that runs with its arguments."""
    receiver, *given = bound.values() if info.takes_receiver else (None,)
    if receiver is None or any(_may_name(m, value) for value in given):
        return None
    return term_of(receiver)


def _may_name(m: Analysis, value: Value) -> bool:
    match value:
        case Dict() | Tuple():
            return False
        case Const(value=held):
            return isinstance(held, str | bytes)
        case Obj():
            return m.is_owner(value.cls)
        case Sym():
            options = value.type.alternatives()
            return not value.abroad and any(t == ANY or t.name in NAMING or t.cls is not None for t in options)
        case _:
            return True


__all__ = ["deed_of", "subject_of"]
