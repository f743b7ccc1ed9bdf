"""Operators that do not suit a question, and how rare outcomes stand in the kill table."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from pytest_invariants.selftest.model import Half, KillTable, Mutant, Outcome, Question, Ruling, Skipped, Status, Trial
from pytest_invariants.selftest.show import markdown, remarks, text, word
from pytest_invariants.verdict import Finding, Place, Reason, Verdict

from tests.selftest.spoiling import why

CONSTANT = "def door(turn, name):\n    if sealed((), turn.category):  # asked\n        return None\n    return STORE.get(name).body\n"
ENTERED = (
    "def door(turn, name):\n    skill = STORE.get(name)\n    with sealed(skill.categories, turn.category):  # asked\n"
    "        return skill.body\n"
)
RETURNED = (
    "def door(turn, name):\n    skill = STORE.get(name)\n"
    "    return sealed(skill.categories, turn.category) or skill.body  # asked\n"
)


@pytest.mark.parametrize(
    ("operator", "doors", "verdict", "said"),
    [
        ("swap-subject", CONSTANT, "sealed", "the subject is no variable's"),
        ("cache-verdict", ENTERED, "enters", "a context has no answer to keep"),
        ("cache-verdict", RETURNED, "raises", "the question is part of another statement"),
    ],
)
def test_an_operator_says_why_it_does_not_apply(
    tmp_path: Path, operator: str, doors: str, verdict: str, said: str
) -> None:
    assert why(tmp_path, operator, doors, verdict) == said


ASKED = Question(Place("agent/doors.py", 6), "if sealed(skill.categories, turn.category):", ("door",), "door")


def ruling(outcome: Outcome, reason: Reason | None = None, surface: str = "door", half: Half = Half.PROVER) -> Ruling:
    return Ruling(surface, half, outcome, reason)


@pytest.mark.parametrize(
    ("one", "shown"),
    [
        (ruling(Outcome.KILLED, Reason.INVERTED), "inverted"),
        (ruling(Outcome.MISNAMED, Reason.PROXY), "~proxy"),
        (ruling(Outcome.UNDECIDED, Reason.PROXY), "?proxy"),
        (ruling(Outcome.COVERED), "covered"),
        (ruling(Outcome.SURVIVED), "SURVIVED"),
    ],
)
def test_a_ruling_in_a_word(one: Ruling, shown: str) -> None:
    assert word(one) == shown


def table() -> KillTable:
    """Two surfaces: one is spoiled, with a stray; the other is not proved as it stands, and nothing is tried there."""
    proofs = {
        "door": Finding("door", "seal-consulted", Verdict.PROVED, 5),
        "side": Finding("side", "seal-consulted", Verdict.UNDECIDED, 2, Reason.PROXY, message="it is handed on"),
    }
    mutant = Mutant("invert", ASKED, (), ("-if sealed(x):", "+if not sealed(x):"))
    rulings = (ruling(Outcome.UNDECIDED, Reason.PROXY), ruling(Outcome.COVERED, half=Half.PROBE))
    trial = Trial(mutant, rulings, (ruling(Outcome.KILLED, Reason.INVERTED, "back"),))
    registry = SimpleNamespace(seal=SimpleNamespace(at=Place("entrypoints/registry.yaml", 3)))
    skipped = (Skipped("drop-await", ASKED, "nothing is awaited"),)
    operators = ("invert", "drop-await")
    return KillTable(registry, operators, proofs, {}, (ASKED,), (trial,), skipped)  # type: ignore[arg-type]


def test_what_a_reader_has_to_know_besides() -> None:
    assert list(remarks(table())) == [
        "side: seal-consulted is undecided (proxy) as it stands: it is handed on",
        "side: no mutant was tried there",
        "back: falls too (inverted) with invert at agent/doors.py:6, on which its proof does not hang",
    ]


@pytest.mark.parametrize("shown", [text(table()), markdown(table())])
def test_rare_outcomes_stand_in_the_table(shown: str) -> None:
    assert "?proxy + covered" in shown
    assert "does not apply: drop-await (nothing is awaited)" in shown
    assert "falls too (inverted)" in shown
    assert table().status() is Status.NOTHING
