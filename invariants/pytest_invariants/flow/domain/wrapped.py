"""Functions under decorators, bindings and partials."""

from __future__ import annotations

from pytest_invariants.flow.domain.values import Bound, Descriptor, Func, Partial, Value, Wrapped


def innermost(value: Value) -> Value:
    """What is called in the end where this is called."""
    while isinstance(value, Bound | Partial | Wrapped):
        value = value.function
    return value


def plain_function(value: Value) -> Func | None:
    """The function as written, under all wrappers."""
    while isinstance(value, Bound | Wrapped | Descriptor | Partial):
        value = value.function
    return value if isinstance(value, Func) else None
