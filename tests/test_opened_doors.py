"""This repository's agent with a door left open: one question is taken out of a copy, and what falls is what hangs on it.

The prover says which surfaces hang on which question. The probe, which knows nothing of that, has to come to the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from pytest_invariants.registry.reader import read
from pytest_invariants.selftest import playing, proving
from pytest_invariants.selftest.code import Code
from pytest_invariants.selftest.model import Mutant, Question
from pytest_invariants.selftest.mutants import mutant
from pytest_invariants.selftest.operators import BY_ID
from pytest_invariants.selftest.questions import Asking, askings, every_question
from pytest_invariants.verdict import Finding

REGISTRY = read(Path(__file__).parent.parent / "entrypoints" / "registry.yaml")
SURFACES = tuple(surface.id for surface in REGISTRY.surfaces)

COVERED = {"frozen_step": "the names of open groups are a second filter there, which is at work when a table is made"}
"""Surfaces from which nothing comes out at run time when one question is gone, and why."""


@dataclass(frozen=True)
class Standing:
    """The agent as it stands: what both halves say of each surface, and the questions."""

    proofs: Mapping[str, Finding]
    plays: Mapping[str, Finding]
    askings: Mapping[Question, Asking]

    def of(self, surface: str) -> list[Question]:
        return [question for question in self.askings if surface in question.surfaces]

    def leaking(self, question: Question) -> set[str]:
        """Where the probe has to see something come out: its host plays one of the ways through a surface."""
        return {one for one in question.surfaces if len(self.of(one)) == 1 and one not in COVERED}


@cache
def standing() -> Standing:
    prover = proving.prover_of(REGISTRY)
    proofs = proving.proofs(prover)
    asked = askings(Code(REGISTRY), proving.hanging(prover, proofs))
    return Standing(proofs, playing.plays(REGISTRY, SURFACES), {one.question: one for one in asked if not one.relayed})


@cache
def opened(question: Question) -> tuple[frozenset[str], frozenset[str]]:
    """The surfaces that fall when the question is taken out: for the prover, and for the probe."""
    made = without(standing().askings[question])
    return fallen(proving.proofs_of_mutant(REGISTRY, made)), fallen(playing.plays(REGISTRY, SURFACES, made))


def without(asking: Asking) -> Mutant:
    made = mutant(Code(REGISTRY), asking, BY_ID["drop-guard"])
    assert isinstance(made, Mutant), made
    return made


def fallen(findings: Mapping[str, Finding]) -> frozenset[str]:
    return frozenset(surface for surface, finding in findings.items() if not finding.passes)


@pytest.mark.parametrize("surface", SURFACES)
def test_every_surface_stands_and_hangs_on_a_question(surface: str) -> None:
    assert standing().proofs[surface].passes
    assert standing().plays[surface].passes
    assert standing().of(surface)


@pytest.mark.parametrize("surface", SURFACES)
def test_exactly_the_surfaces_that_hang_on_a_question_fall_with_it(surface: str) -> None:
    for question in standing().of(surface):
        proved, played = opened(question)
        assert proved == frozenset(question.surfaces), question.at
        assert standing().leaking(question) <= played <= proved, question.at


@pytest.mark.parametrize("surface", [surface for surface in SURFACES if surface not in COVERED])
def test_the_probe_sees_every_surface_fall_with_one_of_its_questions(surface: str) -> None:
    assert any(surface in opened(question)[1] for question in standing().of(surface))


def test_an_agent_that_asks_nothing_falls_everywhere() -> None:
    every = every_question(Code(REGISTRY))
    assert every is not None
    bare = without(every)
    assert fallen(proving.proofs_of_mutant(REGISTRY, bare)) == frozenset(SURFACES)
    assert fallen(playing.plays(REGISTRY, SURFACES, bare)) == frozenset(SURFACES)
