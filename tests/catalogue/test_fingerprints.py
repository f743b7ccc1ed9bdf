"""fingerprint-moves: a resident tool that is registered in mid-conversation is noticed on every loading path."""

from __future__ import annotations

import time

import pytest
from pytest_invariants.catalogue.residency import fingerprint_moves
from pytest_invariants.probe.host import Facts, Host
from pytest_invariants.registry.model import Reference, Residency
from pytest_invariants.verdict import Reason

from tests.catalogue.shop import HELD, LACKING, POLICIES, Shop, falls, judged, outcome
from tests.catalogue.small import finding_of
from tests.probe.samples import AT


class BySkillsOnly(Shop):
    """The clock is resident by a skill's file, which nobody reads on the path without a loader."""

    def first(self) -> list[str]:
        lost = () if self.facts_now.with_loader else ("clock",)
        return [name for name in super().first() if name not in lost]


class OnTheBridge(Shop):
    def first(self) -> list[str]:
        return [name for name in super().first() if name != "clock" or self.facts_now.path != "bridge"]


class Constant(Shop):
    def fingerprint(self) -> int:
        return 1


class CountsNames(Shop):
    """A fingerprint of how many there are: it moves. Honest as far as this goes."""

    def fingerprint(self) -> int:
        return len(self.router.visible)


class MovesAlways(Shop):
    def fingerprint(self) -> int:
        return time.perf_counter_ns()


class TakenOnce(Shop):
    """The fingerprint is kept when the first step begins."""

    def open(self, facts: Facts) -> None:
        super().open(facts)
        self.kept = super().fingerprint()

    def fingerprint(self) -> int:
        return self.kept


class OfTheTable(Shop):
    """Honest: it has none of its own, and the table's bytes are looked at."""

    fingerprint = None  # type: ignore[assignment]


class NotInTheTable(Shop):
    def resident(self) -> list[str]:
        return ["sundial"]


class ClosedWithoutLoader(Shop):
    def open(self, facts: Facts) -> None:
        super().open(facts)
        if not facts.with_loader and self.closed("notes"):
            raise OSError("no loader")


class RegisteredLate(Shop):
    """Honest, and the story itself: on one path the tool is not there before it is registered in mid-conversation."""

    def open(self, facts: Facts) -> None:
        super().open(facts)
        if not facts.with_loader:
            self.tools.pop("clock")
            self.step()


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (Shop, HELD),
        (OfTheTable, HELD),
        (CountsNames, HELD),
        (RegisteredLate, HELD),
        (BySkillsOnly, falls(Reason.DISAGREES)),
        (Constant, falls(Reason.DISAGREES)),
        (TakenOnce, falls(Reason.DISAGREES)),
        (MovesAlways, falls(Reason.MOVED)),
        (ClosedWithoutLoader, falls(Reason.NOT_SHOWN)),
        (NotInTheTable, LACKING),
    ],
)
def test_a_resident_tool_moves_the_fingerprint(host: type[Host], expected: object) -> None:
    assert outcome(fingerprint_moves.INVARIANT, host) == expected


@pytest.mark.parametrize(("host", "expected"), [(Shop, HELD), (OnTheBridge, falls(Reason.DISAGREES))])
def test_every_path_that_the_registry_names_is_walked(host: type[Host], expected: object) -> None:
    paths = {path: Reference(__name__, "AT") for path in ("loader", "bridge")}
    finding = finding_of(fingerprint_moves.INVARIANT, host, policies=POLICIES, residency=Residency(None, paths, AT))
    assert (finding.verdict, finding.reason) == expected


def test_the_tool_and_the_path_are_named() -> None:
    finding = judged(fingerprint_moves.INVARIANT, BySkillsOnly)
    assert finding.message == (
        "`clock` is resident, and the fingerprint stays where it is when it is registered, "
        "with category 'office', no loader"
    )
    assert "the tool clock is registered" in [step.note for step in finding.trace]
