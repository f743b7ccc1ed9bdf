"""Asking the prover: what the code's proofs hang on, and what it says of mutants, which are read and never run."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_invariants.flow.prover import Prover
from pytest_invariants.registry.model import Registry, Surface
from pytest_invariants.registry.problems import RegistryError
from pytest_invariants.report.model import problems_of
from pytest_invariants.selftest.model import Half, Mutant, Outcome, Ruling
from pytest_invariants.selftest.operators import BY_ID
from pytest_invariants.selftest.scratch import put, sources_only
from pytest_invariants.verdict import Finding, Place, Verdict

ASKED, OR = "the seal asked at ", " or at "
"""The words of a proof for what it rests on."""

Hanging = Mapping[tuple[Place, ...], tuple[str, ...]]
"""The surfaces by what their proofs hang on: one place, or several of which each alone would do."""


def prover_of(registry: Registry) -> Prover:
    """:raises RegistryError: where the registry names what the code does not have."""
    prover = Prover(registry)
    if prover.problems:
        raise RegistryError(problems_of(prover))
    return prover


def proofs(prover: Prover) -> dict[str, Finding]:
    """What the prover says of every surface."""
    return {surface.id: prover.consulted(surface) for surface in prover.registry.surfaces}


def hanging(prover: Prover, found: Mapping[str, Finding]) -> Hanging:
    """Which surfaces hang on which questions, in the order of the files."""
    held: dict[tuple[Place, ...], list[str]] = {}
    for surface in prover.registry.surfaces:
        for places in _supports(prover, surface, found[surface.id]):
            held.setdefault(places, []).append(surface.id)
    return {places: tuple(held[places]) for places in sorted(held)}


def _supports(prover: Prover, surface: Surface, finding: Finding) -> list[tuple[Place, ...]]:
    """Each place without which there is no proof; where places can stand in for each other, all of them at once."""
    told = [text.removeprefix(ASKED).split(OR) for text in finding.guards if finding.passes and text.startswith(ASKED)]
    found = [tuple(map(_place, places)) for places in told]
    return [places for places in found if len(places) > 1 or prover.rests_on(surface, places[0])]


def _place(text: str) -> Place:
    path, _, line = text.rpartition(":")
    return Place(path, int(line))


def proofs_of_mutant(registry: Registry, mutant: Mutant) -> dict[str, Finding]:
    """What the prover says of every surface of the code with the mutant in it."""
    with sources_only(registry) as copy:
        put(mutant, copy)
        return proofs(prover_of(copy))


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
