"""The invariants, in the order in which they are asked and reported. A new one is added here by hand, never found."""

from __future__ import annotations

from pytest_invariants.catalogue.doors import (
    browse_silent,
    door_registered,
    facts_missing_seal,
    group_sealed,
    order_whole,
    refusal_truthful,
    seal_consulted,
    seal_decides,
    seal_sole,
    surfaces_agree,
)
from pytest_invariants.catalogue.model import Invariant
from pytest_invariants.catalogue.residency import central_holds, paths_agree, reason_given, resident_own_tools
from pytest_invariants.catalogue.table import table_snapshot, table_stable

CATALOGUE: tuple[Invariant, ...] = (
    door_registered.INVARIANT,
    seal_consulted.INVARIANT,
    seal_decides.INVARIANT,
    seal_sole.INVARIANT,
    surfaces_agree.INVARIANT,
    refusal_truthful.INVARIANT,
    browse_silent.INVARIANT,
    order_whole.INVARIANT,
    group_sealed.INVARIANT,
    facts_missing_seal.INVARIANT,
    paths_agree.INVARIANT,
    central_holds.INVARIANT,
    resident_own_tools.INVARIANT,
    reason_given.INVARIANT,
    table_snapshot.INVARIANT,
    table_stable.INVARIANT,
)
