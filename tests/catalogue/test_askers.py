"""seal-decides with two who ask: in turn, and one in the middle of the other's turn."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Mapping
from dataclasses import replace

import pytest
from pytest_invariants.catalogue.doors.seal_decides import INVARIANT
from pytest_invariants.probe import askers
from pytest_invariants.probe.host import Facts, Host, Outcome
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.registry.model import Cache, Reference
from pytest_invariants.verdict import Finding, Reason, Verdict

from tests.catalogue import small
from tests.catalogue.small import CATEGORIES, Small, finding_of, small_registry
from tests.probe.samples import AT, seal


class Shared:
    """What two threads of one agent have in common."""

    verdict = False
    category: str | None = None

    def __init__(self) -> None:
        self.lock = threading.Lock()


class Threads(Small):
    """Honest: what belongs to one thread is kept in it."""

    shared: Shared

    def open(self, facts: Facts) -> None:
        super().open(facts)
        self.shared = Shared()

    def beside(self, facts: Facts) -> Host:
        other = type(self)()
        other.open(facts)
        other.shared = self.shared
        return other


class CurrentIsGlobal(Small):
    """Who asks is whoever opened last."""

    current: Mapping[str, str | None] = {}

    def open(self, facts: Facts) -> None:
        super().open(facts)
        CurrentIsGlobal.current = {"category": facts.category}

    def closed(self, skill: str) -> bool:
        return small.sealed(CATEGORIES[skill], self.current["category"])

    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        return {"categories": CATEGORIES[skill], "thread_category": self.category}


class AsksAgainForWhoeverIsThere(Threads):
    """The second question of a turn is asked on behalf of the thread that came last."""

    def index(self) -> list[str]:
        self.shared.category = self.category
        return [skill for skill in self.skills if not small.sealed(CATEGORIES[skill], self.shared.category)]


class OneAtATime(Threads):
    """Turns wait for each other, so none is in the middle of another."""

    def activate(self, *names: str) -> Outcome:
        with self.shared.lock:
            return super().activate(*names)


def test_threads_that_keep_apart_hold() -> None:
    for surface in ("index", "activate"):
        finding = finding_of(INVARIANT, Threads, surface)
        assert finding.verdict is Verdict.HELD, finding
        assert "not tried" not in finding.message


@pytest.mark.parametrize(
    ("host", "surface", "said"),
    [
        (CurrentIsGlobal, "index", "asked with thread_category='office' and yes to the rest"),
        (AsksAgainForWhoeverIsThere, "index", "asked with thread_category='office' and yes to the rest"),
    ],
)
def test_threads_that_get_each_others_answers_fall(host: type[Host], surface: str, said: str) -> None:
    finding = finding_of(INVARIANT, host, surface)
    assert finding.verdict is Verdict.REFUTED, finding
    assert said in finding.message


def test_the_script_tells_of_the_other_thread() -> None:
    notes = [step.note for step in finding_of(INVARIANT, AsksAgainForWhoeverIsThere, "index").trace]
    assert "a second thread of the same agent opens with category 'home'" in notes
    assert "in the middle of one turn another is made, of category 'home'" in notes


async def sealed_later(categories: tuple[str, ...], thread_category: str | None) -> bool:
    await asyncio.sleep(0)
    return bool(categories) and thread_category not in categories


class Tasks(Threads):
    async def index(self) -> list[str]:  # type: ignore[override]
        return [skill for skill in self.skills if not await self.later(skill)]

    async def activate(self, *names: str) -> Outcome:  # type: ignore[override]
        return Outcome(not await self.later(names[0]))

    async def later(self, skill: str) -> bool:
        return await sealed_later(CATEGORIES[skill], self.category)


class TasksShareTheVerdict(Tasks):
    async def activate(self, *names: str) -> Outcome:  # type: ignore[override]
        self.shared.verdict = await self.later(names[0])
        await asyncio.sleep(0)
        return Outcome(not self.shared.verdict)


class TasksShareThePrincipal(Tasks):
    async def later(self, skill: str) -> bool:
        self.shared.category = self.category
        await asyncio.sleep(0)
        return await sealed_later(CATEGORIES[skill], self.shared.category)


class AsksAtOnce(Tasks):
    """Async, with a seal that is not."""

    async def later(self, skill: str) -> bool:
        return self.closed(skill)


class AsksAtOnceForWhoeverIsThere(Tasks):
    async def later(self, skill: str) -> bool:
        self.shared.category = self.category
        await asyncio.sleep(0)
        return small.sealed(CATEGORIES[skill], self.shared.category)


LATER = f"{__name__}:sealed_later"
NOW = "tests.catalogue.small:sealed"


def found(host: type[Host], function: str) -> Finding:
    return finding_of(INVARIANT, host, "activate", row=seal(function))


@pytest.mark.parametrize(
    ("host", "function", "verdict"),
    [
        (Tasks, LATER, Verdict.HELD),
        (AsksAtOnce, NOW, Verdict.HELD),
        (TasksShareTheVerdict, LATER, Verdict.REFUTED),
        (TasksShareThePrincipal, LATER, Verdict.REFUTED),
        (AsksAtOnceForWhoeverIsThere, NOW, Verdict.REFUTED),
    ],
)
def test_tasks_on_one_loop(host: type[Host], function: str, verdict: Verdict) -> None:
    finding = found(host, function)
    assert finding.verdict is verdict, finding
    assert "not tried" not in finding.message


class OneFact(Small):
    facts = (Facts(category="office"),)


class NoPrincipal(Small):
    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        return {"categories": CATEGORIES[skill]}


class OtherSubjects(Threads):
    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        return {"categories": [*CATEGORIES[skill], str(self.category)], "thread_category": self.category}

    def closed(self, skill: str) -> bool:
        return small.sealed((*CATEGORIES[skill], str(self.category)), self.category)


@pytest.mark.parametrize(
    ("host", "said"),
    [
        (Small, "two turns at once were not tried: the host has no `beside`"),
        (OneFact, "two askers were not tried: under all of the host's facts the same one asks"),
        (NoPrincipal, "two askers were not tried: `seal_arguments` does not name the principal"),
        (OtherSubjects, "two askers were not tried: `seal_arguments` names other subjects for the second asker"),
    ],
)
def test_what_was_not_tried_is_said(host: type[Host], said: str) -> None:
    finding = finding_of(INVARIANT, host, "activate")
    assert finding.verdict is Verdict.HELD, finding
    assert said in finding.message


def test_turns_that_wait_for_each_other_are_not_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(askers, "LIMIT", 0.05)
    finding = finding_of(INVARIANT, OneAtATime, "activate")
    assert finding.verdict is Verdict.HELD, finding


class OneThreadOnly(Threads):
    """Its connection belongs to the thread that opened it."""

    def open(self, facts: Facts) -> None:
        super().open(facts)
        self.opened_in = threading.get_ident()

    def activate(self, *names: str) -> Outcome:
        if threading.get_ident() != self.opened_in:
            raise RuntimeError("opened in another thread")
        return super().activate(*names)


@functools.lru_cache
def remembered(skill: str, category: str | None) -> bool:
    return small.sealed(CATEGORIES[skill], category)


class Remembers(Threads):
    """Right where it is declared, as the key holds the subject and the principal."""

    def closed(self, skill: str) -> bool:
        return remembered(skill, self.category)


def test_turns_that_cannot_meet_are_said() -> None:
    finding = finding_of(INVARIANT, OneThreadOnly, "activate")
    assert finding.verdict is Verdict.HELD, finding
    assert "two turns at once do not work even while all is allowed: `activate` does not let out" in finding.message


def test_a_declared_cache_keeps_the_seal_from_being_asked() -> None:
    rows = small_registry(Remembers)
    declared = (Cache(Reference(__name__, "remembered"), ("subject", "principal"), AT),)
    assert INVARIANT.play is not None
    finding = INVARIANT.play(ProbeSession(replace(rows, caches=declared)), rows.surfaces[1])
    assert finding.verdict is Verdict.HELD, finding
    assert "two turns at once were not tried: the seal is not asked on the way to `activate`" in finding.message
    remembered.cache_clear()


class BesideIsNoHost(Threads):
    def beside(self, facts: Facts) -> Host:
        return "a thread"  # type: ignore[return-value]


def test_a_second_thread_has_to_be_a_host() -> None:
    finding = finding_of(INVARIANT, BesideIsNoHost, "activate")
    assert finding.reason is Reason.HARNESS
    assert "`beside` returned 'a thread'" in finding.message
    assert finding.remedy == "return a Host whose agent is open"
