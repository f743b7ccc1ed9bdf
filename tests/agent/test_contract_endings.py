"""However a tool ends, the turn goes on: expected failures are results, and one hanging tool holds up nobody."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from skills.context import ExecutionContext
from skills.guard import HANGING, READ_SECONDS, Guard
from skills.model import Arguments, Tool, ToolFunction
from skills.results import Code, ToolResult, done
from skills.store import Store

INSTANT = 0.01
ANYTHING = {"type": "object"}


@pytest.fixture
def context(tmp_path: Path) -> ExecutionContext:
    return ExecutionContext(Store(tmp_path / "effects.db"), "session", key="key", guard=Guard(INSTANT, INSTANT))


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """Lets the hanging tools of a test go when it is over."""
    event = threading.Event()
    yield event
    event.set()


def tool(function: ToolFunction, name: str = "probe", writes: bool = False) -> Tool:
    return Tool(name, "", ANYTHING, function, writes=writes)


class Hanging:
    """A tool's function that does not come back before the test is over; it can tell how often it was begun."""

    def __init__(self, release: threading.Event) -> None:
        self._release = release
        self._begun: queue.SimpleQueue[bool] = queue.SimpleQueue()

    def __call__(self, _context: ExecutionContext, _arguments: Arguments) -> ToolResult:
        self._begun.put(True)
        self._release.wait()
        return done("late")

    def began(self, times: int) -> bool:
        """Exactly so often; a thread that was started gets the time to begin."""
        return all(self._begun.get(timeout=2) for _ in range(times)) and self._begun.empty()


def raising(error: BaseException) -> ToolFunction:
    def fail(_context: ExecutionContext, _arguments: Arguments) -> ToolResult:
        raise error

    return fail


def test_the_codes() -> None:
    assert [code.value for code in Code] == [
        "OK",
        "NO_IDENTITY",
        "BAD_ARGUMENT",
        "DOWNSTREAM_TIMEOUT",
        "DOWNSTREAM_ERROR",
        "INTERRUPTED",
        "UNKNOWN",
    ]


def test_a_result_says_success_code_message_and_data() -> None:
    fields = {"success": True, "code": "OK", "message": "kept", "data": {"note": 1}}
    assert json.loads(done("kept", {"note": 1}).to_json()) == fields
    assert ToolResult.from_json(done("kept", [1]).to_json()) == done("kept", [1])


def test_a_read_has_three_seconds() -> None:
    assert READ_SECONDS == 3.0


def test_a_read_that_hangs_times_out_and_is_not_tried_again(
    context: ExecutionContext, release: threading.Event
) -> None:
    hanging = Hanging(release)
    assert tool(hanging).invoke(context, {}).code is Code.DOWNSTREAM_TIMEOUT
    assert hanging.began(1)


def test_a_write_that_hangs_says_that_its_effect_is_not_known_and_is_not_tried_again(
    context: ExecutionContext, release: threading.Event
) -> None:
    hanging = Hanging(release)
    result = tool(hanging, writes=True).invoke(context, {})
    assert result.code is Code.DOWNSTREAM_TIMEOUT
    assert "Whether it took effect is not known" in result.message
    assert tool(hanging, writes=True).invoke(context, {}) == result
    assert hanging.began(1)


def test_a_hanging_tool_does_not_use_up_the_threads(context: ExecutionContext, release: threading.Event) -> None:
    hanging = Hanging(release)
    results = [tool(hanging).invoke(context, {}) for _ in range(HANGING + 5)]
    assert {result.code for result in results} == {Code.DOWNSTREAM_TIMEOUT}
    assert hanging.began(HANGING)
    assert "hangs in earlier calls" in results[-1].message


def test_other_tools_go_on_beside_it(context: ExecutionContext, release: threading.Event) -> None:
    for _ in range(HANGING + 1):
        tool(Hanging(release), "stuck").invoke(context, {})
    patient = replace(context, guard=Guard())
    assert tool(lambda _c, _a: done("fine"), "other").invoke(patient, {}).success


def test_calls_that_are_under_way_are_no_hanging_calls(context: ExecutionContext) -> None:
    patient = replace(context, guard=Guard())
    together = threading.Barrier(HANGING + 3)

    def meet(_context: ExecutionContext, _arguments: Arguments) -> ToolResult:
        together.wait(timeout=2)
        return done("met")

    results: list[ToolResult] = []
    work = partial(tool(meet).invoke, patient, {})
    calls = [threading.Thread(target=lambda: results.append(work())) for _ in range(together.parties)]
    for call in calls:
        call.start()
    for call in calls:
        call.join()
    assert [result.success for result in results] == [True] * (HANGING + 3)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (TimeoutError("no answer"), Code.DOWNSTREAM_TIMEOUT),
        (ConnectionRefusedError("no one there"), Code.DOWNSTREAM_ERROR),
        (OSError("disk"), Code.DOWNSTREAM_ERROR),
    ],
)
def test_what_fails_downstream_is_a_result(context: ExecutionContext, error: OSError, code: Code) -> None:
    result = tool(raising(error)).invoke(replace(context, guard=Guard()), {})
    assert (result.success, result.code) == (False, code)
    assert str(error) in result.message


def test_a_programming_error_is_an_exception(context: ExecutionContext) -> None:
    with pytest.raises(ZeroDivisionError):
        tool(raising(ZeroDivisionError())).invoke(replace(context, guard=Guard()), {})


def test_an_interruption_is_a_result(context: ExecutionContext, release: threading.Event) -> None:
    guard = Guard()

    def interrupted(_context: ExecutionContext, _arguments: Arguments) -> ToolResult:
        guard.interrupt()
        release.wait()
        return done("late")

    assert tool(interrupted).invoke(replace(context, guard=guard), {}).code is Code.INTERRUPTED
