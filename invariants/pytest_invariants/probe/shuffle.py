"""Shuffles the order in which folders are listed: what a file system gives in another order on another machine."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from random import Random
from types import TracebackType
from typing import Any
from unittest.mock import patch


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

    with ExitStack() as stack:
        stack.enter_context(patch.object(os, "listdir", other_listdir))
        stack.enter_context(patch.object(os, "scandir", other_scandir))
        for holder in _holders(scandir):
            stack.enter_context(patch.object(holder, "scandir", staticmethod(other_scandir)))
        yield


def _holders(scandir: object) -> list[type]:
    """Classes of the standard library's `glob` that took hold of `os.scandir` when they were made (Python 3.13)."""
    classes = [each for each in vars(glob).values() if isinstance(each, type)]
    return [each for each in classes if getattr(vars(each).get("scandir"), "__func__", None) is scandir]
