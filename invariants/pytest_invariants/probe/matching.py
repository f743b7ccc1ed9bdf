"""Which skill a call of the seal is about: the host's expected arguments against those that were given."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from pytest_invariants.probe.host import Where


def fits(expected: Mapping[str, object], given: Mapping[str, object]) -> bool:
    """Whether every expected value that the call has is the given one; a call that has none of them fits nothing."""
    shared = [name for name in expected if name in given]
    return bool(shared) and all(same(expected[name], given[name]) for name in shared)


def same(expected: object, given: object) -> bool:
    """Equal; lists, tuples and sets by their elements, `Where` by its predicate."""
    if isinstance(expected, Where):
        with suppress(Exception):
            return bool(expected.holds(given))
        return False
    if expected is given:
        return True
    if isinstance(expected, list | tuple) and isinstance(given, list | tuple):
        return list(expected) == list(given)
    if isinstance(expected, set | frozenset) or isinstance(given, set | frozenset):
        return _is_group(expected) and _is_group(given) and _as_set(expected) == _as_set(given)
    return bool(expected == given)


def _is_group(value: object) -> bool:
    return isinstance(value, list | tuple | set | frozenset)


def _as_set(group: Any) -> frozenset[object]:
    return frozenset(group)


def reshaped(kept: list[Any], subject: Any, shape: object) -> object:
    """The elements that were kept, in a container like `shape` (a dictionary takes its values from the subject)."""
    if isinstance(shape, dict):
        return {key: subject[key] for key in kept} if isinstance(subject, dict) else dict(kept)
    return type(shape)(kept) if isinstance(shape, list | tuple | set | frozenset) else kept
