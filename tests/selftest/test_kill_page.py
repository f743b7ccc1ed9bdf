"""`docs/kill-table.md` speaks of the agent as it is: the same questions and mutants, and none that survived."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pytest_invariants.registry.reader import read
from pytest_invariants.selftest import proving
from pytest_invariants.selftest.code import Code
from pytest_invariants.selftest.model import Mutant
from pytest_invariants.selftest.mutants import mutants
from pytest_invariants.selftest.operators import OPERATORS
from pytest_invariants.selftest.questions import askings
from pytest_invariants.selftest.show import NOTICE

ROOT = Path(__file__).resolve().parent.parent.parent

Row = tuple[str, str, str, tuple[str, ...]]
"""Of a mutant: file and function, the line of source, the operator, and the surfaces."""


@pytest.fixture(scope="module")
def page() -> str:
    return (ROOT / "docs" / "kill-table.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def planned() -> list[Row]:
    """The mutants that the agent has."""
    registry = read(ROOT / "entrypoints" / "registry.yaml")
    prover = proving.prover_of(registry)
    code = Code(registry)
    asked = askings(code, proving.hanging(prover, proving.proofs(prover)))
    made = [one for one in mutants(code, asked) if isinstance(one, Mutant)]
    return [(f"{q.at.path}: {q.function}", q.source, one.operator, q.surfaces) for one in made for q in (one.question,)]


def tabled(page: str) -> list[Row]:
    """The mutants that stand on the page."""
    found: list[Row] = []
    for section in page.split("\n## ")[1:]:
        title, _, body = section.partition("\n")
        source = re.search(r"^`(.*?)`(?: leads|$)", body, re.MULTILINE)
        assert source is not None, title
        head, _, *rows = [line.strip("| ").split(" | ") for line in body.splitlines() if line.startswith("|")]
        found += [(title, source[1], row[0], tuple(head[1:])) for row in rows]
    return found


def test_the_page_has_the_mutants_that_the_agent_has(page: str, planned: list[Row]) -> None:
    assert planned
    assert tabled(page) == planned, NOTICE


def test_no_mutant_of_the_page_survived(page: str) -> None:
    assert "KILLED: every mutant was noticed" in page
    assert "SURVIVED" not in page


def test_every_operator_stands_on_the_page(page: str) -> None:
    for operator in OPERATORS:
        assert f"| `{operator.id}` | {operator.summary} |" in page


def test_a_page_of_yesterday_is_noticed(page: str, planned: list[Row]) -> None:
    assert tabled(page.replace("| drop-guard |", "| drop-gaurd |", 1)) != planned
