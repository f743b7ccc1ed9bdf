"""Whether a function would ask the seal, had anybody run it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.values import Thunk, Value
from pytest_invariants.flow.domain.wrapped import plain_function

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis
    from pytest_invariants.program.code import FunctionInfo


def would_ask(m: Analysis, value: Value | None) -> bool:
    """By the names that it and its callees mention: good enough to word a refutation, never used for a proof."""
    inner = plain_function(value) if value is not None else None
    return inner is not None and asks(m, inner.info)


def may_ask(m: Analysis, value: Value) -> bool:
    """The same of a call that is pending; where it does not, its body need not be followed path by path."""
    inner = plain_function(value.function) if isinstance(value, Thunk) else None
    if inner is None:
        return False
    if inner.info not in m.asking:
        m.asking[inner.info] = asks(m, inner.info)
    return m.asking[inner.info]


def asks(m: Analysis, info: FunctionInfo) -> bool:
    known = m.by_name_asks
    if info not in known:
        known[info] = _asks(m, info, set())
    return known[info]


def _asks(m: Analysis, info: FunctionInfo, seen: set[FunctionInfo]) -> bool:
    if info in m.seal.functions:
        return True
    if info in seen or len(seen) > 200:
        return False
    seen.add(info)
    return any(i in m.seal.functions or _asks(m, i, seen) for i in m.meant_in(info))
