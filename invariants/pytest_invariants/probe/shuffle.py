"""Shuffles what comes in another order on another machine: listed folders, and the ends of concurrent work."""

from __future__ import annotations

import asyncio
import glob
import inspect
import os
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from random import Random
from types import TracebackType
from typing import Any
from unittest.mock import patch

LATEST = 0.02
"""Seconds by which a task or a thread begins later, at most."""
DELAYED = 100
"""Tasks and threads that are delayed at all, so that an agent that makes many does not take long."""


@contextmanager
def shuffled(seed: int) -> Iterator[None]:
    """Folders are listed, and concurrent work ends, in an order of this seed; 0 leaves both alone.

    Only for a process of one's own: it changes what the standard library does.
    """
    with shuffled_folders(seed), shuffled_ends(seed):
        yield


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


@contextmanager
def shuffled_ends(seed: int) -> Iterator[None]:
    """Tasks of event loops, and functions in pools of threads, begin a little later, each by another time."""
    if not seed:
        yield
        return
    create_task, submit = asyncio.BaseEventLoop.create_task, ThreadPoolExecutor.submit
    delays = _delays(seed)

    def other_create_task(loop: asyncio.BaseEventLoop, coro: Any, **options: Any) -> Any:
        late = _late(coro, next(delays)) if inspect.iscoroutine(coro) else coro
        return create_task(loop, late, **options)

    def other_submit(pool: ThreadPoolExecutor, function: Callable[..., Any], /, *args: Any, **more: Any) -> Future[Any]:
        seconds = next(delays)

        def late() -> Any:
            time.sleep(seconds)
            return function(*args, **more)

        return submit(pool, late)

    with ExitStack() as stack:
        stack.enter_context(patch.object(asyncio.BaseEventLoop, "create_task", other_create_task))
        stack.enter_context(patch.object(ThreadPoolExecutor, "submit", other_submit))
        yield


def _delays(seed: int) -> Iterator[float]:
    draws = Random(seed)
    yield from (draws.uniform(0, LATEST) for _ in range(DELAYED))
    while True:
        yield 0.0


async def _late(coro: Coroutine[Any, Any, Any], seconds: float) -> Any:
    try:
        await asyncio.sleep(seconds)
    except BaseException:
        coro.close()
        raise
    return await coro
