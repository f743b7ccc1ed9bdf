"""seal-decides: each mutant is caught for its own reason, and each honest twin passes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest
from pytest_invariants.catalogue.doors.seal_decides import INVARIANT
from pytest_invariants.probe.host import Facts, Host, Outcome
from pytest_invariants.verdict import Finding, Reason, Verdict

from tests.catalogue import small
from tests.catalogue.small import CATEGORIES, Small, finding_of
from tests.probe.samples import seal


@pytest.mark.parametrize("surface", ["index", "activate"])
def test_an_honest_agent_holds(surface: str) -> None:
    finding = finding_of(INVARIANT, Small, surface)
    assert finding.verdict is Verdict.HELD, finding
    assert finding.surface == surface


class NeverAsks(Small):
    def activate(self, *names: str) -> Outcome:
        return Outcome(True)


class LooksAlike(Small):
    """Decides with a copy of the seal."""

    def activate(self, *names: str) -> Outcome:
        return Outcome(not any(CATEGORIES[name] and self.category not in CATEGORIES[name] for name in names))


class AsksAndForgets(Small):
    def activate(self, *names: str) -> Outcome:
        self.closed(names[0])
        return Outcome(True)


class AlwaysRefuses(Small):
    def activate(self, *names: str) -> Outcome:
        return Outcome(False, "not today")


class AsksAboutTheFirst(Small):
    def activate(self, *names: str) -> Outcome:
        return Outcome(not self.closed(self.skills[0]))


class AsksAboutNothing(Small):
    def activate(self, *names: str) -> Outcome:
        return Outcome(not small.sealed((), self.category))


class Keeps(Small):
    """Keeps the first answer."""

    def open(self, facts: Facts) -> None:
        super().open(facts)
        self.answers: dict[str, bool] = {}

    def activate(self, *names: str) -> Outcome:
        return Outcome(not self.answers.setdefault(names[0], self.closed(names[0])))


class KeepsTheNo(Keeps):
    """Once refused, always refused."""

    def activate(self, *names: str) -> Outcome:
        self.answers[names[0]] = self.answers.get(names[0], False) or self.closed(names[0])
        return Outcome(not self.answers[names[0]])


class Swallows(Small):
    def activate(self, *names: str) -> Outcome:
        try:
            return Outcome(not self.closed(names[0]))
        except Exception:
            return Outcome(True)


class WrongPrincipal(Small):
    def closed(self, skill: str) -> bool:
        return small.sealed(CATEGORIES[skill], "office")


class AllOrNothing(Small):
    def index(self) -> list[str]:
        return [] if any(self.closed(skill) for skill in self.skills) else list(self.skills)


class OneTooMany(Small):
    def index(self) -> list[str]:
        return [skill for skill in self.skills if skill == "ledger" or not self.closed(skill)]


class RunsFirst(Small):
    """Says no, but the thing has happened."""

    def activate(self, *names: str) -> Outcome:
        return Outcome(True, f"{names[0]} is sealed" if self.closed(names[0]) else "opened")


@pytest.mark.parametrize(
    ("host", "surface", "reason"),
    [
        (NeverAsks, "activate", Reason.LEAKED),
        (LooksAlike, "activate", Reason.NOT_SHOWN),
        (AsksAndForgets, "activate", Reason.LEAKED),
        (AlwaysRefuses, "activate", Reason.NOT_SHOWN),
        (AsksAboutTheFirst, "activate", Reason.DISAGREES),
        (AsksAboutNothing, "activate", Reason.WRONG_SUBJECT),
        (Keeps, "activate", Reason.STALE_VERDICT),
        (KeepsTheNo, "activate", Reason.STALE_VERDICT),
        (Swallows, "activate", Reason.FAILS_OPEN),
        (WrongPrincipal, "activate", Reason.WRONG_PRINCIPAL),
        (WrongPrincipal, "index", Reason.WRONG_PRINCIPAL),
        (AllOrNothing, "index", Reason.DISAGREES),
        (OneTooMany, "index", Reason.LEAKED),
        (RunsFirst, "activate", Reason.LEAKED),
    ],
)
def test_a_mutant_falls(host: type[Host], surface: str, reason: Reason) -> None:
    finding = finding_of(INVARIANT, host, surface)
    assert (finding.verdict, finding.reason) == (Verdict.REFUTED, reason), finding
    assert finding.remedy
    assert finding.trace[-1].note.startswith(surface)


def test_the_script_is_told_in_words() -> None:
    finding = finding_of(INVARIANT, Keeps, "activate")
    assert [step.note for step in finding.trace] == [
        "an agent opens with category 'office' while the seal says yes to everything",
        "now the seal says no to everything",
        "activate is asked by name: `ledger`, `notes`, `payroll` comes out",
    ]


class Stepwise(Keeps):
    """Hears the seal once a step, on purpose."""

    def step(self) -> None:
        self.answers.clear()


@pytest.mark.parametrize(
    ("policy", "host", "verdict"),
    [
        ("per-step", Stepwise, Verdict.HELD),
        ("per-turn", Stepwise, Verdict.HELD),
        ("live", Stepwise, Verdict.REFUTED),
        ("per-step", Keeps, Verdict.HELD),
    ],
)
def test_the_declared_moment_is_waited_for(policy: str, host: type[Host], verdict: Verdict) -> None:
    """A host without the lever can only show agents that were opened anew."""
    assert finding_of(INVARIANT, host, "activate", policies={"table": policy}).verdict is verdict


def test_hidden_but_callable_passes_only_where_it_is_declared() -> None:
    assert finding_of(INVARIANT, NeverAsks, "activate", hidden=("activate",)).verdict is Verdict.HELD
    assert finding_of(INVARIANT, AlwaysRefuses, "activate", hidden=("activate",)).reason is Reason.NOT_SHOWN


class Silent(Small):
    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        return {}


class SilentLeak(Silent, NeverAsks):
    pass


def test_without_arguments_nothing_selective_is_claimed() -> None:
    finding = finding_of(INVARIANT, Silent, "activate")
    assert finding.verdict is Verdict.UNEXAMINED
    assert "seal_arguments" in finding.message
    assert finding_of(INVARIANT, SilentLeak, "activate").reason is Reason.LEAKED


class Bare(Host):
    skills = ("a", "b")

    def open(self, facts: Facts) -> None:
        del facts


def test_a_surface_without_a_method_is_not_examined() -> None:
    finding = finding_of(INVARIANT, Bare, "activate")
    assert (finding.verdict, finding.message) == (
        Verdict.UNEXAMINED,
        "the host has no method `activate` for this surface",
    )


async def sealed_later(categories: tuple[str, ...], thread_category: str | None) -> bool:
    await asyncio.sleep(0)
    return bool(categories) and thread_category not in categories


class Async(Small):
    async def open(self, facts: Facts) -> None:
        self.category = facts.category
        self.loop = asyncio.get_running_loop()

    async def close(self) -> None:
        assert self.loop is asyncio.get_running_loop()

    async def index(self) -> list[str]:  # type: ignore[override]
        return [skill for skill in self.skills if not await sealed_later(CATEGORIES[skill], self.category)]

    async def activate(self, *names: str) -> Outcome:  # type: ignore[override]
        return Outcome(not await sealed_later(CATEGORIES[names[0]], self.category))


class NotAwaited(Async):
    async def activate(self, *names: str) -> Outcome:  # type: ignore[override]
        verdict = sealed_later(CATEGORIES[names[0]], self.category)
        verdict.close()
        return Outcome(verdict is not None)


class OpenOnCancel(Async):
    async def activate(self, *names: str) -> Outcome:  # type: ignore[override]
        try:
            return Outcome(not await sealed_later(CATEGORIES[names[0]], self.category))
        except asyncio.CancelledError:
            return Outcome(True)


ASYNC_SEAL = seal(f"{__name__}:sealed_later")


@pytest.mark.parametrize(
    ("host", "surface", "reason"),
    [
        (Async, "index", None),
        (Async, "activate", None),
        (NotAwaited, "activate", Reason.LEAKED),
        (OpenOnCancel, "activate", Reason.FAILS_OPEN),
    ],
)
def test_async_agents(host: type[Host], surface: str, reason: Reason | None) -> None:
    finding = finding_of(INVARIANT, host, surface, row=ASYNC_SEAL)
    assert finding.reason is reason, finding
    assert finding.passes is (reason is None)


def test_one_seal_of_two_facts_is_enough_to_fall() -> None:
    class Halfway(Small):
        def activate(self, *names: str) -> Outcome:
            return Outcome(self.category == "home" or not self.closed(names[0]))

    globals()["Halfway"] = Halfway
    Halfway.__qualname__ = "Halfway"
    finding: Finding = finding_of(INVARIANT, Halfway, "activate")
    assert finding.reason is Reason.LEAKED
    assert "category 'home'" in finding.trace[0].note


class WithoutPrincipal(Small):
    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        return {"categories": CATEGORIES[skill]}


def test_it_is_said_when_the_principal_was_not_compared() -> None:
    assert "for whom the seal was asked was not compared" in finding_of(INVARIANT, WithoutPrincipal, "index").message
    assert "not compared" not in finding_of(INVARIANT, Small, "index").message
