"""Calling tools through a host: what is a mistake of the host, and what comes back late."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping

import pytest
from pytest_invariants import Answer, Effect
from pytest_invariants.catalogue.calls import arguments_checked_first, write_once
from pytest_invariants.probe.agent import Agent
from pytest_invariants.probe.calls import PATIENCE, Bench
from pytest_invariants.probe.host import Facts, Host, HostError
from pytest_invariants.probe.levers import CALLS, words
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.waiting import Late
from pytest_invariants.verdict import Reason

from tests.catalogue.desk import Desk
from tests.catalogue.small import finding_of, small_registry


class SaysTrue(Desk):
    def invoke(self, tool: str, arguments: Mapping[str, object], key: str | None) -> Answer:
        return True  # type: ignore[return-value]


class TellsNames(Desk):
    def effects(self) -> list[Effect]:
        return [effect.tool for effect in super().effects()]  # type: ignore[misc]


class WritesUnknown(Desk):
    def writers(self) -> tuple[str, ...]:
        return ("pay", "post")


class SamplesText(Desk):
    def sample(self, tool: str) -> dict[str, object]:
        return "A-1"  # type: ignore[return-value]


class WantsMore(Desk):
    def invoke(self, tool: str, arguments: Mapping[str, object]) -> Answer:  # type: ignore[override]
        return super().invoke(tool, arguments, None)


@pytest.mark.parametrize(
    ("host", "words"),
    [
        (SaysTrue, "`invoke` returned True for `find`"),
        (TellsNames, "`effects` returned ('find',)"),
        (WritesUnknown, "`writers` names `post`, which `tools` does not show"),
        (SamplesText, "`sample` returned 'A-1' for `find`"),
        (WantsMore, "`WantsMore.invoke` has to take 3 arguments"),
    ],
)
def test_a_mistake_of_the_host_is_no_finding_about_the_agent(host: type[Host], words: str) -> None:
    finding = finding_of(arguments_checked_first.INVARIANT, host)
    assert finding.reason is Reason.HARNESS
    assert words in finding.message
    assert finding.remedy


@pytest.mark.parametrize(
    "make",
    [lambda: Answer("yes"), lambda: Answer(True, 3), lambda: Answer(True, "", None)],  # type: ignore[arg-type]
)
def test_an_answer_says_what_it_has_to(make: Callable[[], Answer]) -> None:
    with pytest.raises(HostError, match="Answer"):
        make()


class Brief(Desk):
    def patience(self) -> float:
        return 0.5


class ReadsOnly(Desk):
    def writers(self) -> tuple[str, ...]:
        return ()


@pytest.mark.parametrize(("host", "seconds"), [(Desk, PATIENCE), (Brief, 0.5)])
def test_a_host_says_how_long_a_call_may_take(host: type[Host], seconds: float) -> None:
    with ProbeSession(small_registry(host)).stage() as stage:
        assert Bench(stage).patience == seconds


def test_without_writers_nothing_is_written_once() -> None:
    assert "names no tool" in finding_of(write_once.INVARIANT, ReadsOnly).message


class Slow(Host):
    def open(self, facts: Facts) -> None:
        self.gate = threading.Event()

    async def forever(self) -> None:
        await asyncio.Event().wait()

    def blocked(self) -> None:
        self.gate.wait()

    async def raising(self) -> None:
        raise TimeoutError("its own")


def test_what_does_not_come_back_is_late_whether_or_not_it_is_awaited() -> None:
    agent = Agent(Slow())
    agent.open(Facts())
    for name in ("forever", "blocked"):
        with pytest.raises(Late):
            agent.call_within(0.02, name)
    with pytest.raises(TimeoutError, match="its own"):
        agent.call_within(5, "raising")
    agent.host.gate.set()  # type: ignore[attr-defined]
    agent.close()


def test_every_lever_of_calls_has_words() -> None:
    assert all(words(lever, "notes", "error") for lever in CALLS)
