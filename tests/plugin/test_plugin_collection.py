"""The registry is collected as a file, wherever the user's own tests are."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Project
from tests.plugin.fakes import REGISTRY

IDS = [
    "entrypoints/registry.yaml::index::seal-consulted",
    "entrypoints/registry.yaml::index::seal-decides",
    "entrypoints/registry.yaml::activate::seal-consulted",
    "entrypoints/registry.yaml::activate::seal-decides",
    "entrypoints/registry.yaml::*::surfaces-agree",
]


def collected(pytester: pytest.Pytester, *args: str) -> list[str]:
    result = pytester.runpytest("--collect-only", "-q", *args)
    return [line for line in result.outlines if "::" in line]


def test_a_repository_that_has_nothing_but_a_registry(pytester: pytest.Pytester, project: Project) -> None:
    project()
    assert collected(pytester) == IDS
    result = pytester.runpytest()
    result.assert_outcomes(passed=5)
    assert result.ret == pytest.ExitCode.OK


def test_testpaths_elsewhere(pytester: pytest.Pytester, project: Project) -> None:
    project(files={"tests/test_own.py": "def test_own(): pass\n", "pytest.ini": "[pytest]\ntestpaths = tests\n"})
    assert collected(pytester) == ["tests/test_own.py::test_own", *IDS]


def test_testpaths_that_hold_the_registry_collect_it_once(pytester: pytest.Pytester, project: Project) -> None:
    project(files={"pytest.ini": "[pytest]\ntestpaths = entrypoints\n"})
    assert collected(pytester) == IDS


def test_tests_that_the_user_chose_stay_alone(pytester: pytest.Pytester, project: Project) -> None:
    project(files={"tests/test_own.py": "def test_own(): pass\n"})
    assert collected(pytester, "tests") == ["tests/test_own.py::test_own"]


@pytest.mark.parametrize(
    ("args", "wanted"),
    [
        (["entrypoints/registry.yaml"], IDS),
        (["entrypoints"], IDS),
        (["entrypoints/registry.yaml::activate"], IDS[2:4]),
        (["entrypoints/registry.yaml::activate::seal-decides"], IDS[3:4]),
        (["entrypoints/registry.yaml::*::surfaces-agree"], IDS[4:]),
        (["-k", "activate and seal-consulted"], IDS[2:3]),
        (["-k", "seal-decides"], [IDS[1], IDS[3]]),
        (["--deselect", "entrypoints/registry.yaml::index"], IDS[2:]),
    ],
)
def test_items_are_selected_as_others_are(
    pytester: pytest.Pytester, project: Project, args: list[str], wanted: list[str]
) -> None:
    project()
    assert collected(pytester, *args) == wanted


def test_option_registry(pytester: pytest.Pytester, project: Project) -> None:
    root = project(files={"tests/test_own.py": "def test_own(): pass\n"})
    (root / "other").mkdir()
    (root / "entrypoints/registry.yaml").rename(root / "other/doors.yaml")
    wanted = [each.replace("entrypoints/registry.yaml", "other/doors.yaml") for each in IDS]
    assert sorted(collected(pytester, "--invariants-registry", "other/doors.yaml")) == sorted(
        [*wanted, "tests/test_own.py::test_own"]
    )
    assert collected(pytester, "tests", "--invariants-registry", "other/doors.yaml") == [
        "tests/test_own.py::test_own",
        *wanted,
    ]


def test_ini_registry(pytester: pytest.Pytester, project: Project) -> None:
    root = project(files={"pytest.ini": "[pytest]\ninvariants_registry = other/doors.yaml\n"})
    (root / "other").mkdir()
    (root / "entrypoints/registry.yaml").rename(root / "other/doors.yaml")
    assert collected(pytester) == [each.replace("entrypoints/registry.yaml", "other/doors.yaml") for each in IDS]


@pytest.mark.parametrize(
    "args", [["--invariants-registry", "nowhere.yaml"], ["-o", "invariants_registry=nowhere.yaml"]]
)
def test_a_registry_that_is_not_there_is_a_usage_error(
    pytester: pytest.Pytester, project: Project, args: list[str]
) -> None:
    project()
    result = pytester.runpytest(*args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*there is no registry *nowhere.yaml; correct*"])


def test_option_no_invariants(pytester: pytest.Pytester, project: Project) -> None:
    project(files={"tests/test_own.py": "def test_own(): pass\n"})
    assert collected(pytester, "--no-invariants") == ["tests/test_own.py::test_own"]


def test_option_static(pytester: pytest.Pytester, project: Project) -> None:
    project(files={"probe_host.py": "raise RuntimeError('imported')\n"})
    assert collected(pytester, "--invariants-static") == [IDS[0], IDS[2]]
    pytester.runpytest("--invariants-static").assert_outcomes(passed=2)


def test_sample_registries_among_the_users_tests_are_left_alone(pytester: pytest.Pytester, project: Project) -> None:
    project(files={"tests/sample/entrypoints/registry.yaml": REGISTRY, "tests/test_own.py": "def test_own(): pass\n"})
    assert collected(pytester, "tests") == ["tests/test_own.py::test_own"]


def test_the_agents_package_is_not_imported_to_collect_or_prove(pytester: pytest.Pytester, project: Project) -> None:
    project(files={"entrypoints/__init__.py": "raise RuntimeError('imported')\n"})
    assert collected(pytester) == IDS
    pytester.runpytest("-k", "seal-consulted").assert_outcomes(passed=2, deselected=3)


def test_a_project_without_a_registry_is_left_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_own(): pass\n")
    result = pytester.runpytest()
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*invariants of*")


def test_a_registry_error_is_a_collection_error_without_a_traceback(
    pytester: pytest.Pytester, project: Project
) -> None:
    broken = REGISTRY.replace("manner: browse", "manner: loud").replace("version: 1", "version: 9")
    project(files={"entrypoints/registry.yaml": broken})
    result = pytester.runpytest()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*ERROR collecting entrypoints/registry.yaml*", "entrypoints/registry.yaml:1:*"])
    result.stdout.fnmatch_lines(["entrypoints/registry.yaml:12:*loud*"])
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*reader.py*")
