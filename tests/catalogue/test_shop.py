"""The honest agent passes every invariant of the table, and nothing passes for want of a host's facts."""

from __future__ import annotations

import pytest
from pytest_invariants.catalogue import CATALOGUE
from pytest_invariants.catalogue.model import Invariant

from tests.catalogue.shop import HELD, LACKING, Shop, outcome
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
