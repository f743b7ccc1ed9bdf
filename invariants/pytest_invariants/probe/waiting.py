"""Waiting for what may never come back: in a thread of its own, and for so long."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


class Late(Exception):
    """Something has not come back in time."""


@dataclass(frozen=True, slots=True)
class _End(Generic[T]):
    value: T | None = None
    error: BaseException | None = None


def within(seconds: float, work: Callable[[], T]) -> T:
    """What the work returns; whatever it raises is raised here.

    :raises Late: where it has not come back by then. It goes on in its thread, which does not keep the process alive.
    """
    ends: queue.SimpleQueue[_End[T]] = queue.SimpleQueue()
    threading.Thread(target=lambda: ends.put(_ended(work)), daemon=True).start()
    try:
        end = ends.get(timeout=seconds)
    except queue.Empty:
        raise Late(f"it has not come back within {seconds:g} s") from None
    if end.error is not None:
        raise end.error
    return end.value  # type: ignore[return-value]


def _ended(work: Callable[[], T]) -> _End[T]:
    try:
        return _End(work())
    except BaseException as error:
        return _End(error=error)
