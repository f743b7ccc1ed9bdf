"""This repository's agent with a door left open: one question is taken out of a copy, and what falls is what hangs on it.

The prover says which surfaces hang on which question. The probe, which knows nothing of that, has to come to the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from pytest_invariants.registry.model import Registry
from pytest_invariants.registry.reader import read
from pytest_invariants.selftest import playing, proving
from pytest_invariants.selftest.code import Code
from pytest_invariants.selftest.model import Mutant, Question
from pytest_invariants.selftest.mutants import mutant
from pytest_invariants.selftest.operators import BY_ID
from pytest_invariants.selftest.questions import Asking, askings
from pytest_invariants.verdict import Finding, Verdict

REGISTRY = read(Path(__file__).parent.parent / "entrypoints" / "registry.yaml")
SURFACES = tuple(surface.id for surface in REGISTRY.surfaces)


@dataclass(frozen=True)
class Standing:
    """The agent as it stands: what both halves say of each surface, and the questions."""

    proofs: Mapping[str, Finding]
    plays: Mapping[str, Finding]
    questions: Mapping[Question, Asking]

    @property
    def played(self) -> frozenset[str]:
        return frozenset(surface for surface, finding in self.plays.items() if finding.verdict is Verdict.HELD)


@cache
def standing() -> Standing:
    prover = proving.prover_of(REGISTRY)
    proofs = proving.proofs(prover)
    asked = askings(Code(REGISTRY), proving.hanging(prover, proofs))
    return Standing(proofs, playing.plays(REGISTRY, SURFACES), {one.question: one for one in asked if not one.relayed})


@cache
def opened(question: Question) -> tuple[frozenset[str], frozenset[str]]:
    """The surfaces that fall when the question is taken out: those that the prover refutes, and those that the probe does."""
    made = mutant(Code(REGISTRY), standing().questions[question], BY_ID["drop-guard"])
    assert isinstance(made, Mutant), made
    return fallen(proving.proofs_of_mutant(REGISTRY, made)), fallen(playing.plays(REGISTRY, SURFACES, made))


def fallen(findings: Mapping[str, Finding]) -> frozenset[str]:
    return frozenset(surface for surface, finding in findings.items() if finding.verdict is Verdict.REFUTED)


def questions_of(surface: str) -> list[Question]:
    return [question for question in standing().questions if surface in question.surfaces]


@pytest.mark.parametrize("surface", SURFACES)
def test_every_surface_stands_as_it_is_and_hangs_on_a_question(surface: str) -> None:
    assert standing().proofs[surface].verdict is Verdict.PROVED
    assert questions_of(surface)


@pytest.mark.parametrize("surface", SURFACES)
def test_exactly_the_surfaces_that_hang_on_a_question_fall_with_it(surface: str) -> None:
    for question in questions_of(surface):
        proved, played = opened(question)
        assert proved == frozenset(question.surfaces), question.at
        assert played == frozenset(question.surfaces) & standing().played, question.at


def test_the_host_plays_all_but_the_surfaces_that_are_made_of_others() -> None:
    assert frozenset(SURFACES) - standing().played <= {"dispatch", "frozen_step"}


def test_the_agent_itself_was_not_touched(registry: Registry = REGISTRY) -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in (registry.root / "entrypoints").glob("*.py")}
    for question in standing().questions:
        assert question.source in texts[registry.root / question.at.path]
