"""What the page on MCP servers lets a user copy works as it stands, and its table is complete."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest
from pytest_invariants import cli
from pytest_invariants.commands.server import SERVED

from tests.hosts.pages import PAGES, example


def test_the_example_holds_as_it_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "server.py").write_text(example("mcp"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}", prepend=":")
    program, *arguments = shlex.split(example("mcp", "console"))
    assert program == "invariants"
    assert cli.main(arguments) == 0
    out = capsys.readouterr().out
    assert out.startswith("python server.py: notes")
    assert out.endswith("HOLDS\n")


def test_the_page_names_every_invariant_that_a_server_is_asked() -> None:
    text = (PAGES / "mcp.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| \[`([a-z-]+)`\]", text, re.M)) == {invariant.id for invariant in SERVED}
