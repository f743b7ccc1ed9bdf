"""A surface that is too large: the finding says into which callee the steps went, and which values made that necessary."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.flow import prover as proving
from pytest_invariants.report.json import result
from pytest_invariants.report.text import finding_lines
from pytest_invariants.verdict import Finding, Reason, Verdict

from tests.flow.one_surface import GATE, prover_of

AGENT = (
    GATE
    + """
class Handle:
    def close(self, name):
        return secret(name)


def settle(parts, name):
{steps}
    return parts


def look(name, asker, parts):
    settle(parts, name)
    return None if sealed(name, asker) else secret(name)
"""
)
STEPS = "    if parts.open:\n        parts.close(name)\n"


def finding(folder: Path, steps: str) -> Finding:
    proof = prover_of(folder, AGENT.replace("{steps}", steps))
    return proof.consulted(proof.registry.surfaces[0])


@pytest.fixture
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_invariants.flow.machine.machine.STEP_LIMIT", 60)
    monkeypatch.setattr(proving, "way_around", lambda *_: None)


@pytest.mark.usefixtures("few_steps")
def test_the_callee_that_took_most_is_named_with_the_value_that_leads_there(tmp_path: Path) -> None:
    found = finding(tmp_path, STEPS * 12)
    assert (found.verdict, found.reason) == (Verdict.UNDECIDED, Reason.TOO_MANY_TARGETS)
    assert [step.note for step in found.trace][-1].endswith("of the steps: `settle`")
    assert [step.note for step in found.sites] == ["`parts.close` may be `Handle.close`: its type is not known"]
    assert found.at == found.sites[0].at
    assert "say what" in found.remedy


@pytest.mark.usefixtures("few_steps")
def test_a_callee_that_is_large_by_itself_is_named_alone(tmp_path: Path) -> None:
    found = finding(tmp_path, "    if parts:\n        secret(name)\n" * 30)
    assert [step.note for step in found.trace][-1].endswith("of the steps: `settle`")
    assert not found.sites
    assert found.at == found.trace[-1].at


def test_with_enough_steps_the_same_surface_is_proved(tmp_path: Path) -> None:
    assert finding(tmp_path, "    if parts:\n        secret(name)\n" * 30).verdict is Verdict.PROVED


@pytest.mark.usefixtures("few_steps")
def test_reports_show_trace_and_sites(tmp_path: Path) -> None:
    found = finding(tmp_path, STEPS * 12)
    text = "\n".join(finding_lines(found, tmp_path))
    assert "of the steps: `settle`" in text
    assert "`parts.close` may be `Handle.close`" in text
    sites = result(found)["sites"]
    assert isinstance(sites, list)
    assert len(sites) == 1
