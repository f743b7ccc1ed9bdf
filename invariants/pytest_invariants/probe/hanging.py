"""A seal that hangs: time goes by, and no answer comes.

On an event loop time is made to go by, so that the agent's own time limits run out at once. In a thread of the agent it
goes by for real, and not for long. Where nobody else could end the waiting, the question is given up.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

LEAPS = tuple(0.1 * 2**leap for leap in range(18))
"""Seconds that the event loop's clock is put forward by, one after the other: about seven hours in all."""
TURNS = 20
"""Turns that everything else on the loop gets after each leap."""
PATIENCE = 0.5
"""Seconds that a thread of the agent waits."""


class Unanswered(BaseException):
    """The seal has not answered, and whoever asked waits for ever. No handler of errors may take it for an answer."""

    def __str__(self) -> str:
        return "it waits for the seal, which hangs"


class Clock:
    """The clock of an event loop, put forward."""

    def __init__(self, before: Callable[[], float]) -> None:
        self._before = before
        self.ahead = 0.0

    def __call__(self) -> float:
        return self._before() + self.ahead


def hang_now(asker: int) -> None:
    """Hang a function. In the probe's own thread, `asker`, nobody is left to hear of a time limit."""
    if threading.get_ident() != asker:
        threading.Event().wait(PATIENCE)
    raise Unanswered


async def hang_later() -> None:
    """Hang a coroutine until somebody cancels it, or seven hours are over."""
    clock = _clock_of(asyncio.get_running_loop())
    for leap in LEAPS:
        if clock is not None:
            clock.ahead += leap
        for _ in range(TURNS):
            await asyncio.sleep(0)
    if clock is None:
        await asyncio.sleep(PATIENCE)
    raise Unanswered


def _clock_of(loop: asyncio.AbstractEventLoop) -> Clock | None:
    """None for a loop whose clock cannot be put forward."""
    if isinstance(loop.time, Clock):
        return loop.time
    clock = Clock(loop.time)
    try:
        loop.time = clock  # type: ignore[method-assign]
    except AttributeError:
        return None
    return clock
