"""The prover against programs that nobody wrote: what leaks is never proved, and what is honest is seldom refuted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from pytest_invariants.verdict import Finding, Reason, Verdict

from tests.fuzz import generate, judge, truth
from tests.fuzz.judge import Judged, Outcome
from tests.fuzz.shrink import shrink
from tests.fuzz.tree import Program

SEED, PROGRAMS = 1, 300
FALSE_ALARMS, UNDECIDED = 0.04, 0.05
"""Shares that may only go down."""

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def programs() -> Iterator[list[Program]]:
    yield [generate.draw(seed) for seed in range(SEED, SEED + PROGRAMS)]
    judge.close()


@pytest.fixture(scope="module")
def judged(programs: list[Program]) -> list[tuple[Program, Judged]]:
    return [(program, judge.judge(program)) for program in programs]


def examples(judged: list[tuple[Program, Judged]], outcome: Outcome) -> str:
    found = [(program, result) for program, result in judged if result.outcome is outcome]
    shown = (f"{result.said}\n{result.observed.example}\n{generate.doors(program)}" for program, result in found[:3])
    return f"{len(found)} {outcome}\n\n" + "\n\n".join(shown)


@pytest.mark.parametrize("outcome", [Outcome.MISSED, Outcome.CRASHED])
def test_never(judged: list[tuple[Program, Judged]], outcome: Outcome) -> None:
    assert not any(result.outcome is outcome for _, result in judged), examples(judged, outcome)


@pytest.mark.parametrize(("outcome", "share"), [(Outcome.FALSE_ALARM, FALSE_ALARMS), (Outcome.UNDECIDED, UNDECIDED)])
def test_seldom(judged: list[tuple[Program, Judged]], outcome: Outcome, share: float) -> None:
    count = sum(result.outcome is outcome for _, result in judged)
    assert count <= share * len(judged), examples(judged, outcome)


def test_the_programs_are_a_mix(judged: list[tuple[Program, Judged]]) -> None:
    truths = Counter(result.observed.truth for _, result in judged)
    assert 0.3 < truths[truth.Truth.LEAKS] / PROGRAMS < 0.7
    assert truths[truth.Truth.HONEST] / PROGRAMS > 0.25
    assert len({generate.doors(program) for program, _ in judged}) > 0.97 * PROGRAMS
    assert len({node.rule for program, _ in judged for node in program.root.walk()}) > 0.65 * sum(
        map(len, generate.GRAMMAR.rules.values())
    )


@pytest.mark.parametrize(
    ("verdict", "outcome", "share"),
    [(Verdict.PROVED, Outcome.MISSED, 0.3), (Verdict.REFUTED, Outcome.FALSE_ALARM, 0.2)],
)
def test_a_prover_with_one_answer_is_caught(
    monkeypatch: pytest.MonkeyPatch, programs: list[Program], verdict: Verdict, outcome: Outcome, share: float
) -> None:
    monkeypatch.setattr(judge, "ask", lambda _: Finding("door", "seal-consulted", verdict))
    outcomes = Counter(judge.judge(program).outcome for program in programs)
    assert outcomes[outcome] > share * PROGRAMS


def test_a_prover_that_looks_for_a_call_is_caught_and_its_mistake_is_shrunk(
    monkeypatch: pytest.MonkeyPatch, programs: list[Program]
) -> None:
    """A naive prover: the seal's name stands in the text, so all is well."""
    monkeypatch.setattr(judge, "ask", by_name)
    missed = [program for program in programs if judge.judge(program).outcome is Outcome.MISSED]
    assert len(missed) > 0.3 * PROGRAMS
    large = max(missed, key=lambda program: program.root.size())
    small = shrink(large, lambda candidate: judge.judge(candidate).outcome is Outcome.MISSED)
    assert generate.doors(small).count("\n") < 25 < generate.doors(large).count("\n") / 2


def by_name(program: Program) -> Finding:
    reaches = generate.doors(program).count(generate.SEAL_NAMES[program.kind].split(", ")[-1]) > 1
    verdict = Verdict.PROVED if reaches else Verdict.REFUTED
    return Finding("door", "seal-consulted", verdict, reason=Reason.NEVER_REACHES_SEAL)
