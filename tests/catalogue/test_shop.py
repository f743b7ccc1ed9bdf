"""The honest agent passes every invariant of the table, and nothing passes for want of a host's facts."""

from __future__ import annotations

import pytest
from pytest_invariants.catalogue import CATALOGUE
from pytest_invariants.catalogue.model import Invariant
from pytest_invariants.probe.host import Facts

from tests.catalogue.shop import HELD, LACKING, Shop, judged, outcome
from tests.catalogue.small import Small

PROCESSES = ("table-stable", "table-snapshot", "loaded-grows")
"""Those of other tests: they start processes, write files, or ask for another policy."""
ASKED = [
    one for one in CATALOGUE if one.play and one.family in ("table", "masking", "residency") and one.id not in PROCESSES
]
OF_TABLES = [one for one in ASKED if one.family != "residency" or one.id == "fingerprint-moves"]


def named(invariant: Invariant) -> str:
    return invariant.id


@pytest.mark.parametrize("invariant", OF_TABLES, ids=named)
def test_the_honest_agent_holds(invariant: Invariant) -> None:
    assert outcome(invariant, Shop) == HELD


@pytest.mark.parametrize("invariant", OF_TABLES, ids=named)
def test_what_a_host_lacks_is_not_examined(invariant: Invariant) -> None:
    assert outcome(invariant, Small) == LACKING


class ClosedToStrangers(Shop):
    """Honest: it does not even open where everything is sealed."""

    def open(self, facts: Facts) -> None:
        super().open(facts)
        if all(map(self.closed, self.skills)):
            raise PermissionError("nothing to do here")


@pytest.mark.parametrize(
    "id",
    [
        "listed-is-callable",
        "callable-is-listed-or-declared",
        "search-iff-deferred",
        "names-unambiguous",
        "core-names-win",
        "prompt-names-exist",
        "fingerprint-moves",
    ],
)
def test_an_agent_that_does_not_open_shows_nothing_wrong(id: str) -> None:
    (invariant,) = (one for one in OF_TABLES if one.id == id)
    assert outcome(invariant, ClosedToStrangers) == HELD


class OnlyATable(Small):
    """It cannot be made to begin another step."""

    def table(self) -> list[dict[str, object]]:
        return [{"name": "clock"}]


class NoTable(Shop):
    def table(self) -> list[dict[str, object]]:
        return {"clock": "A tool."}  # type: ignore[return-value]


def test_a_policy_without_a_lever_is_not_examined() -> None:
    (frozen,) = (one for one in OF_TABLES if one.id == "step-frozen")
    assert outcome(frozen, OnlyATable) == LACKING
    assert "no lever that ends what `table: per-step` keeps still" in judged(frozen, OnlyATable).message


def test_what_is_no_table_is_the_hosts_fault() -> None:
    (listed,) = (one for one in OF_TABLES if one.id == "listed-is-callable")
    finding = judged(listed, NoTable)
    assert finding.message == "`NoTable.table` returned {'clock': 'A tool.'}"
    assert finding.remedy == "return the schemas as a list"
