"""A seal that hangs lets nothing out: not when the agent waits for ever, and not when it stops waiting."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late

import pytest
from pytest_invariants.catalogue.doors.seal_decides import INVARIANT
from pytest_invariants.probe.hanging import Unanswered
from pytest_invariants.probe.host import Host, Outcome
from pytest_invariants.probe.swap import swap
from pytest_invariants.probe.worlds import Fault, World
from pytest_invariants.registry.model import VerdictKind
from pytest_invariants.verdict import Reason, Verdict

from tests.catalogue import small
from tests.catalogue.small import CATEGORIES, Small, finding_of
from tests.probe.samples import seal


async def sealed_later(categories: tuple[str, ...], thread_category: str | None) -> bool:
    return bool(categories) and thread_category not in categories


class Waits(Small):
    """Async; waits for as long as it takes."""

    async def index(self) -> list[str]:  # type: ignore[override]
        return []

    async def activate(self, *names: str) -> Outcome:  # type: ignore[override]
        return Outcome(not await sealed_later(CATEGORIES[names[0]], self.category))


class GivesUp(Waits):
    """Waits an hour, and takes no answer for a no."""

    async def activate(self, *names: str) -> Outcome:  # type: ignore[override]
        try:
            async with asyncio.timeout(3600):
                return Outcome(not await sealed_later(CATEGORIES[names[0]], self.category))
        except TimeoutError:
            return Outcome(False, "nobody answers")


class GoesOnWithoutAnAnswer(Waits):
    """Waits an hour, and takes no answer for a yes."""

    async def activate(self, *names: str) -> Outcome:  # type: ignore[override]
        asked = asyncio.ensure_future(sealed_later(CATEGORIES[names[0]], self.category))
        done, waiting = await asyncio.wait({asked}, timeout=3600)
        for each in waiting:
            each.cancel()
        return Outcome(not done or not asked.result())


class Threads(Small):
    """Asks in a thread of its own, and takes no answer for a yes, or for a no."""

    opens = False

    def activate(self, *names: str) -> Outcome:
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(small.sealed, CATEGORIES[names[0]], self.category)
            try:
                return Outcome(not asked.result(timeout=0.2))
            except Late:
                return Outcome(self.opens)


class OpenThreads(Threads):
    opens = True


class TakesAnythingForAYes(Small):
    def activate(self, *names: str) -> Outcome:
        try:
            return Outcome(not self.closed(names[0]))
        except PermissionError:
            return Outcome(False)
        except BaseException:
            return Outcome(True)


@pytest.mark.parametrize(
    ("host", "function", "reason"),
    [
        (Small, "tests.catalogue.small:sealed", None),
        (Threads, "tests.catalogue.small:sealed", None),
        (Waits, f"{__name__}:sealed_later", None),
        (GivesUp, f"{__name__}:sealed_later", None),
        (GoesOnWithoutAnAnswer, f"{__name__}:sealed_later", Reason.FAILS_OPEN),
        (OpenThreads, "tests.catalogue.small:sealed", Reason.FAILS_OPEN),
        (TakesAnythingForAYes, "tests.catalogue.small:sealed", Reason.FAILS_OPEN),
    ],
)
def test_a_hanging_seal(host: type[Host], function: str, reason: Reason | None) -> None:
    finding = finding_of(INVARIANT, host, "activate", row=seal(function))
    assert finding.reason is reason, finding
    assert finding.verdict is (Verdict.REFUTED if reason else Verdict.HELD)


def test_it_is_said_that_the_seal_hangs() -> None:
    row = seal(f"{__name__}:sealed_later")
    assert "though the seal hangs" in finding_of(INVARIANT, GoesOnWithoutAnAnswer, "activate", row=row).message


@contextlib.asynccontextmanager
async def admitted(categories: tuple[str, ...], thread_category: str | None) -> AsyncIterator[None]:
    if categories and thread_category not in categories:
        raise PermissionError(categories)
    yield


def test_a_seal_that_is_entered_hangs_when_it_is_entered() -> None:
    row = seal(f"{__name__}:admitted", VerdictKind.ENTERS)

    async def enter() -> str:
        gate = admitted((), None)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(600), gate:
                return "in"
        return "given up"

    with swap(row) as swapped:
        swapped.enter(World(fault=Fault.HANGS))
        assert asyncio.run(enter()) == "given up"


def test_a_coroutine_that_nobody_ends_is_given_up() -> None:
    with swap(seal(f"{__name__}:sealed_later")) as swapped:
        swapped.enter(World(fault=Fault.HANGS))
        with pytest.raises(Unanswered, match="waits for the seal, which hangs"):
            asyncio.run(sealed_later((), None))
