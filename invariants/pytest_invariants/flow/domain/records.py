"""Frozen records whose hash is computed once: values and terms are nested deeply and looked up all the time."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


class Hashed:
    """Room for what is found out once about a record: its hash, which drawn elements it speaks of, what it is made of,
    what it is called."""

    __slots__ = ("_drawn", "_draws", "_hash", "_made_from", "_named", "_parts")
    _drawn: frozenset[Any]
    _made_from: frozenset[Any]
    _named: Any
    _parts: frozenset[Any]


class Shared(Hashed):
    """Records of which two that are equal are the same in every respect: from then on they have their parts in common, and are
    compared at once."""

    __slots__ = ()


@dataclass_transform(frozen_default=True)
def record(cls: type[T]) -> type[T]:
    """A slotted dataclass with a hash that is kept, and compared by it first. The class derives from `Hashed`.

    It is frozen for who checks types; a record that is made so often is not checked while it is."""
    made: Any = dataclass(slots=True, unsafe_hash=True)(cls)
    plain = made.__hash__

    def cached(self: Any) -> int:
        try:
            return self._hash  # type: ignore[no-any-return]
        except AttributeError:
            value: int = plain(self)
            object.__setattr__(self, "_hash", value)
            return value

    equal = made.__eq__
    shared = tuple(field.name for field in fields(made)) if issubclass(cls, Shared) else ()

    def compared(self: Any, other: Any) -> bool:
        if self is other:
            return True
        if self.__class__ is not other.__class__:
            return False
        try:
            if self._hash != other._hash:
                return False
        except AttributeError:
            pass
        same: bool = equal(self, other)
        if same and shared:
            for name in shared:
                object.__setattr__(self, name, getattr(other, name))
        return same

    made.__hash__, made.__eq__ = cached, compared
    return made  # type: ignore[no-any-return]
