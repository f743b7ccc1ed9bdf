"""Packages that were searched and not read are named: nobody may think that they were proved."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_invariants.check import check
from pytest_invariants.registry.reader import read
from pytest_invariants.report import render

from tests.hook.scratch import FILES, REGISTRY, Scratch

WIDE = FILES[REGISTRY].replace("code: [agent]", "code: [agent, crew, other]")
CREW = {"crew/__init__.py": "", "crew/tools.py": "def show(skill):\n    return skill.body\n", "other/__init__.py": ""}


def test_they_are_named_after_what_was_read(tmp_path: Path) -> None:
    made = Scratch.make(tmp_path / "repository", files={**FILES, **CREW, REGISTRY: WIDE})
    report = check(read(made.agent / REGISTRY), static=True)
    assert report.apart == ("crew", "other")
    assert "in 9 files, " in render(report, "text")
    assert "; searched and not read, since no import leads there: crew, other\n" in render(report, "text")
    assert json.loads(render(report, "json"))["apart"] == ["crew", "other"]


def test_where_all_is_read_nothing_is_said(tmp_path: Path) -> None:
    wired = {"agent/more.py": "import crew.tools, other\n"}
    made = Scratch.make(tmp_path / "repository", files={**FILES, **CREW, **wired, REGISTRY: WIDE})
    report = check(read(made.agent / REGISTRY), static=True)
    assert report.apart == ()
    assert "searched" not in render(report, "text")
    assert report.doors.unregistered == ("crew.tools:show",)
