"""Compare what the prover says of a drawn program with what the program does."""

from __future__ import annotations

import shutil
import tempfile
import traceback
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from pytest_invariants.verdict import Finding, Verdict

from tests.fuzz import agents, generate, truth
from tests.fuzz.tree import Program
from tests.fuzz.truth import Observed, Truth


class Outcome(StrEnum):
    MISSED = "missed"
    """Proved, and it leaks or does not hang on the seal: the one outcome that must not be."""
    FALSE_ALARM = "false alarm"
    """Refuted, and it is honest."""
    UNDECIDED = "undecided"
    CRASHED = "crashed"
    """The prover raised an exception."""
    RIGHT = "right"
    UNKNOWN = "unknown"
    """The truth is not certain: nothing is ever let out, or a part of the program has not been run by any world."""


@dataclass(frozen=True, slots=True)
class Judged:
    outcome: Outcome
    observed: Observed
    said: str

    @property
    def kind(self) -> str:
        """What was said, without places and names."""
        return self.said.partition(" at ")[0]


@cache
def workshop() -> tempfile.TemporaryDirectory[str]:
    """One folder for all programs, one after the other."""
    return tempfile.TemporaryDirectory(prefix="fuzz-")


def close() -> None:
    """Give back the folder and the event loop that programs were judged with."""
    workshop().cleanup()
    workshop.cache_clear()
    truth.close()


def ask(program: Program) -> Finding | str:
    """The prover's finding, or the text of the exception that it raised."""
    from pytest_invariants.flow.prover import Prover
    from pytest_invariants.registry.reader import read

    root = Path(workshop().name)
    shutil.rmtree(root / "agent", ignore_errors=True)
    agents.write(root, generate.files(program))
    try:
        registry = read(root / "entrypoints" / "registry.yaml", root)
        return Prover(registry).consulted(registry.surfaces[0])
    except Exception as error:  # whatever it is, it is the answer that this program got
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"{error!r} at {Path(last.filename).name}:{last.lineno}"


def judge(program: Program) -> Judged:
    finding = ask(program)
    observed = truth.observe(generate.case(program))
    if isinstance(finding, str):
        return Judged(Outcome.CRASHED, observed, finding)
    said = f"{finding.verdict} {finding.reason or ''} at {finding.at or '-'}: {finding.message}"
    return Judged(compare(finding.verdict, observed, program), observed, said)


def compare(verdict: Verdict, observed: Observed, program: Program) -> Outcome:
    if verdict is Verdict.UNDECIDED:
        return Outcome.UNDECIDED
    if verdict is Verdict.PROVED and not observed.may_be_proved:
        return Outcome.MISSED
    if observed.truth is Truth.SILENT:
        return Outcome.UNKNOWN
    if verdict is Verdict.REFUTED and observed.truth is Truth.HONEST:
        unseen = truth.observe(generate.case(program), watch=True).unseen
        return Outcome.UNKNOWN if unseen else Outcome.FALSE_ALARM
    return Outcome.RIGHT
