"""The measuring child: reads one registry, asks the prover about every surface, and prints what came out as JSON.

A process of its own, so that its seconds and its peak memory are those of one code base, and so that one that hangs or
dies takes nothing else with it.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    """What the prover said of one code base, and what it cost. `trouble` says why there is no answer at all."""

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


def measure(registry: Path, limit: float) -> Measured:
    """Run the child on a registry for at most `limit` seconds."""
    command = [sys.executable, "-m", "field.measure", str(registry)]
    folder = Path(__file__).resolve().parent.parent
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return Measured(trouble=f"no answer within {limit:.0f} s")
    if done.returncode:
        return Measured(trouble=(done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1])
    return from_json(done.stdout)


def from_json(text: str) -> Measured:
    fields = json.loads(text)
    for half in ("surfaces", "run"):
        fields[half] = {name: Answer(**{**row, "trace": tuple(row["trace"])}) for name, row in fields[half].items()}
    return Measured(**fields)


def examine(registry: Path) -> Measured:
    """Ask the prover about every surface of a registry and about the run, in this process."""
    from pytest_invariants.flow.prover import Prover
    from pytest_invariants.registry.reader import read

    start = time.perf_counter()
    prover = Prover(read(registry))
    if prover.problems:
        return Measured(trouble="; ".join(str(problem) for problem in prover.problems))
    surfaces = {surface.id: _ask(partial(prover.consulted, surface)) for surface in prover.registry.surfaces}
    run = {"seal-sole": _ask(prover.sole)}
    doors = prover.doors
    return Measured(
        files=prover.files,
        lines=prover.lines,
        unreadable=len(tuple(prover.unreadable)),
        doors=len(doors.found),
        unregistered=[str(door) for door in doors.unregistered],
        stale=[str(door) for door in doors.stale],
        seconds=time.perf_counter() - start,
        megabytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        surfaces=surfaces,
        run=run,
    )


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
    os.environ.setdefault("PYTHONHASHSEED", "0")
    print(json.dumps(asdict(examine(Path(sys.argv[1])))))
