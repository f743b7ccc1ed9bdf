"""`seal-sole`, level 6: nobody else decides on the seal's state, nobody rebinds the seal, and nothing looks like it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.scope import module_frame
from pytest_invariants.flow.judging.readers import Reader, second_readers
from pytest_invariants.flow.judging.rebinding import look_alikes, rebindings
from pytest_invariants.flow.judging.wording import REMEDIES
from pytest_invariants.verdict import RUN, Finding, Place, Reason, Step, Verdict

if TYPE_CHECKING:
    from pytest_invariants.flow.prover import Prover

ID = "seal-sole"
MESSAGES = {
    Reason.SEAL_REBOUND: (
        "the seal's name is given to something else",
        "call the seal itself; put a cache or a wrapper elsewhere",
    ),
    Reason.LOOK_ALIKE: ("a second function decides by the same rule", "call the seal, and remove the copy"),
    Reason.SECOND_READER: (
        "a branch outside the seal decides by the seal's own facts",
        "ask the seal and branch on its answer only",
    ),
}


def judge_sole(prover: Prover) -> Finding:
    found: list[tuple[Place, Reason, str]] = []
    found += [(at, Reason.SEAL_REBOUND, note) for at, note in rebindings(prover)]
    found += [(at, Reason.LOOK_ALIKE, note) for at, note in look_alikes(prover)]
    readers: list[Reader] = second_readers(prover)
    found += [(r.at, Reason.SECOND_READER, r.note) for r in readers]
    if not found:
        return _perhaps(prover) or Finding(RUN, ID, Verdict.PROVED, 6, at=_seal_place(prover))
    found.sort(key=lambda row: (ORDER[row[1]], row[0]))
    at, reason, _ = found[0]
    message, remedy = MESSAGES[reason]
    steps = tuple(Step(place, f"{why}: {note}") for place, why, note in found)
    return Finding(RUN, ID, Verdict.REFUTED, 5, reason, at, steps, f"{message}: {found[0][2]}", remedy)


def _perhaps(prover: Prover) -> Finding | None:
    """Code that is not read may have given the seal's name to something else."""
    m = prover.m
    labels = [m.opened.of(module_frame(info.module), info.qualname.partition(".")[0]) for info in m.seal.functions]
    label = next((label for label in labels if label is not None and label.doubt is not None), None)
    if label is None or label.doubt is None:
        return None
    why = label.doubt
    return Finding(RUN, ID, Verdict.UNDECIDED, 5, why, label.read, (), MAY_BE_REBOUND, REMEDIES[why])


MAY_BE_REBOUND = "code that is not read may give the seal's name to something else"
ORDER = {Reason.SEAL_REBOUND: 0, Reason.LOOK_ALIKE: 1, Reason.SECOND_READER: 2}


def _seal_place(prover: Prover) -> Place:
    return min(info.place for info in prover.m.seal.functions)
