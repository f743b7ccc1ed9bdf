"""One stand-in for a function of an agent that several hosts may watch at once; the last that leaves puts it back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
Listener = Callable[[T], object]
MARK = "__watch__"
"""The attribute of a stand-in that holds its watch."""


class Watch(Generic[T]):
    """Who hears of what happens at one place. `put_back` is called when nobody listens any more."""

    def __init__(self, put_back: Callable[[], object]) -> None:
        self._put_back = put_back
        self._listeners: list[Listener[T]] = []

    def join(self, listener: Listener[T]) -> Callable[[], None]:
        """Listen from now on, until what is returned is called."""
        self._listeners.append(listener)
        return lambda: self._leave(listener)

    def tell(self, what: T) -> None:
        for listener in list(self._listeners):
            listener(what)

    def _leave(self, listener: Listener[T]) -> None:
        self._listeners.remove(listener)
        if not self._listeners:
            self._put_back()
