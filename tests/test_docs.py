"""The documentation: what is generated is up to date, what is written by hand names things that exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_invariants import docs
from pytest_invariants.catalogue import CATALOGUE
from pytest_invariants.registry.reader import read
from pytest_invariants.report.model import Status
from pytest_invariants.verdict import Reason, Verdict

from tests import readme

ROOT = Path(__file__).resolve().parent.parent
WRITTEN = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
PAGES = [ROOT / name for name in WRITTEN] + sorted((ROOT / "docs").rglob("*.md"))
FENCE = re.compile(r"^(`{3,})([^\n`]*)\n(.*?)^\1[ \t]*$", re.S | re.M)
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(path: Path, language: str) -> Iterator[tuple[list[str], str]]:
    """The fenced blocks of a language: what else stands in the info string, and the code."""
    for match in FENCE.finditer(path.read_text(encoding="utf-8")):
        info = match[2].split()
        if info and info[0] == language:
            yield info[1:], match[3]


def test_the_generated_pages_are_up_to_date() -> None:
    wanted = docs.pages()
    found = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs" / "invariants").glob("*.md")}
    assert found == {page for page in wanted if page.startswith("invariants/")}
    for page, text in wanted.items():
        assert (ROOT / "docs" / page).read_text(encoding="utf-8") == text, "run python -m pytest_invariants.docs"


def test_every_invariant_and_every_reason_code_has_its_page() -> None:
    pages = docs.pages()
    assert len(CATALOGUE) >= 3
    for invariant in CATALOGUE:
        assert invariant.summary in pages[f"invariants/{invariant.id}.md"]
        assert f"invariants/{invariant.id}.md" in pages["README.md"]
    assert all(f"| `{reason}` |" in pages["reasons.md"] for reason in Reason)


def test_writing_changes_what_is_old_and_takes_out_what_is_gone(tmp_path: Path) -> None:
    gone = tmp_path / "invariants" / "gone.md"
    gone.parent.mkdir()
    gone.touch()
    assert gone in docs.write(tmp_path)
    assert not gone.exists()
    assert docs.write(tmp_path) == []
    (tmp_path / "reasons.md").write_text("old")
    assert docs.write(tmp_path) == [tmp_path / "reasons.md"]


def test_the_generator_says_what_it_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert docs.main([str(tmp_path)]) == 0
    assert str(tmp_path / "README.md") in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_every_python_example_parses_and_runs_where_it_says_so(path: Path) -> None:
    for marks, code in blocks(path, "python"):
        ast.parse(code, name(path))
        if "run" in marks:
            exec(compile(code, name(path), "exec"), {"__name__": "example"})


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_every_link_leads_to_a_file(path: Path) -> None:
    for target in LINK.findall(FENCE.sub("", path.read_text(encoding="utf-8"))):
        assert (path.parent / target).exists(), f"{name(path)} links to {target}"


def test_the_readme_shows_a_registry_that_can_be_read(tmp_path: Path) -> None:
    (registry,) = (code for marks, code in blocks(ROOT / "README.md", "yaml") if "registry" in marks)
    path = tmp_path / "entrypoints" / "registry.yaml"
    for folder in ("entrypoints", "agent"):
        (tmp_path / folder).mkdir()
    path.write_text(registry, encoding="utf-8")
    assert len(read(path).surfaces) >= 2


def test_the_readme_shows_what_the_prover_says_of_a_broken_agent() -> None:
    said = readme.broken()
    assert without_figures(readme.shown("broken")) == without_figures(said), "run python -m tests.readme"
    assert "seal-consulted refuted" in said


def without_figures(text: str) -> str:
    """The size of the agent changes with every edit of it, and is no promise."""
    return re.sub(r" in [\d,]+ files, [\d,]+ lines$", "", text, flags=re.M)


def test_the_readme_shows_the_whole_matrix_of_this_agent() -> None:
    """The probe takes its time, and runs in this suite anyway: here only the rows and the columns are compared."""
    text = readme.shown("check")
    surfaces = [surface.id for surface in read(ROOT / "entrypoints" / "registry.yaml").surfaces]
    assert text.endswith("HOLDS\n"), "run python -m tests.readme"
    assert all(re.search(rf"^{re.escape(one)} ", text, re.M) for one in surfaces)
    assert all(invariant.id in text for invariant in CATALOGUE if invariant.prove or invariant.play)


def test_every_command_is_in_the_readme_and_every_option_on_its_page() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    page = docs.pages()["command.md"]
    assert len(docs.commands()) >= 3
    for name, command in docs.commands().items():
        assert f"invariants {name}" in text
        options = set(re.findall(r"--[a-z-]+", command.format_help())) - {"--help"}
        assert {option for option in options if f"`{option}" not in page} == set()


def test_a_bar_in_a_table_does_not_end_its_cell() -> None:
    rows = [line for line in docs.pages()["command.md"].splitlines() if line.startswith("| `--format")]
    assert rows
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 3 for row in rows)


def test_the_readme_explains_every_exit_status_and_every_verdict() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(f"| {int(status)} |" in text for status in Status)
    assert all(f"| *{verdict}* |" in text or f"*{verdict}*" in text for verdict in Verdict)
