"""`docs/semantic-mutants.md` speaks of the mutants that are declared, and none of them survived."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.catalogue import CATALOGUE
from pytest_invariants.registry.reader import read
from pytest_invariants.selftest.edits import Declared, read_mutants
from pytest_invariants.selftest.semantic_show import COMMAND

ROOT = Path(__file__).resolve().parent.parent.parent
FILE, PAGE = "tests/agent/mutants.yaml", "docs/semantic-mutants.md"
NOT_OF_THIS_AGENT = {"loaded-grows"}
"""Invariants that this agent declares away: it follows its history."""


@pytest.fixture(scope="module")
def page() -> str:
    return (ROOT / PAGE).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def declared() -> tuple[Declared, ...]:
    """Reading them compares each with the code: a text that no longer stands there once is an error."""
    return read_mutants(ROOT / FILE, read(ROOT / "entrypoints" / "registry.yaml"))


def rows(page: str) -> list[tuple[str, str, str]]:
    """The mutants of the page: invariant, id and words."""
    found: list[tuple[str, str, str]] = []
    for section in page.split("\n## ")[1:]:
        invariant, _, body = section.partition("\n")
        cells = [line.strip("| ").split(" | ") for line in body.splitlines() if line.startswith("| `")]
        found += [(invariant, row[0].strip("`"), row[1]) for row in cells]
    return found


def test_the_page_has_the_mutants_that_are_declared(page: str, declared: tuple[Declared, ...]) -> None:
    wanted = sorted((one.invariant, one.id, one.what.replace("|", "\\|")) for one in declared)
    assert sorted(rows(page)) == wanted, COMMAND.format(file=FILE, output=PAGE)


def test_no_mutant_of_the_page_survived(page: str, declared: tuple[Declared, ...]) -> None:
    assert f"{len(declared)} mutants: {len(declared)} killed." in page
    assert page.count(" | killed (") == len(declared)


def test_there_are_many_and_every_invariant_has_one(declared: tuple[Declared, ...]) -> None:
    assert len(declared) >= 60
    wanted = {one.id for one in CATALOGUE if one.family != "server"} - NOT_OF_THIS_AGENT
    assert {one.invariant for one in declared} == wanted


def test_a_page_of_yesterday_is_noticed(page: str, declared: tuple[Declared, ...]) -> None:
    assert ("seal-decides", "index-kept") in {row[:2] for row in rows(page)}
    assert rows(page.replace("| `index-kept` |", "| `index-held` |", 1)) != rows(page)
