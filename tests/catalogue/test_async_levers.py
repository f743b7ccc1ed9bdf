"""A host whose every method is a coroutine: levers, children, second threads and records as with any other."""

from __future__ import annotations

import asyncio

import pytest
from pytest_invariants.catalogue import CATALOGUE
from pytest_invariants.probe.host import Facts, Host, Outcome
from pytest_invariants.verdict import Reason, Verdict

from tests.catalogue.small import CATEGORIES, Small, finding_of
from tests.probe.samples import seal

INVARIANTS = {invariant.id: invariant for invariant in CATALOGUE}


async def sealed(categories: tuple[str, ...], thread_category: str | None) -> bool:
    await asyncio.sleep(0)
    return bool(categories) and thread_category not in categories


class Later(Small):
    """Honest."""

    record: set[str]
    parent: Later | None = None

    async def open(self, facts: Facts) -> None:
        self.category = facts.category
        self.loop = asyncio.get_running_loop()
        self.record = set()
        self.pending = ""

    async def lets(self, name: str) -> bool:
        assert asyncio.get_running_loop() is self.loop
        return name in self.skills and not await sealed(CATEGORIES[name], self.category)

    async def index(self) -> list[str]:  # type: ignore[override]
        return [skill for skill in self.skills if await self.lets(skill)]

    async def activate(self, name: str) -> Outcome:  # type: ignore[override]
        return Outcome(await self.lets(name))

    async def load(self, skill: str) -> None:
        if await self.lets(skill):
            self.record.add(skill)

    async def forge(self, skill: str) -> None:
        self.record.add(skill)

    async def resume(self, fresh: bool) -> None:
        self.resumed = fresh

    async def pend(self, skill: str) -> None:
        self.pending = skill

    async def approve(self) -> Outcome:
        return Outcome(await self.lets(self.pending))

    async def approve_edited(self, skill: str) -> Outcome:
        return Outcome(await self.lets(skill))

    async def spellings(self, skill: str) -> list[str]:
        return [f"the {skill}"]

    async def spawn_child(self) -> Host:
        child = await self.beside(Facts(category=self.category))
        child.parent = self
        return child

    async def beside(self, facts: Facts) -> Later:
        other = type(self)()
        await other.open(facts)
        return other


class TrustsItsRecord(Later):
    async def activate(self, name: str) -> Outcome:  # type: ignore[override]
        return Outcome(name in self.record or await self.lets(name))


class RunsApproved(Later):
    async def approve(self) -> Outcome:
        return Outcome(True)


class OpenChildren(Later):
    async def index(self) -> list[str]:  # type: ignore[override]
        return list(self.skills) if self.parent else await super().index()


class ForgetsToAsk(Later):
    """By its other name."""

    async def activate(self, name: str) -> Outcome:  # type: ignore[override]
        return Outcome(name.startswith("the ") or await self.lets(name))


EVERY = (
    ("seal-decides", "activate"),
    ("aliases-sealed", "activate"),
    ("resume-reseals", "activate"),
    ("history-forged", "index"),
    ("approval-reseals", None),
    ("child-bounded", None),
    ("surfaces-agree", None),
)


@pytest.mark.parametrize(
    ("invariant", "surface", "host", "reason"),
    [
        *((invariant, surface, Later, None) for invariant, surface in EVERY),
        ("aliases-sealed", "activate", ForgetsToAsk, Reason.LEAKED),
        ("resume-reseals", "activate", TrustsItsRecord, Reason.STALE_VERDICT),
        ("history-forged", "activate", TrustsItsRecord, Reason.LEAKED),
        ("approval-reseals", None, RunsApproved, Reason.STALE_VERDICT),
        ("child-bounded", None, OpenChildren, Reason.LEAKED),
        ("surfaces-agree", None, TrustsItsRecord, Reason.DISAGREES),
    ],
)
def test_hosts_that_are_awaited(invariant: str, surface: str | None, host: type[Host], reason: Reason | None) -> None:
    row = seal(f"{__name__}:sealed")
    finding = finding_of(INVARIANTS[invariant], host, surface, row=row, policies={"child": "ceiling"})
    assert (finding.verdict, finding.reason) == (Verdict.REFUTED if reason else Verdict.HELD, reason), finding
    assert "not tried" not in finding.message
