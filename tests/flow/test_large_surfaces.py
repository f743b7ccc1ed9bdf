"""A surface that is large is followed less finely: nothing that falls is proved for that, and what is joined is told apart again."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.flow.machine import machine
from pytest_invariants.verdict import Verdict

from tests.flow import specs
from tests.flow.one_surface import GATE, prover_of, verdict_of

PARTS, CHOSEN = 4, 5
"""The cases are checked in so many portions; every fifth of them is."""
CASES = specs.all_cases()[::CHOSEN]


@pytest.mark.parametrize("part", range(PARTS))
def test_joining_paths_early_proves_nothing_wrongly(part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "TIRED", 30)
    cases = CASES[part::PARTS]
    wrong, right = [], 0
    for number, case in enumerate(cases):
        mismatches = specs.check(case, tmp_path / str(number))
        right += not mismatches
        wrong += [case.id for one in mismatches if "WRONGLY" in str(one)]
    assert wrong == []
    assert right > 0.7 * len(cases)


TEST = (
    GATE
    + """
def f(text):
    return otherpack.answer(text)


def look(name, asker):
    found = [name] if f("x") else []
    if found and (f("a") or f("b") or f("c") or f("d")) {test} and (f("e") or f("f") or f("g")):
        return secret(name)
    return None
"""
)


@pytest.mark.parametrize(
    ("test", "verdict"),
    [("and not sealed(name, asker)", Verdict.PROVED), ("or not sealed(name, asker)", Verdict.REFUTED)],
    ids=["and", "or"],
)
@pytest.mark.parametrize("form", ["if", "while", "conditional", "comprehension"])
def test_an_answer_in_the_midst_of_a_long_test_holds_behind_it(
    form: str, test: str, verdict: Verdict, tmp_path: Path
) -> None:
    text = TEST.format(test=test)
    condition = text.partition("    if ")[2].partition(":\n")[0]
    forms = {
        "if": text,
        "while": text.replace("    if found", "    while found"),
        "conditional": text.replace(
            f"    if {condition}:\n        return secret(name)\n    return None",
            f"    return secret(name) if {condition} else None",
        ),
        "comprehension": text.replace(
            f"    if {condition}:\n        return secret(name)\n    return None",
            f"    return [secret(name) for _ in [1] if {condition}]",
        ),
    }
    assert form == "if" or forms[form] != text
    assert verdict_of(tmp_path, "import otherpack\n" + forms[form]) is verdict


ONCE = (
    GATE
    + """
def hand_out(name, asker):
    {guard}
    return secret(name)


class Desk:
    def __init__(self, asker):
        self.asker = asker

    def hand_out(self, name):
        return hand_out(name, asker=self.asker)


def look(name, other, third, asker):
    chosen = other if otherpack.answer(1) else third if otherpack.answer(2) else name
    return {call}
"""
)


@pytest.mark.parametrize(
    ("guard", "proved"),
    [
        ("if sealed(name, asker): return None", True),
        ("if sealed('travel', asker): return None", False),
        ("pass", False),
    ],
    ids=["asks", "asks about another", "does not ask"],
)
@pytest.mark.parametrize(
    "call",
    [
        "hand_out(chosen, asker)",
        "hand_out(asker=asker, name=chosen)",
        "hand_out(*[chosen, asker])",
        "Desk(asker).hand_out(chosen)",
    ],
)
def test_a_callee_that_is_followed_once_for_all_paths(
    call: str, guard: str, proved: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "TIRED", 0)
    prover = prover_of(tmp_path, "import otherpack\n" + ONCE.format(guard=guard, call=call))
    assert (prover.consulted(prover.registry.surfaces[0]).verdict is Verdict.PROVED) is proved
