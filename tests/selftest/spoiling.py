"""One operator on one question of a small agent, without a prover: the lines that it changes, or why it skips it."""

from __future__ import annotations

from pathlib import Path

from pytest_invariants.selftest.code import Code
from pytest_invariants.selftest.model import Mutant, Skipped
from pytest_invariants.selftest.mutants import mutant
from pytest_invariants.selftest.operators import BY_ID
from pytest_invariants.selftest.questions import askings
from pytest_invariants.verdict import Place

from tests.selftest.agents import HEAD, write

MARK = "# asked"


def spoil(root: Path, operator: str, doors: str, verdict: str = "sealed", seal: str = "") -> Mutant | Skipped:
    """The mutant of the lines that are marked `# asked`, where the doors have a surface `door`."""
    registry = write(root, doors, {"door": "both"}, verdict, seal)
    lines = (HEAD + doors).split("\n")
    places = tuple(Place("agent/doors.py", number) for number, line in enumerate(lines, start=1) if MARK in line)
    code = Code(registry)
    asking, *_ = askings(code, {places: ("door",)})
    return mutant(code, asking, BY_ID[operator])


def diff(root: Path, operator: str, doors: str, verdict: str = "sealed", seal: str = "") -> list[str]:
    """The lines that the operator takes away and puts in, without their indentation."""
    made = spoil(root, operator, doors, verdict, seal)
    assert isinstance(made, Mutant), made
    return [line[0] + line[1:].strip() for line in made.diff]


def why(root: Path, operator: str, doors: str, verdict: str = "sealed", seal: str = "") -> str:
    """Why the operator does not apply."""
    made = spoil(root, operator, doors, verdict, seal)
    assert isinstance(made, Skipped), made
    return made.why
