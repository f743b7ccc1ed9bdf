"""A verdict that is found in a process of its own, while this one finds another."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import NoReturn


class Beside:
    """Starts at once. Where processes cannot be forked there is nothing to start, and `result` gives None."""

    def __init__(self, find: Callable[[], bytes]) -> None:
        self._process = 0
        if not hasattr(os, "fork"):
            return
        self._pipe, writing = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            os.close(self._pipe)
            _answer(find, writing)
        os.close(writing)

    def result(self) -> bytes | None:
        """Wait for what was found; None where the process has failed, so that it is done again and the failure is seen."""
        if not self._process:
            return None
        with open(self._pipe, "rb") as file:
            said = file.read()
        failed = os.waitpid(self._process, 0)[1]
        self._process = 0
        return None if failed else said

    def stop(self) -> None:
        """It is not needed any more; what it has laid out it removes."""
        if self._process:
            os.close(self._pipe)
            os.kill(self._process, signal.SIGTERM)
            os.waitpid(self._process, 0)
            self._process = 0


def _answer(find: Callable[[], bytes], writing: int) -> NoReturn:
    """In the child: write what is found, and leave without running what the parent has to run at its end."""
    status = 1
    try:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        os.nice(5)  # it may turn out not to be needed
        with open(writing, "wb") as file:
            file.write(find())
        status = 0
    except BaseException:  # the parent does it again, and tells of it
        status = 1
    finally:
        os._exit(status)
