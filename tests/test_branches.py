"""The floor of branches that `make coverage` keeps."""

from __future__ import annotations

import pytest

from tests.branches import FLOOR, lines, read, status


def report(*files: tuple[str, int, int]) -> dict[str, object]:
    def summary(branches: int, missing: int) -> dict[str, int]:
        return {"num_branches": branches, "missing_branches": missing}

    rows = {name: {"summary": summary(branches, missing)} for name, branches, missing in files}
    totals = summary(sum(branches for _, branches, _ in files), sum(missing for _, _, missing in files))
    return {"files": rows, "totals": totals}


@pytest.mark.parametrize(("missing", "ends"), [(0, 0), (5, 0), (6, 1), (100, 1)])
def test_the_floor_is_a_share_of_all_branches(missing: int, ends: int) -> None:
    assert FLOOR == 95.0
    assert status(report(("a.py", 100, missing))) == ends


def test_nothing_measured_is_no_pass() -> None:
    assert status(report()) == 1


def test_the_files_that_lack_most_come_first() -> None:
    made = report(("b.py", 10, 1), ("a.py", 30, 3), ("c.py", 0, 0))
    whole, files = read(made)
    assert whole.share == 90.0
    assert [file.name for file in files] == ["a.py", "b.py", "c.py"]
    assert lines(made) == [
        " 90.0 %     3 of   30 missing  a.py",
        " 90.0 %     1 of   10 missing  b.py",
        " 90.0 %     4 of   40 missing  the whole",
    ]
