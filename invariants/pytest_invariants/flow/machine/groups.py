"""Groups of exceptions, and the parts of them that `except*` takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.terms import Applied, Term
from pytest_invariants.flow.domain.values import NO_LABELS, Sym, Type, Value, term_of
from pytest_invariants.flow.machine.machine import Arguments, Raised
from pytest_invariants.flow.seal.granting import deep_labels
from pytest_invariants.program.code import ClassInfo

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

GROUPS = ("builtins.ExceptionGroup", "builtins.BaseExceptionGroup")


def made(m: Analysis, path: str, arguments: Arguments, state: State) -> Value:
    """`ExceptionGroup(message, exceptions)`: its arguments are the exceptions, where all of them are known."""
    from pytest_invariants.flow.containers.drawing import unrolled

    labels = NO_LABELS.union(*(deep_labels(m, value, state, objects=True) for value in arguments.every()))
    given = arguments.positional[1:2] or tuple(v for n, v in arguments.keywords if n == "exceptions")
    members = unrolled(m, given[0], state) if given else None
    return Sym(labels, Applied(path, tuple(term_of(one) for one in members or ())), Type(path))


def taken(m: Analysis, one: Raised, takes: Callable[[Raised], bool | None]) -> bool | None:
    """Whether `except*` takes the group: all of it, none of it, or (None) perhaps, or a part."""
    if one.cls not in GROUPS:
        return takes(one)
    members = _members(m, term_of(one.value)) if one.value is not None else None
    if not members:  # what it holds is not known
        return takes(one) or None
    told = {takes(replace(one, cls=cls)) for cls in members}
    return told.pop() if len(told) == 1 else None


def _members(m: Analysis, group: Term) -> list[ClassInfo | str] | None:
    """The classes of what a group holds; None where one of them is not known."""
    found: list[ClassInfo | str] = []
    for term in group.arguments if isinstance(group, Applied) else ():
        cls = m.class_of.get(term)
        if cls is not None:
            found.append(cls)
        elif isinstance(term, Applied) and term.function.startswith("builtins.") and term.function not in GROUPS:
            found.append(term.function)
        else:
            return None
    return found
