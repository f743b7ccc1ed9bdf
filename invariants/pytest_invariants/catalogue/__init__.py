"""The invariants, in the order in which they are asked and reported. A new one is added here by hand, never found."""

from __future__ import annotations

from pytest_invariants.catalogue.calls import (
    arguments_checked_first,
    descriptions_distinct,
    failure_is_result,
    hang_contained,
    identity_from_context,
    write_once,
    writers_closed,
)
from pytest_invariants.catalogue.doors import (
    aliases_sealed,
    approval_reseals,
    browse_silent,
    child_bounded,
    door_registered,
    facts_missing_seal,
    group_sealed,
    history_forged,
    order_whole,
    refusal_truthful,
    resume_reseals,
    seal_consulted,
    seal_decides,
    seal_sole,
    surfaces_agree,
)
from pytest_invariants.catalogue.model import Invariant
from pytest_invariants.catalogue.residency import central_holds, paths_agree, reason_given, resident_own_tools
from pytest_invariants.catalogue.server import (
    answers_well_formed,
    capabilities_answer,
    change_told,
    names_valid,
    pages_whole,
    protocol_kept,
    schemas_valid,
    wire_clean,
)
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
    aliases_sealed.INVARIANT,
    resume_reseals.INVARIANT,
    approval_reseals.INVARIANT,
    history_forged.INVARIANT,
    child_bounded.INVARIANT,
    facts_missing_seal.INVARIANT,
    paths_agree.INVARIANT,
    central_holds.INVARIANT,
    resident_own_tools.INVARIANT,
    reason_given.INVARIANT,
    table_snapshot.INVARIANT,
    table_stable.INVARIANT,
    arguments_checked_first.INVARIANT,
    failure_is_result.INVARIANT,
    hang_contained.INVARIANT,
    write_once.INVARIANT,
    writers_closed.INVARIANT,
    identity_from_context.INVARIANT,
    descriptions_distinct.INVARIANT,
    pages_whole.INVARIANT,
    names_valid.INVARIANT,
    schemas_valid.INVARIANT,
    change_told.INVARIANT,
    answers_well_formed.INVARIANT,
    protocol_kept.INVARIANT,
    capabilities_answer.INVARIANT,
    wire_clean.INVARIANT,
)
