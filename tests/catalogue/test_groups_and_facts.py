"""group-sealed and facts-missing-seal."""

from __future__ import annotations

import pytest
from pytest_invariants.catalogue.doors import facts_missing_seal, group_sealed
from pytest_invariants.probe.host import Facts, Host, Outcome
from pytest_invariants.verdict import Reason, Verdict

from tests.catalogue import small
from tests.catalogue.small import CATEGORIES, Small, finding_of
from tests.probe.samples import seal

PARTS = {
    "ledger": ("ledger_add", "bank__pay", "bank__list"),
    "notes": ("note_add",),
    "payroll": ("payroll/SKILL.md", "payroll_run"),
}


class Grouped(Small):
    def parts(self, skill: str) -> tuple[str, ...]:
        return PARTS[skill]

    def group_of(self, part: str) -> str:
        return next(skill for skill, parts in PARTS.items() if part in parts)

    def reach(self, part: str) -> Outcome:
        return Outcome(not self.closed(self.group_of(part)))

    def table(self) -> list[dict[str, object]]:
        parts = [part for skill, owned in PARTS.items() if not self.closed(skill) for part in owned]
        return [{"name": part} if "__" in part else {"type": "function", "function": {"name": part}} for part in parts]


class NamespaceOpen(Grouped):
    def reach(self, part: str) -> Outcome:
        return Outcome("__" in part or super().reach(part).ran)


class TableOpen(Grouped):
    def table(self) -> list[dict[str, object]]:
        return [{"function": {"name": part}} for parts in PARTS.values() for part in parts]


class NothingReached(Grouped):
    def reach(self, part: str) -> Outcome:
        return Outcome(False, "no arguments given")


class ClosesTheRest(Grouped):
    def reach(self, part: str) -> Outcome:
        return Outcome(not any(self.closed(skill) for skill in self.skills))


class NoParts(Grouped):
    def parts(self, skill: str) -> tuple[str, ...]:
        return ()


@pytest.mark.parametrize(
    ("host", "verdict", "reason"),
    [
        (Grouped, Verdict.HELD, None),
        (NamespaceOpen, Verdict.REFUTED, Reason.LEAKED),
        (TableOpen, Verdict.REFUTED, Reason.LEAKED),
        (NothingReached, Verdict.REFUTED, Reason.NOT_SHOWN),
        (ClosesTheRest, Verdict.REFUTED, Reason.NOT_SHOWN),
        (NoParts, Verdict.UNEXAMINED, None),
        (Small, Verdict.UNEXAMINED, None),
    ],
)
def test_a_group_is_sealed_as_a_whole(host: type[Host], verdict: Verdict, reason: Reason | None) -> None:
    finding = finding_of(group_sealed.INVARIANT, host)
    assert (finding.verdict, finding.reason) == (verdict, reason), finding


def test_the_part_and_its_skill_are_named() -> None:
    assert (
        "`bank__pay`, which belongs to `ledger`, can be reached"
        in finding_of(group_sealed.INVARIANT, NamespaceOpen).message
    )


def sealed_unless_unknown(categories: tuple[str, ...], thread_category: str | None) -> bool:
    return bool(categories) and thread_category is not None and thread_category not in categories


def never_sealed(categories: tuple[str, ...], thread_category: str | None) -> bool:
    return False


class OpensForNobody(Small):
    def closed(self, skill: str) -> bool:
        return sealed_unless_unknown(CATEGORIES[skill], self.category)


class NeedsTheLoader(Small):
    """Without a loader nothing is known, and nothing sealed."""

    def open(self, facts: Facts) -> None:
        super().open(facts)
        self.with_loader = facts.with_loader

    def closed(self, skill: str) -> bool:
        return small.sealed(CATEGORIES[skill] if self.with_loader else (), self.category)


class NeverSealed(Small):
    def closed(self, skill: str) -> bool:
        return never_sealed(CATEGORIES[skill], self.category)


class OnlyOne(OpensForNobody):
    """No skill is sealed under the one set of facts; the foreign category shows what is restricted."""

    skills = ("ledger", "payroll")
    facts = (Facts(category="office"),)


class Picky(Small):
    """Knows its categories, and does not open for others."""

    def open(self, facts: Facts) -> None:
        if facts.category not in (None, "office", "home"):
            raise ValueError(facts.category)
        super().open(facts)


@pytest.mark.parametrize(
    ("host", "function", "verdict", "reason"),
    [
        (Small, "tests.catalogue.small:sealed", Verdict.HELD, None),
        (Picky, "tests.catalogue.small:sealed", Verdict.HELD, None),
        (OpensForNobody, f"{__name__}:sealed_unless_unknown", Verdict.REFUTED, Reason.LEAKED),
        (OnlyOne, f"{__name__}:sealed_unless_unknown", Verdict.REFUTED, Reason.LEAKED),
        (NeedsTheLoader, "tests.catalogue.small:sealed", Verdict.REFUTED, Reason.LEAKED),
        (NeverSealed, f"{__name__}:never_sealed", Verdict.UNEXAMINED, None),
    ],
)
def test_missing_facts_open_nothing(host: type[Host], function: str, verdict: Verdict, reason: Reason | None) -> None:
    finding = finding_of(facts_missing_seal.INVARIANT, host, row=seal(function))
    assert (finding.verdict, finding.reason) == (verdict, reason), finding
