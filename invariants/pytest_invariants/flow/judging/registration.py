"""`door-registered`: every door is a surface, reached only through surfaces, or exempt by name; every row is still needed."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from pytest_invariants.flow.judging.outside import unexamined
from pytest_invariants.flow.judging.wording import MESSAGES, REMEDIES
from pytest_invariants.registry.model import Surface
from pytest_invariants.verdict import RUN, Finding, Place, Reason, Step, Verdict

if TYPE_CHECKING:
    from pytest_invariants.flow.prover import Prover

ID = "door-registered"


def judge_surface(prover: Prover, surface: Surface) -> Finding:
    """Of a surface: its function is there, and grants something."""
    ref = str(surface.function)
    if prover.is_outside(surface):
        return unexamined(ID, surface.id)
    if ref not in prover.targets:
        return _refuted(surface, Reason.MISSING_FUNCTION)
    activation = prover.activations[ref]
    if not activation.events and activation.complete and not activation.effects.unresolved:
        return _refuted(surface, Reason.NO_GRANT)
    declared = prover.targets[ref].declared
    at = declared.place if declared is not None else surface.at
    return Finding(surface.id, ID, Verdict.PROVED, at=at)


def _refuted(surface: Surface, reason: Reason) -> Finding:
    return Finding(surface.id, ID, Verdict.REFUTED, None, reason, surface.at, (), MESSAGES[reason], REMEDIES[reason])


def judge_run(prover: Prover, today: date | None = None) -> Finding:
    """Of the run: one result, with every unregistered door and every stale row as a step."""
    doors = prover.doors
    loose = [door for door in doors.records if door.function in doors.unregistered]
    steps = [(Reason.UNREGISTERED_DOOR, Step(d.at, f"`{d.function}` is a door that no row names")) for d in loose]
    rows = {str(row.function): row for row in prover.registry.exempt}
    steps += [
        (Reason.STALE_EXEMPTION, Step(rows[ref].at, f"the exemption of `{ref}` is not needed")) for ref in doors.stale
    ]
    expired = [row for row in rows.values() if row.expires is not None and row.expires < (today or date.today())]
    steps += [
        (Reason.STALE_EXEMPTION, Step(r.at, f"the exemption of `{r.function}` expired on {r.expires}")) for r in expired
    ]
    gone = [s for s in prover.registry.surfaces if str(s.function) not in prover.targets and not prover.is_outside(s)]
    steps += [
        (Reason.MISSING_FUNCTION, Step(s.at, f"`{s.function}` of the surface `{s.id}` is not in the code"))
        for s in gone
    ]
    if steps:
        return _run(steps)
    if doors.unexamined:
        return _unexamined(doors.unexamined, prover)
    if not doors.found and not doors.outside:
        return Finding(
            RUN,
            ID,
            Verdict.REFUTED,
            None,
            Reason.NO_GRANT,
            Place(_relative(prover), 1),
            (),
            "no door was found: nothing that the registry calls a capability gets out anywhere",
            "check `code` and `capabilities`",
        )
    return Finding(RUN, ID, Verdict.PROVED, at=Place(_relative(prover), 1))


def _run(steps: list[tuple[Reason, Step]]) -> Finding:
    reason, first = steps[0]
    more = f", and {len(steps) - 1} more" if len(steps) > 1 else ""
    remedy = RUN_REMEDIES.get(reason, REMEDIES.get(reason, ""))
    return Finding(
        RUN,
        ID,
        Verdict.REFUTED,
        None,
        reason,
        first.at,
        tuple(step for _, step in steps),
        f"{first.note}{more}",
        remedy,
    )


RUN_REMEDIES = {
    Reason.UNREGISTERED_DOOR: "ask the seal in it and add a row under `surfaces`, or exempt it with a reason",
    Reason.STALE_EXEMPTION: "remove the row, or renew it with a reason",
}


def _unexamined(names: tuple[str, ...], prover: Prover) -> Finding:
    reason = Reason.TOO_MANY_TARGETS
    steps = tuple(Step(None, f"`{name}` has more paths than are looked at") for name in names)
    return Finding(
        RUN, ID, Verdict.UNDECIDED, None, reason, Place(_relative(prover), 1), steps, steps[0].note, REMEDIES[reason]
    )


def _relative(prover: Prover) -> str:
    path = prover.registry.path
    return path.relative_to(prover.registry.root).as_posix() if path.is_relative_to(prover.registry.root) else path.name
