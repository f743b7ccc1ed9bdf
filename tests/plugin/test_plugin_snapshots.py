"""`--snapshot-update` writes the harness' snapshots too, in one folder beside the registry."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Project
from tests.plugin.fakes import AGENT, CONFTEST

TABLE = """
    def table(self):
        return [{"name": name} for name in sorted(SKILLS)]
"""
FILES = {
    "probe_host.py": AGENT["probe_host.py"] + TABLE,
    "conftest.py": CONFTEST.replace('"surfaces-agree")', '"surfaces-agree", "table-snapshot")'),
}


def test_option_snapshot_update(pytester: pytest.Pytester, project: Project) -> None:
    root = project(files=FILES)
    result = pytester.runpytest("-k", "table-snapshot")
    result.assert_outcomes(failed=1, deselected=5)
    result.stdout.fnmatch_lines(["*the run*: table-snapshot refuted (changed)*", "*no snapshot has been taken yet*"])
    assert not (root / "entrypoints/snapshots").exists()

    pytester.runpytest("-k", "table-snapshot", "--snapshot-update").assert_outcomes(passed=1, deselected=5)
    names = sorted(path.name for path in (root / "entrypoints/snapshots").iterdir())
    assert names == ["table-with-no-category-no-loader.json", "table-with-no-category.json"]
    pytester.runpytest("-k", "table-snapshot").assert_outcomes(passed=1, deselected=5)


def test_the_users_own_update_leaves_them_alone_and_they_leave_the_users_alone(
    pytester: pytest.Pytester, project: Project
) -> None:
    own = {"tests/test_own.py": "def test_own(snapshot): assert 'x' == snapshot\n"}
    root = project(files={**FILES, **own})
    pytester.runpytest("--snapshot-update").assert_outcomes(passed=7)
    pytester.runpytest("tests", "--snapshot-update").assert_outcomes(passed=1)
    assert len(list((root / "entrypoints/snapshots").iterdir())) == 2
    pytester.runpytest("entrypoints", "--snapshot-update").assert_outcomes(passed=6)
    assert (root / "tests/__snapshots__/test_own.ambr").is_file()
    pytester.runpytest().assert_outcomes(passed=7)
