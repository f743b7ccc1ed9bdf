"""Seals and principals of every kind, asked in odd ways: right, wrong, or about what nobody can tell."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.flow.prover import Prover
from pytest_invariants.registry.reader import read
from pytest_invariants.verdict import Verdict

from tests.flow.test_guard_forms import ENUM
from tests.flow.test_sole_forms import REGISTRY, SEAL, STORE

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED
LOOSE = "def sealed(categories, category):\n    return category not in categories and categories\n"
LAMBDA = "sealed = lambda categories, category: bool(categories) and category not in categories\n"
COMPARING = "sealed = lambda categories, category: not (not categories or category in categories)\n"
LET = "return skill.body"
BOOLEAN = {
    "a lambda": (LAMBDA, "if ASK is True:\n        return None\n    LET", PROVED),
    "a lambda that negates": (COMPARING, "if ASK == False:\n        LET", PROVED),
    "a lambda, inverted": (LAMBDA, "if ASK is False:\n        return None\n    LET", REFUTED),
    "equals something else": (SEAL, "if ASK == name:\n        return None\n    LET", REFUTED),
    "equals nothing": (SEAL, "if ASK == None:\n        LET\n    if ASK:\n        return None\n    LET", PROVED),
    "a list, false": (LOOSE, "if ASK is False:\n        LET", PROVED),
    "a list, not true": (LOOSE, "if ASK == True:\n        return None\n    LET", REFUTED),
    "a list, none": (LOOSE, "if ASK is None:\n        LET", PROVED),
    "a list, not none": (LOOSE, "if ASK is not None:\n        LET", REFUTED),
    "a list, as a truth": (LOOSE, "if ASK:\n        return None\n    LET", PROVED),
    "kept, and asked twice": (
        SEAL,
        "no = ASK\n    if no:\n        return None\n    if no is True:\n        return 1\n    LET",
        PROVED,
    ),
}
OPEN = 'OPEN = "open"\n\n\ndef judge(categories, category):\n    return OPEN if not categories or category in categories else "no"\n'
JUDGED = {
    "a constant": (OPEN, "OPEN", "if JUDGE == seal.OPEN:\n        LET", PROVED),
    "a constant, by its text": (OPEN, "OPEN", "if JUDGE == 'open':\n        LET", PROVED),
    "a constant, another": (OPEN, "OPEN", "if JUDGE == 'no':\n        LET", REFUTED),
    "a constant, as a truth": (OPEN, "OPEN", "if JUDGE:\n        LET", REFUTED),
    "a constant, unknown": (OPEN, "OPEN", "if JUDGE == name:\n        LET", REFUTED),
    "a member in a list": (ENUM, "Verdict.OPEN", "if JUDGE in [seal.Verdict.OPEN]:\n        LET", PROVED),
    "a member in a list of two": (
        ENUM,
        "Verdict.OPEN",
        "if JUDGE in [seal.Verdict.OPEN, seal.Verdict.UNKNOWN]:\n        LET",
        REFUTED,
    ),
    "a member, asked again": (
        ENUM,
        "Verdict.OPEN",
        "told = JUDGE\n    if told is seal.Verdict.OPEN:\n        if told is not seal.Verdict.OPEN:\n            return 1\n        LET",
        PROVED,
    ),
    "a member, and one of all": (
        ENUM,
        "Verdict.OPEN",
        "told = JUDGE\n    if told is seal.Verdict.OPEN and told in (seal.Verdict.OPEN, seal.Verdict.SEALED):\n        LET",
        PROVED,
    ),
    "a member, and none of all": (
        ENUM,
        "Verdict.OPEN",
        "told = JUDGE\n    if told is not seal.Verdict.OPEN:\n        if told is not seal.Verdict.OPEN:\n            return None\n    LET",
        PROVED,
    ),
    "a member with a number": (ENUM, "Verdict.OPEN", "if JUDGE is 1:\n        LET", REFUTED),
}
TURN = """\
import os
import uuid
from dataclasses import dataclass


@dataclass
class Turn:
    category: str
    other: str = ""


@dataclass
class Letter:
    category: str


LAST = Turn("office")
"""
OF_TURN = REGISTRY.replace("principal: [category]", 'principal: {category: "agent.turn:Turn.category"}')
PRINCIPALS = {
    "its field": (OF_TURN, "turn: Turn", "turn.category", PROVED),
    "a constant": (OF_TURN, "turn: Turn", "'office'", REFUTED),
    "another field": (OF_TURN, "turn: Turn", "turn.other", REFUTED),
    "of another class": (OF_TURN, "turn: Turn", "Letter('office').category", REFUTED),
    "of another's letter": (OF_TURN, "turn: Turn, letter: Letter", "letter.category", REFUTED),
    "of the last one": (OF_TURN, "turn: Turn", "LAST.category", REFUTED),
    "what the model wrote": (OF_TURN, "turn: Turn, category", "category", REFUTED),
    "a bare parameter": (OF_TURN, "category", "category", PROVED),
    "of the process": (REGISTRY, "turn: Turn", "os.environ['CATEGORY']", REFUTED),
    "a folder": (REGISTRY, "turn: Turn", "os.getcwd()", REFUTED),
    "a random one": (REGISTRY, "turn: Turn", "uuid.uuid4()", UNDECIDED),
    "a bare name beside the turn": (REGISTRY, "turn: Turn, category", "category", REFUTED),
    "the turn's, undeclared": (REGISTRY, "turn: Turn", "turn.category", PROVED),
    "the turn's in small letters": (REGISTRY, "turn: Turn", "turn.category.lower()", PROVED),
    "the name itself": (REGISTRY, "turn: Turn", "name", REFUTED),
    "the first of the categories": (REGISTRY, "turn: Turn", "skill.categories[0]", REFUTED),
    "of a table by a key": (REGISTRY, "turn: Turn, names: dict", "names['category']", PROVED),
    "of a table by the model": (REGISTRY, "turn: Turn, names: dict, key: str", "names[key]", REFUTED),
}


def verdict(root: Path, seal: str, door: str, registry: str) -> Verdict:
    files = {
        "agent/__init__.py": "", "agent/seal.py": seal, "agent/store.py": STORE, "agent/turn.py": TURN,
        "agent/door.py": door, "entrypoints/registry.yaml": registry, "pyproject.toml": "",
    }  # fmt: skip
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    prover = Prover(read(root / "entrypoints" / "registry.yaml"))
    assert not prover.problems
    return prover.consulted(prover.registry.surfaces[0]).verdict


def door(parameters: str, body: str) -> str:
    head = "import os\nimport uuid\n\nfrom agent import seal\nfrom agent.store import STORE\nfrom agent.turn import LAST, Letter, Turn\n"
    return f"{head}\n\ndef door(name, {parameters}):\n    skill = STORE[name]\n    {body}\n"


@pytest.mark.parametrize("form", BOOLEAN)
def test_an_answer_that_is_a_truth(tmp_path: Path, form: str) -> None:
    text, body, expected = BOOLEAN[form]
    body = body.replace("ASK", "seal.sealed(skill.categories, category)").replace("LET", LET)
    assert verdict(tmp_path, text, door("category", body), REGISTRY) is expected


@pytest.mark.parametrize("form", JUDGED)
def test_an_answer_that_is_a_value(tmp_path: Path, form: str) -> None:
    text, allowed, body, expected = JUDGED[form]
    body = body.replace("JUDGE", "seal.judge(skill.categories, category)").replace("LET", LET)
    registry = REGISTRY.replace("agent.seal:sealed", "agent.seal:judge")
    registry = registry.replace("verdict: sealed", f'verdict: {{is: "agent.seal:{allowed}"}}')
    assert verdict(tmp_path, text, door("category", body), registry) is expected


@pytest.mark.parametrize("form", PRINCIPALS)
def test_whom_the_seal_is_asked_for(tmp_path: Path, form: str) -> None:
    registry, parameters, given, expected = PRINCIPALS[form]
    body = f"if seal.sealed(skill.categories, {given}):\n        return None\n    {LET}"
    assert verdict(tmp_path, SEAL, door(parameters, body), registry) is expected
