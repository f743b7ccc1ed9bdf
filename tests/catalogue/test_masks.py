"""masked-until-loaded, shared-tool-any-owner and mask-follows-policy."""

from __future__ import annotations

import pytest
from pytest_invariants.catalogue.masking import mask_follows_policy, masked_until_loaded, shared_tool_any_owner
from pytest_invariants.probe.host import Facts, Host
from pytest_invariants.verdict import Reason

from tests.catalogue.shop import HELD, LACKING, OWNERS, Shop, falls, judged, outcome

FALLS = falls(Reason.DISAGREES)


class ShownEarly(Shop):
    def first(self) -> list[str]:
        return [*super().first(), "undo"]


class FoundEarly(Shop):
    def searchable(self) -> list[str]:
        return [*super().searchable(), "undo"]


class NeverUnlocked(Shop):
    def unlocked(self, skill: str) -> list[str]:
        return [tool for tool in super().unlocked(skill) if tool != "undo"]


class AllOwners(Shop):
    """A tool waits for all of its skills."""

    def unlocked(self, skill: str) -> list[str]:
        return [tool for tool in super().unlocked(skill) if set(OWNERS[tool]) <= set(self.loaded())]


class LoadingHides(Shop):
    def first(self) -> list[str]:
        return [name for name in super().first() if name != "clock" or not self.messages]


class FirstOwnerOnly(Shop):
    def unlocked(self, skill: str) -> list[str]:
        return [tool for tool in super().unlocked(skill) if OWNERS[tool][0] == skill]


class NeverLoads(Shop):
    def load(self, skill: str) -> None:
        return None


class NothingWaits(Shop):
    def owners(self) -> dict[str, tuple[str, ...]]:
        return {}


class SecondRecord(Shop):
    """What was unlocked is kept beside the history, where compaction does not reach it."""

    def open(self, facts: Facts) -> None:
        self.record: set[str] = set()
        super().open(facts)

    def load(self, skill: str) -> None:
        super().load(skill)
        self.record |= set(self.unlocked(skill))

    def wanted(self) -> list[str]:
        return list(dict.fromkeys((*super().wanted(), *sorted(self.record))))


class LostOnResume(Shop):
    """What was unlocked does not come back with the history."""

    def open(self, facts: Facts) -> None:
        self.fresh = False
        super().open(facts)

    def resume(self, fresh: bool) -> None:
        self.fresh = fresh
        self.step()

    def unlocked(self, skill: str) -> list[str]:
        return [] if self.fresh else super().unlocked(skill)


class Keeps(Shop):
    """Honest in the other way: compaction carries the marks over."""

    def compact(self) -> None:
        return None


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (Shop, HELD),
        (ShownEarly, FALLS),
        (FoundEarly, FALLS),
        (NeverUnlocked, FALLS),
        (AllOwners, FALLS),
        (LoadingHides, FALLS),
        (NeverLoads, falls(Reason.NOT_SHOWN)),
        (NothingWaits, LACKING),
    ],
)
def test_a_tool_is_masked_until_it_is_loaded(host: type[Host], expected: object) -> None:
    assert outcome(masked_until_loaded.INVARIANT, host) == expected


@pytest.mark.parametrize(
    ("host", "expected"),
    [(Shop, HELD), (AllOwners, FALLS), (FirstOwnerOnly, FALLS), (NothingWaits, LACKING)],
)
def test_any_owner_unlocks_a_shared_tool(host: type[Host], expected: object) -> None:
    assert outcome(shared_tool_any_owner.INVARIANT, host) == expected


def test_the_owner_that_should_have_unlocked_it_is_named() -> None:
    message = judged(shared_tool_any_owner.INVARIANT, FirstOwnerOnly).message
    assert message.startswith("`pay_out` is not shown though `payroll` counts as loaded, with category 'office'")


@pytest.mark.parametrize(
    ("host", "compaction", "expected"),
    [
        (Shop, "resets", HELD),
        (Shop, "keeps", falls(Reason.AGAINST_POLICY)),
        (Keeps, "keeps", HELD),
        (Keeps, "resets", falls(Reason.AGAINST_POLICY)),
        (SecondRecord, "resets", FALLS),
        (LostOnResume, "resets", FALLS),
        (NothingWaits, "resets", LACKING),
        (NeverLoads, "resets", LACKING),
    ],
)
def test_the_mask_follows_the_policy(host: type[Host], compaction: str, expected: object) -> None:
    assert outcome(mask_follows_policy.INVARIANT, host, compaction=compaction) == expected


def test_the_script_leads_to_what_is_wrong() -> None:
    finding = judged(mask_follows_policy.INVARIANT, SecondRecord)
    assert "`pay_out` is shown though none of ledger, payroll counts as loaded" in finding.message
    assert [step.note for step in finding.trace][-3:] == [
        "the history is compacted",
        "the next sampling begins",
        "loaded: nothing",
    ]
