"""`invariants doors`: every door that the code has, and what covers it."""

from __future__ import annotations

from pathlib import Path

from pytest_invariants.commands.common import paint, read_registry, width
from pytest_invariants.flow.prover import Prover
from pytest_invariants.registry.problems import RegistryError
from pytest_invariants.report import doors, output
from pytest_invariants.report.model import Status, problems_of


def run(given: Path | None, format: str) -> int:
    """Show every door. An unregistered door or a stale exemption falls, and so does finding no door at all."""
    registry = read_registry(given)
    prover = Prover(registry)
    if prover.problems:
        raise RegistryError(problems_of(prover))
    if format == "json":
        output.show(doors.as_json(prover.doors))
    else:
        output.show(doors.as_text(prover.doors, registry, paint(), width()))
    if prover.doors.unregistered or prover.doors.stale:
        return int(Status.FALLS)
    return int(Status.HOLDS if prover.doors.found else Status.NOTHING_EXAMINED)
