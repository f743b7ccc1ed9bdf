"""Questions of odd shapes: what each operator makes of them, or why it does not apply."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from pytest_invariants.selftest.arguments import root_name
from pytest_invariants.selftest.handling import _globals

from tests.selftest.spoiling import diff, why

CALL = "sealed(skill.categories, turn.category)"
LOOKED_UP = "def door(turn, name):\n    skill = STORE.get(name)\n"
ASYNC = f"async def door(turn, name):\n    skill = STORE.get(name)\n    async with {CALL}:  # asked\n        return skill.body\n"
NAMED = f"{LOOKED_UP}    if (no := {CALL}) is True:  # asked\n        return None\n    return skill.body\n"
TYPED = (
    "def door(turn, name, other):\n    skill: Skill = STORE.get(name)\n    second: Skill = STORE.get(other)\n"
    f"    if {CALL}:  # asked\n        return None\n    return skill.body\n"
)
PAIRS = (
    f"def door(turn):\n    return [skill.body for (number, skill) in enumerate(STORE.all()) if not {CALL}]  # asked\n"
)
WAITED = f"async def door(turn, many):\n    return (skill.body async for skill in many if not {CALL})  # asked\n"


@pytest.mark.parametrize(
    ("operator", "doors", "verdict", "said"),
    [
        ("drop-guard", ASYNC, "enters", "the seal is entered asynchronously"),
        ("append-after", WAITED, "sealed", "the list is drawn asynchronously"),
    ],
)
def test_what_cannot_be_spoiled_is_said(tmp_path: Path, operator: str, doors: str, verdict: str, said: str) -> None:
    assert why(tmp_path, operator, doors, verdict) == said


def test_a_question_with_a_name_is_turned_as_a_whole(tmp_path: Path) -> None:
    assert diff(tmp_path, "invert", NAMED) == [
        f"-if (no := {CALL}) is True:",
        f"+if not (no := {CALL}) is True:",
    ]


def test_things_that_are_declared_alike_are_swapped(tmp_path: Path) -> None:
    assert "+if sealed(second.categories, turn.category):" in diff(tmp_path, "swap-subject", TYPED)


def test_the_first_of_pairs_is_asked_about_every_time(tmp_path: Path) -> None:
    (put,) = [line for line in diff(tmp_path, "ask-once", PAIRS) if line.startswith("+")]
    assert "if not sealed(next(iter(enumerate(STORE.all())))[1].categories, turn.category)" in put


def test_an_answer_of_the_seals_own_module(tmp_path: Path) -> None:
    """Where the seal is asked beside its definition, its member needs no import."""
    verdict = '{is: "agent.doors:Verdict.OPEN"}'
    head = f"class Verdict:\n    OPEN = 1\n\n\n{LOOKED_UP}    told = {CALL}  # asked\n"
    doors = f"{head}    if told is not Verdict.OPEN:\n        return None\n    return skill.body\n"
    changed = diff(tmp_path, "drop-guard", doors, verdict, "def sealed(categories, category):\n    return 1\n")
    assert "+told = Verdict.OPEN" in changed
    assert not [line for line in changed if "import" in line]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("skill.facts['a']", "skill"),
        ("of(skill.name)", "skill"),
        ("shelf.first()", "shelf"),
        ("(await shelf).x", "shelf"),
        ("'text'.x", None),
        ("(1 + 2).x", None),
    ],
)
def test_from_which_variable_an_expression_starts(text: str, name: str | None) -> None:
    found = root_name(ast.parse(text, mode="eval").body)
    assert (found and found.id) == name


def test_what_a_module_binds() -> None:
    tree = ast.parse(
        "import a.b, c as d\nfrom e import f\nG = 1\nh.i = 2\nj: int = 3\nk[0]: int = 4\ndef l(): ...\nclass M: ...\n"
    )
    assert _globals(tree) == {"a", "d", "f", "G", "j", "l", "M"}
