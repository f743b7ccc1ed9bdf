"""The pages of semantic mutants speak of those that are declared, and none of them survived."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from pytest_invariants.catalogue import CATALOGUE
from pytest_invariants.registry.reader import read
from pytest_invariants.selftest.edits import Declared, read_mutants
from pytest_invariants.selftest.semantic_show import command

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class Page:
    """What a page was made of: the mutants, and the registry of the agent that they spoil."""

    file: str
    output: str
    registry: str = ""

    def text(self) -> str:
        return (ROOT / self.output).read_text(encoding="utf-8")

    def declared(self) -> tuple[Declared, ...]:
        """Reading them compares each with the code: a text that no longer stands there once is an error."""
        return read_mutants(ROOT / self.file, read(ROOT / (self.registry or "entrypoints/registry.yaml")))

    @property
    def written_by(self) -> str:
        return command(self.file, self.output, self.registry)


HISTORY = Page("tests/agent/mutants.yaml", "docs/semantic-mutants.md")
GROWING = Page("tests/agent/growing_mutants.yaml", "docs/growing-mutants.md", "tests/agent/growing.yaml")
"""The agent declares that what is loaded follows the history; its sessions can also let it grow."""
PAGES = [HISTORY, GROWING]


def named(page: Page) -> str:
    return page.output


def rows(text: str) -> list[tuple[str, str, str]]:
    """The mutants of a page: invariant, id and words."""
    found: list[tuple[str, str, str]] = []
    for section in text.split("\n## ")[1:]:
        invariant, _, body = section.partition("\n")
        cells = [line.strip("| ").split(" | ") for line in body.splitlines() if line.startswith("| `")]
        found += [(invariant, row[0].strip("`"), row[1]) for row in cells]
    return found


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_a_page_has_the_mutants_that_are_declared(page: Page) -> None:
    wanted = sorted((one.invariant, one.id, one.what.replace("|", "\\|")) for one in page.declared())
    assert sorted(rows(page.text())) == wanted, page.written_by


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_a_page_says_how_it_was_written(page: Page) -> None:
    assert page.text().startswith(f"<!-- Written by `{page.written_by}`. -->\n")


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_no_mutant_of_a_page_survived(page: Page) -> None:
    number = len(page.declared())
    assert f"{number} mutants: {number} killed." in page.text()
    assert page.text().count(" | killed (") == number


def test_there_are_many_and_every_invariant_of_an_agent_has_one() -> None:
    declared = [one for page in PAGES for one in page.declared()]
    assert len(declared) >= 60
    assert {one.invariant for one in declared} == {one.id for one in CATALOGUE if one.family != "server"}


def test_a_page_of_yesterday_is_noticed() -> None:
    text = HISTORY.text()
    assert ("seal-decides", "index-kept") in {row[:2] for row in rows(text)}
    assert rows(text.replace("| `index-kept` |", "| `index-held` |", 1)) != rows(text)
