"""Shuffles the order in which folders are listed: what a file system gives in another order on another machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from types import TracebackType
from typing import Any


class Entries:
    """What `os.scandir` returns: an iterator that can be closed, and that is its own context manager."""

    def __init__(self, entries: list[Any]) -> None:
        self._entries = iter(entries)

    def __iter__(self) -> Entries:
        return self

    def __next__(self) -> Any:
        return next(self._entries)

    def close(self) -> None:
        self._entries = iter(())

    def __enter__(self) -> Entries:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()


@contextmanager
def shuffled_folders(seed: int) -> Iterator[None]:
    """`os.listdir`, `os.scandir`, and all that is built on them, list in an order of this seed; 0 leaves them alone.

    Only for a process of one's own: it changes the `os` module.
    """
    if not seed:
        yield
        return
    listdir, scandir = os.listdir, os.scandir

    def other_listdir(*args: Any) -> list[Any]:
        names = sorted(listdir(*args))
        Random(seed).shuffle(names)
        return names

    def other_scandir(*args: Any) -> Entries:
        with scandir(*args) as found:
            entries = sorted(found, key=lambda entry: entry.name)
        Random(seed).shuffle(entries)
        return Entries(entries)

    os.listdir, os.scandir = other_listdir, other_scandir  # type: ignore[assignment]
    try:
        yield
    finally:
        os.listdir, os.scandir = listdir, scandir
