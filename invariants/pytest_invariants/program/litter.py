"""Looking for what refers to itself in a circle and is used no more: seldom, while nearly all that is made is kept."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = 50_000
"""Things that are made between two searches among the youngest."""


@contextmanager
def left_lying() -> Iterator[None]:
    """While it lasts, searches are seldom: trees, values and states are hardly ever such litter, and there are many of them."""
    held = gc.get_threshold()
    gc.set_threshold(max(held[0], SELDOM) if held[0] else 0, *held[1:])
    try:
        yield
    finally:
        gc.set_threshold(*held)
