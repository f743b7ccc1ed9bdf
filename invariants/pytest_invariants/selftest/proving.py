"""Trying mutants on the prover: each is read from a copy of its own, and never run."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_invariants.flow.prover import Prover
from pytest_invariants.registry.model import Registry
from pytest_invariants.registry.problems import RegistryError
from pytest_invariants.report.model import problems_of
from pytest_invariants.selftest.model import Half, Mutant, Outcome, Ruling
from pytest_invariants.selftest.operators import BY_ID
from pytest_invariants.selftest.scratch import sources_only
from pytest_invariants.verdict import Finding, Verdict


def proofs(registry: Registry) -> dict[str, Finding]:
    """What the prover says of every surface.

    :raises RegistryError: where the registry names what the code does not have.
    """
    prover = Prover(registry)
    if prover.problems:
        raise RegistryError(problems_of(prover))
    return {surface.id: prover.consulted(surface) for surface in registry.surfaces}


def proofs_of_mutant(registry: Registry, mutant: Mutant) -> dict[str, Finding]:
    """The same of the code with the mutant in it."""
    with sources_only(registry) as copy:
        (copy.root / mutant.path).write_bytes(mutant.content)
        return proofs(copy)


def rulings(mutant: Mutant, found: Mapping[str, Finding]) -> tuple[Ruling, ...]:
    """What the mutant has come to at the surfaces that hang on its question, and are among those that were found."""
    return tuple(_ruling(mutant, found[surface]) for surface in mutant.question.surfaces if surface in found)


def strays(mutant: Mutant, found: Mapping[str, Finding], before: Mapping[str, Finding]) -> tuple[Ruling, ...]:
    """Surfaces that passed, and fall although nothing of their proofs was touched.

    Of a call that only leads to a question nothing is said: other surfaces may pass by it as well.
    """
    if mutant.question.through:
        return ()
    others = [one for one in found.values() if one.surface not in mutant.question.surfaces]
    fallen = [one for one in others if before[one.surface].passes and not one.passes]
    return tuple(_ruling(mutant, one) for one in fallen)


def _ruling(mutant: Mutant, finding: Finding) -> Ruling:
    return Ruling(finding.surface, Half.PROVER, _outcome(mutant, finding), finding.reason, finding.message)


def _outcome(mutant: Mutant, finding: Finding) -> Outcome:
    if finding.passes:
        return Outcome.SURVIVED
    if finding.verdict is not Verdict.REFUTED:
        return Outcome.UNDECIDED
    return Outcome.KILLED if finding.reason in BY_ID[mutant.operator].fitting else Outcome.MISNAMED
