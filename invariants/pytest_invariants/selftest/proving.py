"""Trying mutants on the prover: each is read from a copy of its own, and never run."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_invariants.flow.prover import Prover
from pytest_invariants.registry.model import Registry
from pytest_invariants.selftest.model import Half, Mutant, Outcome, Ruling, Trial
from pytest_invariants.selftest.operators import BY_ID
from pytest_invariants.selftest.scratch import sources_only
from pytest_invariants.verdict import Finding, Verdict


def read(registry: Registry) -> dict[str, Finding]:
    """What the prover says of every surface.

    :raises Problems: where the registry names what the code does not have.
    """
    prover = Prover(registry)
    if prover.problems:
        raise Problems(prover)
    return {surface.id: prover.consulted(surface) for surface in registry.surfaces}


class Problems(Exception):
    """The prover could not find what the registry names."""

    def __init__(self, prover: Prover) -> None:
        super().__init__(prover.problems[0].message)
        self.prover = prover


def tried(registry: Registry, mutant: Mutant, baseline: Mapping[str, Finding]) -> Trial:
    """What the prover says of the mutant, at the surfaces that hang on its question and at all others."""
    with sources_only(registry) as copy:
        (copy.root / mutant.path).write_bytes(mutant.content)
        findings = read(copy)
    rulings = tuple(_ruling(mutant, findings[surface]) for surface in mutant.question.surfaces)
    fallen = [one for one in findings.values() if _strayed(one, baseline[one.surface], mutant)]
    return Trial(mutant, rulings, tuple(_ruling(mutant, one) for one in fallen))


def _ruling(mutant: Mutant, finding: Finding) -> Ruling:
    return Ruling(finding.surface, Half.PROVER, _outcome(mutant, finding), finding.reason, finding.message)


def _outcome(mutant: Mutant, finding: Finding) -> Outcome:
    if finding.verdict is Verdict.PROVED:
        return Outcome.SURVIVED
    if finding.verdict is Verdict.UNDECIDED:
        return Outcome.UNDECIDED
    fits = finding.reason in BY_ID[mutant.operator].fitting
    return Outcome.KILLED if fits else Outcome.MISNAMED


def _strayed(finding: Finding, before: Finding, mutant: Mutant) -> bool:
    """A surface that passed, and falls although nothing of its proof was touched; a relay may be on its way all the same."""
    if mutant.question.through or finding.surface in mutant.question.surfaces:
        return False
    return before.verdict is Verdict.PROVED and finding.verdict is not Verdict.PROVED
