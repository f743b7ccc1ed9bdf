"""The measuring child: reads one registry, asks the prover about every surface, and prints each answer as a JSON line.

A process of its own, so that its seconds and its peak memory are those of one code base, and so that one that hangs or
dies takes nothing else with it; what it has answered by then counts.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_invariants.flow.prover import Prover
    from pytest_invariants.verdict import Finding


@dataclass(frozen=True, slots=True)
class Answer:
    """One finding, as far as the page shows it."""

    verdict: str
    level: int | None = None
    reason: str | None = None
    at: str | None = None
    message: str = ""
    trace: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(slots=True)
class Measured:
    """What the prover said of one code base, and what it cost. `trouble` says why answers are missing."""

    trouble: str = ""
    files: int = 0
    lines: int = 0
    unreadable: int = 0
    doors: int = 0
    unregistered: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    seconds: float = 0.0
    megabytes: float = 0.0
    surfaces: dict[str, Answer] = field(default_factory=dict)
    run: dict[str, Answer] = field(default_factory=dict)

    def take(self, line: str) -> None:
        """One line of the child: an answer, or figures."""
        row: dict[str, Any] = json.loads(line)
        if half := row.pop("half", None):
            answer = Answer(**{**row["answer"], "trace": tuple(row["answer"]["trace"])})
            getattr(self, half)[row["name"]] = answer
        for name, value in row.items():
            if name not in ("name", "answer"):
                setattr(self, name, value)


def measure(registry: Path, limit: float) -> Measured:
    """Run the child on a registry for at most `limit` seconds."""
    command = [sys.executable, "-m", "field.measure", str(registry)]
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as said:
        child = subprocess.Popen(command, cwd=Path(__file__).resolve().parent.parent, stdout=out, stderr=said)
        try:
            trouble = f"the prover ended with status {child.returncode}" if child.wait(limit) else ""
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
            trouble = f"not done within {limit:.0f} s"
        out.seek(0)
        said.seek(0)
        return collect(out, trouble and " ".join([trouble, *said.read().strip().splitlines()[-1:]]))


def collect(lines: Iterable[str], trouble: str) -> Measured:
    """What a child has printed; a last line that it did not finish is left out."""
    measured = Measured()
    for line in lines:
        if line.endswith("\n"):
            measured.take(line)
    measured.trouble = trouble or measured.trouble
    return measured


def examine(registry: Path) -> None:
    """Ask the prover about every surface of a registry and about the run, in this process."""
    from pytest_invariants.flow.prover import Prover
    from pytest_invariants.registry.reader import read

    start = time.perf_counter()
    prover = Prover(read(registry))
    if prover.problems:
        _tell(trouble="; ".join(str(problem) for problem in prover.problems))
        return
    _tell(files=prover.files, lines=prover.lines, unreadable=len(prover.unreadable), **_costs(start))
    for surface in prover.registry.surfaces:
        _tell(
            half="surfaces", name=surface.id, answer=asdict(_ask(partial(prover.consulted, surface))), **_costs(start)
        )
    _tell(half="run", name="seal-sole", answer=asdict(_ask(prover.sole)), **_costs(start))
    _tell(**_doors(prover), **_costs(start))


def _doors(prover: Prover) -> dict[str, object]:
    doors = prover.doors
    return {
        "doors": len(doors.found),
        "unregistered": [str(door) for door in doors.unregistered],
        "stale": [str(door) for door in doors.stale],
    }


def _costs(start: float) -> dict[str, float]:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": time.perf_counter() - start, "megabytes": peak}


def _tell(**row: object) -> None:
    print(json.dumps(row), flush=True)


def _ask(question: Callable[[], Finding]) -> Answer:
    start = time.perf_counter()
    try:
        finding = question()
    except Exception as error:
        return Answer("failed", message=f"{type(error).__name__}: {error}", seconds=time.perf_counter() - start)
    return Answer(
        verdict=finding.verdict.value,
        level=finding.level,
        reason=finding.reason.value if finding.reason else None,
        at=str(finding.at) if finding.at else None,
        message=finding.message,
        trace=tuple(f"{step.at or ''} {step.note}".strip() for step in (*finding.trace, *finding.sites)),
        seconds=time.perf_counter() - start,
    )


if __name__ == "__main__":
    examine(Path(sys.argv[1]))
