"""Odd ways to test the seal's answer: the right ones are no alarm, and the wrong ones are no proof."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.flow.prover import Prover
from pytest_invariants.registry.reader import read
from pytest_invariants.verdict import Verdict

from tests.flow.test_sole_forms import DOOR, REGISTRY, SEAL, STORE

ENUM = """\
from enum import Enum


class Verdict(Enum):
    OPEN = "open"
    SEALED = "sealed"
    UNKNOWN = "unknown"


def judge(categories, category):
    if not categories or category in categories:
        return Verdict.OPEN
    return Verdict.SEALED if category else Verdict.UNKNOWN
"""
HEAD = DOOR.partition("    if sealed")[0]
ENUM_HEAD = HEAD.replace("import sealed", "import Verdict, judge")
ENUM_REGISTRY = REGISTRY.replace("agent.seal:sealed", "agent.seal:judge").replace(
    "verdict: sealed", 'verdict: {is: "agent.seal:Verdict.OPEN"}'
)
ASK, JUDGE = "sealed(skill.categories, category)", "judge(skill.categories, category)"
LET = "return skill.body"
RIGHT = {
    "is True": "if ASK is True:\n        return None\n    LET",
    "is False": "if ASK is False:\n        LET",
    "is not False": "if ASK is not False:\n        return None\n    LET",
    "equals": "if ASK == False:\n        LET",
    "differs": "if ASK != False:\n        return None\n    LET",
    "the other way round": "if True == ASK:\n        return None\n    LET",
    "one of": "if ASK in (True,):\n        return None\n    LET",
    "none of": "if ASK not in [True]:\n        LET",
    "bool": "if bool(ASK):\n        return None\n    LET",
    "twice not": "if not not ASK:\n        return None\n    LET",
    "a match": "match ASK:\n        case True:\n            return None\n        case False:\n            LET",
    "a match with a guard": "match skill:\n        case Skill() if not ASK:\n            LET",
    "a conditional": "return None if ASK else skill.body",
    "and": "return not ASK and skill.body",
    "or": "return ASK or skill.body",
    "a walrus": "if (no := ASK):\n        return None\n    return (no, skill.body)",
    "a table of two": "return {True: lambda: None, False: lambda: skill.body}[ASK]()",
    "an exception": "if ASK:\n        raise PermissionError(name)\n    LET",
    "a loop that ends": "while ASK:\n        return None\n    LET",
    "a loop that goes on": "for one in [skill]:\n        if ASK:\n            continue\n        LET",
    "any": "if any([ASK]):\n        return None\n    LET",
    "all": "if all([not ASK]):\n        LET",
    "kept in a tuple": "no, held = ASK, skill\n    if no:\n        return None\n    return held.body",
    "kept in a dictionary": "told = {'no': ASK}\n    if told['no']:\n        return None\n    LET",
    "a nested function": "def no():\n        return ASK\n\n    if no():\n        return None\n    LET",
    "a lambda": "no = lambda: ASK\n    if no():\n        return None\n    LET",
    "a set": "if ASK in {True}:\n        return None\n    LET",
    "a dictionary": "if ASK in {True: 'no'}:\n        return None\n    LET",
    "two questions": "if ASK or not name:\n        return None\n    LET",
}
WRONG = {
    "not asked": "LET",
    "not looked at": "ASK\n    LET",
    "inverted": "if not ASK:\n        return None\n    LET",
    "is None": "if ASK is None:\n        return None\n    LET",
    "is not None": "if ASK is not None:\n        LET",
    "equals a text": "if ASK == 'yes':\n        return None\n    LET",
    "one of both": "if ASK in (True, False):\n        LET",
    "none of nothing": "if ASK not in ():\n        LET",
    "or something else": "if not ASK or name:\n        LET",
    "and something else": "if ASK and name:\n        return None\n    LET",
    "asserted": "assert not ASK\n    LET",
    "swallowed": "try:\n        if ASK:\n            raise PermissionError\n    except PermissionError:\n        pass\n    LET",
    "the function itself": "if not sealed:\n        return None\n    LET",
    "about a constant": "if sealed((), category):\n        return None\n    LET",
    "for a constant": "if sealed(skill.categories, 'office'):\n        return None\n    LET",
    "a match that lets all": "match ASK:\n        case _:\n            LET",
    "in one branch": "if name:\n        if ASK:\n            return None\n    LET",
    "of the first": "no = sealed(STORE['a'].categories, category)\n    if no:\n        return None\n    LET",
    "none of both": "if ASK not in (True, False):\n        return None\n    LET",
    "a length": "if len(str(ASK)) > 9:\n        return None\n    LET",
}
NONE_OF_BOTH = """\
given = JUDGE
    if given is Verdict.SEALED:
        return None
    if given == Verdict.UNKNOWN:
        return None
    LET"""
FALLS_THROUGH = """\
match JUDGE:
        case Verdict.SEALED:
            return None
        case Verdict.UNKNOWN:
            return None
        case _:
            LET"""
ENUM_RIGHT = {
    "is": "if JUDGE is Verdict.OPEN:\n        LET",
    "is not": "if JUDGE is not Verdict.OPEN:\n        return None\n    LET",
    "equals": "if JUDGE == Verdict.OPEN:\n        LET",
    "one of one": "if JUDGE in (Verdict.OPEN,):\n        LET",
    "none of the others": "if JUDGE not in (Verdict.SEALED, Verdict.UNKNOWN):\n        LET",
    "its value": "if JUDGE.value == 'open':\n        LET",
    "its name": "if JUDGE.name == 'OPEN':\n        LET",
    "a match": "match JUDGE:\n        case Verdict.OPEN:\n            LET\n        case _:\n            return None",
    "a match of others": "match JUDGE:\n        case Verdict.SEALED | Verdict.UNKNOWN:\n            return None\n    LET",
    "one after the other": NONE_OF_BOTH,
    "a value that is none of the others": "if JUDGE.value not in ('sealed', 'unknown'):\n        LET",
    "a name that is none of the others": "if JUDGE.name in {'SEALED', 'UNKNOWN'}:\n        return None\n    LET",
    "a match with a fall-through": FALLS_THROUGH,
    "a table": "return {Verdict.OPEN: lambda: skill.body}.get(JUDGE, lambda: None)()",
}
ENUM_WRONG = {
    "not sealed": "if JUDGE is not Verdict.SEALED:\n        LET",
    "as a truth": "if JUDGE:\n        LET",
    "any of them": "if JUDGE in Verdict:\n        LET",
    "one of two": "if JUDGE in (Verdict.OPEN, Verdict.UNKNOWN):\n        LET",
    "its value": "if JUDGE.value != 'sealed':\n        LET",
    "its name": "if JUDGE.name != 'SEALED':\n        LET",
    "another's value": "if JUDGE == 'open':\n        return None\n    LET",
    "a match": "match JUDGE:\n        case Verdict.SEALED:\n            return None\n        case _:\n            LET",
    "a table": "return {Verdict.SEALED: lambda: None}.get(JUDGE, lambda: skill.body)()",
    "none of one other": "if JUDGE not in (Verdict.SEALED,):\n        LET",
    "one after another": NONE_OF_BOTH.replace("UNKNOWN", "SEALED"),
    "None": "if JUDGE is None:\n        return None\n    LET",
}


def verdict(root: Path, body: str, *, enum: bool = False, judge: str = ENUM) -> Verdict:
    written = body.replace("ASK", ASK).replace("JUDGE", JUDGE).replace("LET", LET)
    files = {
        "agent/__init__.py": "", "agent/seal.py": judge if enum else SEAL, "agent/store.py": STORE,
        "agent/door.py": f"{ENUM_HEAD if enum else HEAD}    {written}\n",
        "entrypoints/registry.yaml": ENUM_REGISTRY if enum else REGISTRY, "pyproject.toml": "",
    }  # fmt: skip
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    prover = Prover(read(root / "entrypoints" / "registry.yaml"))
    assert not prover.problems
    return prover.consulted(prover.registry.surfaces[0]).verdict


FALLS = ENUM.replace(
    "    return Verdict.SEALED if category else Verdict.UNKNOWN", "    if category:\n        return Verdict.SEALED"
)


def test_a_seal_that_may_answer_with_nothing_has_not_said_yes(tmp_path: Path) -> None:
    body = "if JUDGE not in (Verdict.SEALED, Verdict.UNKNOWN):\n        LET"
    assert verdict(tmp_path, body, enum=True, judge=FALLS) is Verdict.REFUTED


@pytest.mark.parametrize("form", RIGHT)
def test_a_right_question_is_no_alarm(tmp_path: Path, form: str) -> None:
    assert verdict(tmp_path, RIGHT[form]) is Verdict.PROVED


@pytest.mark.parametrize("form", WRONG)
def test_a_wrong_question_is_no_proof(tmp_path: Path, form: str) -> None:
    assert verdict(tmp_path, WRONG[form]) is Verdict.REFUTED


@pytest.mark.parametrize("form", ENUM_RIGHT)
def test_a_right_question_to_a_seal_with_three_answers(tmp_path: Path, form: str) -> None:
    assert verdict(tmp_path, ENUM_RIGHT[form], enum=True) is Verdict.PROVED


@pytest.mark.parametrize("form", ENUM_WRONG)
def test_a_wrong_question_to_a_seal_with_three_answers(tmp_path: Path, form: str) -> None:
    assert verdict(tmp_path, ENUM_WRONG[form], enum=True) is Verdict.REFUTED
