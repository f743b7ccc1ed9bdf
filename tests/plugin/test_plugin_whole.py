"""The prover, the probe and the plugin together, with nothing faked."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Project
from tests.plugin.fakes import AGENT, HOST, LEAK, REGISTRY

WHOLE = {"conftest.py": ""}


def test_an_honest_agent_is_green(pytester: pytest.Pytester, project: Project) -> None:
    project(files=WHOLE)
    result = pytester.runpytest("-rs")
    outcomes = result.parseoutcomes()
    assert "failed" not in outcomes
    assert outcomes["passed"] >= 8
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["index*proved*", "activate*proved*"])


def test_a_leak_is_proved_and_seen(pytester: pytest.Pytester, project: Project) -> None:
    project(files={**WHOLE, "agent/doors.py": AGENT["agent/doors.py"] + LEAK})
    result = pytester.runpytest("-k", "activate and (seal-consulted or seal-decides)")
    result.assert_outcomes(failed=2, deselected=result.parseoutcomes()["deselected"])
    result.stdout.fnmatch_lines(["*activate: seal-consulted refuted*", "*agent/doors.py:*"])
    result.stdout.fnmatch_lines(["*activate: seal-decides refuted (leaked)*"])


PREVIEW = """from agent.store import SKILLS


def preview(name: str) -> str:
    return SKILLS[name].body
"""


def test_a_door_that_nobody_registered_falls(pytester: pytest.Pytester, project: Project) -> None:
    project(files={**WHOLE, "agent/preview.py": PREVIEW})
    result = pytester.runpytest("-k", "door-registered")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*agent/preview.py*"])


def test_a_seal_that_is_not_there_is_a_collection_error(pytester: pytest.Pytester, project: Project) -> None:
    project(
        files={**WHOLE, "entrypoints/registry.yaml": REGISTRY.replace("agent.seal:sealed", "agent.seal:gone") + HOST}
    )
    result = pytester.runpytest()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*ERROR collecting entrypoints/registry.yaml*", "*agent.seal:gone*"])
    result.stdout.no_fnmatch_line("*Traceback*")
