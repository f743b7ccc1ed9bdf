"""What passes, what fails, what is skipped, and what is never green."""

from __future__ import annotations

import xml.etree.ElementTree as xml

import pytest

from tests.plugin.conftest import Project
from tests.plugin.fakes import AGENT, LEAK

LEAKING = {"agent/doors.py": AGENT["agent/doors.py"] + LEAK}


def test_the_trace_is_the_failures_text(pytester: pytest.Pytester, project: Project) -> None:
    project(proofs={"activate": "refuted"})
    result = pytester.runpytest("-k", "seal-consulted")
    result.assert_outcomes(passed=1, failed=1, deselected=3)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "*activate::seal-consulted*",
            "entrypoints/registry.yaml:3: activate: seal-consulted refuted at level 2 (verdict-ignored)",
            "*the verdict is not looked at*",
            "*entrypoints/registry.yaml:2  entered*",
            "*code: [[]agent]*",
            "*remedy: look at it*",
        ]
    )
    result.stdout.no_fnmatch_line("*plugin.py*")


def test_the_probes_script_is_the_failures_text(pytester: pytest.Pytester, project: Project) -> None:
    project(files=LEAKING)
    result = pytester.runpytest("-k", "activate and seal-decides")
    result.assert_outcomes(failed=1, deselected=4)
    result.stdout.fnmatch_lines(["*an agent opens with no category while the seal says no to everything*"])
    result.stdout.no_fnmatch_line("*plugin.py*")


def test_option_x_stops_at_the_first_failure(pytester: pytest.Pytester, project: Project) -> None:
    project(proofs={"index": "refuted", "activate": "refuted"})
    pytester.runpytest("-x").assert_outcomes(failed=1)


def test_undecided_passes_where_the_probe_stands_in(pytester: pytest.Pytester, project: Project) -> None:
    project(proofs={"activate": "undecided"})
    result = pytester.runpytest("-k", "activate and seal-consulted")
    result.assert_outcomes(passed=1, deselected=4)
    result.stdout.fnmatch_lines(["activate*probed*held*"])


@pytest.mark.parametrize(
    ("args", "more"),
    [([], {"files": LEAKING}), ([], {"host": False}), (["--invariants-static"], {})],
)
def test_undecided_fails_where_it_does_not(
    pytester: pytest.Pytester, project: Project, args: list[str], more: dict[str, object]
) -> None:
    project(proofs={"activate": "undecided"}, **more)
    result = pytester.runpytest("-k", "activate and seal-consulted", *args)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*activate: seal-consulted undecided*"])


def test_what_cannot_be_examined_is_skipped_with_its_reason(pytester: pytest.Pytester, project: Project) -> None:
    project(host=False)
    result = pytester.runpytest("-rs")
    result.assert_outcomes(passed=2, skipped=3)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["SKIPPED * entrypoints/registry.yaml:*: not examined: the registry names no host*"])


def test_nothing_examined_is_not_green(pytester: pytest.Pytester, project: Project) -> None:
    project(host=False, files={"tests/test_own.py": "def test_own(): pass\n"})
    result = pytester.runpytest("-k", "seal-decides or test_own")
    result.assert_outcomes(passed=1, skipped=2, deselected=3)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*nothing was examined, and that is no pass*"])


def test_nothing_selected_is_not_green(pytester: pytest.Pytester, project: Project) -> None:
    project()
    assert pytester.runpytest("-k", "no_such_thing").ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_fault_of_the_harness_shows_its_traceback(pytester: pytest.Pytester, project: Project) -> None:
    project(proofs={"activate": "breaks"})
    result = pytester.runpytest("-k", "seal-consulted")
    result.assert_outcomes(passed=1, failed=1, deselected=3)
    result.stdout.fnmatch_lines(["*LookupError: the harness has a hole*", "activate*undecided*"])


def test_problems_that_only_the_code_shows_are_a_collection_error(pytester: pytest.Pytester, project: Project) -> None:
    project(proofs={"problems": [{"message": "the seal is not there", "remedy": "correct it"}]})
    result = pytester.runpytest()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*ERROR collecting*", "entrypoints/registry.yaml:3*the seal is not there; correct it"])


def test_files_that_cannot_be_read_fail_by_name(pytester: pytest.Pytester, project: Project) -> None:
    project(proofs={"unreadable": ["agent/odd.py", "agent/odder.py"]})
    result = pytester.runpytest("-k", "readable")
    result.assert_outcomes(failed=2, deselected=5)
    result.stdout.fnmatch_lines(["*::readable[[]agent/odd.py[]]*", "agent/odd.py:1: the run*readable undecided*"])


def test_the_matrix_shows_surfaces_and_invariants(pytester: pytest.Pytester, project: Project) -> None:
    project(proofs={"activate": "refuted"})
    result = pytester.runpytest()
    result.stdout.fnmatch_lines(
        [
            "*invariants of entrypoints/registry.yaml*",
            "surface*seal-consulted*seal-decides*",
            "index*proved 5*held*",
            "activate*REFUTED 2*held*",
            "*surfaces-agree*held*",
            "4 hold, 1 fall",
        ]
    )
    assert "invariants of" not in pytester.runpytest("-q").stdout.str()


def test_under_xdist_the_answers_are_the_same(pytester: pytest.Pytester, project: Project) -> None:
    project(proofs={"activate": "refuted", "index": "undecided"})
    result = pytester.runpytest("-n", "2")
    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(["index*probed*held*", "activate*REFUTED 2*held*"])


def test_nothing_examined_is_not_green_under_xdist(pytester: pytest.Pytester, project: Project) -> None:
    project(host=False)
    result = pytester.runpytest("-n", "2", "-k", "seal-decides")
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_junitxml_names_the_surface_and_the_verdict(pytester: pytest.Pytester, project: Project) -> None:
    root = project(proofs={"activate": "refuted"})
    pytester.runpytest("--junitxml", "report.xml")
    cases = xml.parse(root / "report.xml").findall(".//testcase")
    assert len(cases) == 5
    refuted = next(case for case in cases if case.find("failure") is not None)
    said = {each.get("name"): each.get("value") for each in refuted.findall("properties/property")}
    assert said == {"surface": "activate", "invariant": "seal-consulted", "verdict": "refuted", "level": "2"}
    failure = refuted.find("failure")
    assert failure is not None
    assert "the verdict is not looked at" in (failure.text or "")


def test_nothing_is_written_into_the_users_repository(pytester: pytest.Pytester, project: Project) -> None:
    """Pytester itself leaves the output of the process and its temporary folders, pytest-benchmark its storage."""
    root = project()
    before = {path.name for path in root.rglob("*")}
    pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:benchmark").assert_outcomes(passed=5)
    new = {path.name for path in root.iterdir()} - before
    assert {name for name in new if not name.startswith(("runpytest-", "std"))} <= {"__pycache__"}
