"""Surfaces and seals of other packages: never proved, never missed, and only a run answers for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.check import check
from pytest_invariants.registry.reader import read
from pytest_invariants.report.model import Report, Status
from pytest_invariants.verdict import Reason, Verdict

SEAL = """
def sealed(name, asker):
    return name == "payroll" and asker != "boss"
"""
AGENT = """
from framework import make_agent

def build():
    return make_agent()
"""
REGISTRY = """
version: 1
code: [app]
seal: {{function: "{seal}", verdict: sealed, subject: [name], principal: [asker]}}
capabilities:
  - {{of: "framework:make_agent", grant: call}}
surfaces:
  call: {{function: "{surface}", manner: named}}
exempt:
  - {{function: "app.agent:build", reason: "assembles the agent"}}
"""


def report_of(folder: Path, *, seal: str = "app.seal:sealed", surface: str = "framework.loop:run") -> Report:
    files = {"app/seal.py": SEAL, "app/agent.py": AGENT, "app/__init__.py": "", "pyproject.toml": "", "ops/jobs.py": ""}
    for name, text in {**files, "registry.yaml": REGISTRY.format(seal=seal, surface=surface)}.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return check(read(folder / "registry.yaml"), static=True)


def reasons(report: Report) -> set[Reason | None]:
    wrong = (Verdict.REFUTED, Verdict.UNDECIDED)
    return {finding.reason for finding in report.of_surface("call") if finding.verdict in wrong}


def test_a_surface_of_a_framework_is_a_door_and_is_undecided(tmp_path: Path) -> None:
    report = report_of(tmp_path)
    assert report.doors.outside == ("framework.loop:run",)
    assert report.doors.exempt == ("app.agent:build",)
    assert reasons(report) == {Reason.FOREIGN_CODE}
    assert report.status() is Status.FALLS


def test_a_seal_of_a_framework_leaves_every_surface_undecided(tmp_path: Path) -> None:
    report = report_of(tmp_path, seal="framework.gate:may", surface="app.agent:build")
    assert reasons(report) == {Reason.FOREIGN_CODE}
    assert not report.problems


@pytest.mark.parametrize("surface", ["app.agent:run", "ap.agent:run", "ops.jobs:run"])
def test_a_wrong_name_of_the_repository_is_a_missing_function(tmp_path: Path, surface: str) -> None:
    report = report_of(tmp_path, surface=surface)
    assert reasons(report) == {Reason.MISSING_FUNCTION}
    assert report.doors.outside == ()


@pytest.mark.parametrize("seal", ["app.seal:seald", "apps.seal:sealed"])
def test_a_wrong_name_of_the_seal_is_a_fault_of_the_registry(tmp_path: Path, seal: str) -> None:
    report = report_of(tmp_path, seal=seal)
    assert report.status() is Status.MISUSED
    assert seal in report.problems[0].message
