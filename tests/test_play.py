"""`invariants play`: a script is played again, its answers are shown, and every mistake in it is named at once."""

from __future__ import annotations

import textwrap
from itertools import count
from pathlib import Path

import pytest
from pytest_invariants.cli import main

NUMBERS = count()
AGENT = """
from pytest_invariants import Host, Outcome

def sealed(categories, thread_category=None):
    return bool(categories)

class Agent(Host):
    skills = ("notes", "payroll")

    def open(self, facts):
        self.opened = set()

    def seal_arguments(self, skill):
        return {"categories": [skill]}

    def index(self):
        return [name for name in self.skills if not sealed([name])]

    def activate(self, name):
        return Outcome(name in self.opened or (name in self.skills and not sealed([name])))

    def load(self, name):
        self.opened.add(name)
"""
ROWS = """
version: 1
code: [agent]
seal: {{function: "{0}:sealed", verdict: sealed, subject: [categories], principal: [thread_category]}}
capabilities: [{{of: "{0}:Agent.load", grant: value}}]
surfaces:
  index: {{function: "{0}:Agent.index", manner: browse}}
  activate: {{function: "{0}:Agent.activate", manner: named}}
"""


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An agent in a package of its own name, so that no test sees the module of another."""
    package = f"played_{next(NUMBERS)}"
    folder = tmp_path / package
    folder.mkdir()
    (folder / "__init__.py").write_text(AGENT, encoding="utf-8")
    rows = textwrap.dedent(ROWS.format(package)).replace("code: [agent]", f"code: [{package}]")
    path = tmp_path / "entrypoints" / "registry.yaml"
    path.parent.mkdir()
    path.write_text(f"{rows}host: {package}:Agent\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return path


def test_a_script_that_falls_is_shown_to_its_end(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "open 0; load notes; deny *", str(registry)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "an agent opens with no category while the seal says yes to everything",
        "    everywhere: `notes`, `payroll` comes out, rightly",
        "the manual of notes is loaded",
        "    everywhere: `notes`, `payroll` comes out, rightly",
        "now the seal says no to everything",
        "activate is asked by name: `notes` comes out, wrongly",
        "index lists: nothing comes out, rightly",
        "",
        "FALLS (disagrees): `activate` lets out `notes` though the seal says no to everything now",
        "remedy: ask anew instead of keeping the answer",
    ]


def test_a_script_that_holds_says_so(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "open 0 denying notes; deny *; allow", str(registry)]) == 0
    assert capsys.readouterr().out.endswith("\n    everywhere: `notes`, `payroll` comes out, rightly\n\nHOLDS\n")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("", "the script is empty; begin it with `open 0`"),
        ("open 0; deny \"notes", "close the quotation mark"),
        ("open 0 notes", "write `open 0`, or `open 0 denying NAME ...`"),
        ("open 3; deny *", "`open 3`: the host has facts 0 to 0"),
        ("open 0 denying nots", "`denying nots`: no such skill; there are notes, payroll"),
        ("open 0; lod notes", "`lod notes`: no such move; there are allow, deny, step"),
        ("open 0; compact", "`compact`: the host has no `compact`"),
        ("open 0; load", "`load`: `load` takes 1 word"),
        ("open 0; deny nots", "`deny nots`: no such skill"),
        ("open 0; call index notes x", "`call index notes x`: no such named surface; there are activate"),
        ("open 0; lod x; compact", "`compact`: the host has no `compact`"),
    ],
)  # fmt: skip
def test_a_script_that_cannot_be_played_is_refused_with_every_mistake(
    script: str, said: str, registry: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", script, str(registry)]) == 2
    assert said in capsys.readouterr().err


def test_without_a_host_there_is_nothing_to_play_with(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    registry.write_text(registry.read_text(encoding="utf-8").partition("host:")[0], encoding="utf-8")
    assert main(["play", "open 0", str(registry)]) == 2
    assert "the registry names no host" in capsys.readouterr().err
