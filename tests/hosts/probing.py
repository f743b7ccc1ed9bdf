"""One question of the catalogue to a host of a framework, with a registry that needs no file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pytest_invariants.catalogue import CATALOGUE
from pytest_invariants.probe.host import Host
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.registry.model import Manner, Seal
from pytest_invariants.verdict import Finding, Reason, Verdict

from tests.probe.samples import registry

ROOT = Path(__file__).parents[2]
PLAYS = {invariant.id: invariant.play for invariant in CATALOGUE}


def found(
    invariant: str,
    host: type[Host],
    seal: Seal,
    surfaces: Mapping[str, Manner],
    surface: str | None = None,
    **policies: str,
) -> Finding:
    """What the probe half of an invariant finds at one surface, or (without one) in the run."""
    rows = registry(ROOT, seal, surfaces, f"{host.__module__}:{host.__qualname__}", policies=policies)
    play = PLAYS[invariant]
    assert play is not None
    row = next((each for each in rows.surfaces if each.id == surface), None)
    assert (row is None) is (surface is None)
    return play(ProbeSession(rows), row)


def said(finding: Finding) -> str:
    """Everything that a finding says, for the message of a test that fails."""
    return "\n".join([f"{finding.verdict} {finding.reason}: {finding.message}", *(step.note for step in finding.trace)])


def holds(finding: Finding) -> bool:
    """Whether it held. Raises RuntimeError where that was not examined at all: such a failure is none that is expected."""
    if finding.verdict is Verdict.UNEXAMINED or finding.reason in (Reason.HARNESS, Reason.NOT_SHOWN):
        raise RuntimeError(said(finding))
    return finding.verdict is Verdict.HELD
