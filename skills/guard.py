"""The contract that every call of a tool is held to: identity, arguments, one effect a key, and an end in time."""

from __future__ import annotations

import queue
import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from skills.once import OnceRecord
from skills.results import Code, ToolResult, failed
from skills.validation import argument_problem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from skills.context import ExecutionContext
    from skills.model import Tool

READ_SECONDS = 3.0
"""A read that has no answer by then has failed. It is not tried again."""
WRITE_SECONDS = 10.0
"""A write gets longer, since giving up on it leaves open whether it took effect. It is never tried again."""
HANGING = 2
"""How many calls of one tool may hang before further ones fail at once: so no tool uses up the threads."""

Ending = ToolResult | BaseException


@dataclass(slots=True)
class _Call:
    """A call under way: where its end arrives, and whether somebody still waits for it."""

    end: queue.SimpleQueue[Ending] = field(default_factory=queue.SimpleQueue)
    given_up: bool = False
    over: bool = False


class Guard:
    """Runs tools under the contract. One per agent; the time limits are seconds."""

    def __init__(self, read_seconds: float = READ_SECONDS, write_seconds: float = WRITE_SECONDS) -> None:
        self._read_seconds = read_seconds
        self._write_seconds = write_seconds
        self._hanging: Counter[str] = Counter()
        self._calls: list[_Call] = []
        self._lock = threading.Lock()

    def run(self, tool: Tool, context: ExecutionContext, arguments: Mapping[str, object]) -> ToolResult:
        """Run a tool to its end or to its limit. Expected failures are results.

        Raises:
            Exception: whatever the tool raises that is no failure of something downstream: a programming error.
        """
        refused = _refused(tool, context, arguments) or self._too_many(tool)
        if refused is not None:
            return refused
        if not tool.writes:
            return self._bounded(tool, context, arguments)
        key = f"{context.identity.tenant}/{context.session}/{context.key}"
        record = OnceRecord(context.store.path, context.store.durable)
        return record.run(key, tool.name, arguments, lambda: self._bounded(tool, context, arguments))

    def limit(self, tool: Tool) -> float:
        """How many seconds a call of this tool may take."""
        return self._write_seconds if tool.writes else self._read_seconds

    def interrupt(self) -> None:
        """End the waiting for every call that is under way; each gives the result INTERRUPTED."""
        with self._lock:
            for call in self._calls:
                call.end.put(failed(Code.INTERRUPTED, "Interrupted by the user."))

    def _too_many(self, tool: Tool) -> ToolResult | None:
        with self._lock:
            if self._hanging[tool.name] < HANGING:
                return None
        return failed(Code.DOWNSTREAM_TIMEOUT, f"{tool.name} hangs in earlier calls: try again later.")

    def _bounded(self, tool: Tool, context: ExecutionContext, arguments: Mapping[str, object]) -> ToolResult:
        """A thread of its own for each call: what hangs holds up nobody else, and does not keep the process alive."""
        call = _Call()
        with self._lock:
            self._calls.append(call)
        threading.Thread(target=self._work, args=(call, tool, context, arguments), daemon=True).start()
        end = self._end_of(call, tool)
        with self._lock:
            self._calls.remove(call)
            call.given_up = not call.over
            self._hanging[tool.name] += call.given_up
        if isinstance(end, BaseException):
            raise end
        return end

    def _end_of(self, call: _Call, tool: Tool) -> Ending:
        seconds = self.limit(tool)
        try:
            return call.end.get(timeout=seconds)
        except queue.Empty:
            doubt = " Whether it took effect is not known: look before you repeat it." if tool.writes else ""
            return failed(Code.DOWNSTREAM_TIMEOUT, f"{tool.name} did not answer within {seconds:g} s.{doubt}")

    def _work(self, call: _Call, tool: Tool, context: ExecutionContext, arguments: Mapping[str, object]) -> None:
        end = _ended(tool, context, arguments)
        with self._lock:
            call.over = True
            self._hanging[tool.name] -= call.given_up
        call.end.put(end)


def _refused(tool: Tool, context: ExecutionContext, arguments: Mapping[str, object]) -> ToolResult | None:
    """What ends a call before it begins; None where nothing does."""
    if tool.needs_identity and context.identity.user is None:
        return failed(Code.NO_IDENTITY, "Nobody has been identified in this session: ask the user to sign in first.")
    problem = argument_problem(tool.parameters, arguments)
    if problem is not None:
        return failed(Code.BAD_ARGUMENT, problem)
    if tool.writes and not context.key:
        return failed(Code.BAD_ARGUMENT, f"{tool.name} writes: the call needs an idempotency key.")
    return None


def _ended(tool: Tool, context: ExecutionContext, arguments: Mapping[str, object]) -> Ending:
    """How the tool's function ends. What failed downstream is a result; anything else goes on in the waiting thread."""
    try:
        return tool.function(context, arguments)
    except TimeoutError as error:
        return failed(Code.DOWNSTREAM_TIMEOUT, f"{tool.name}: {error}")
    except OSError as error:
        return failed(Code.DOWNSTREAM_ERROR, f"{tool.name}: {error}")
    except BaseException as error:
        return error
