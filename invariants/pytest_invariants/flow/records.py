"""Frozen records whose hash is computed once: values and terms are nested deeply and looked up all the time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


class Hashed:
    """Room for what is found out once about a record: its hash, and which drawn elements it speaks of."""

    __slots__ = ("_draws", "_hash")


@dataclass_transform(frozen_default=True)
def record(cls: type[T]) -> type[T]:
    """A frozen, slotted dataclass with a hash that is kept. The class derives from `Hashed`."""
    made: Any = dataclass(frozen=True, slots=True)(cls)
    plain = made.__hash__

    def cached(self: Any) -> int:
        try:
            return self._hash  # type: ignore[no-any-return]
        except AttributeError:
            value: int = plain(self)
            object.__setattr__(self, "_hash", value)
            return value

    made.__hash__ = cached
    return made  # type: ignore[no-any-return]
