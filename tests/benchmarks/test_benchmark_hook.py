"""The benchmark of the hook stages what it says, times only what has answered, and puts ratios of one round together."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.hook import Command, Run, _ratios, run
from benchmarks.repositories import Repository, committed

FILES = {f"{package}/m{number}.py": "X = 1\n" for package in ("near", "far") for number in range(4)}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    for name, text in {**FILES, "near/__init__.py": "", "far/__init__.py": ""}.items():
        (tmp_path / "corpus" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "corpus" / name).write_text(text, encoding="utf-8")
    return committed(tmp_path / "corpus", ("near",))


@pytest.mark.parametrize("related", [True, False])
def test_three_files_are_changed_on_the_side_that_was_asked_for(repository: Repository, related: bool) -> None:
    for number in (1, 2):
        repository.stage(number, related=related)
        changed = repository.git("diff", "--cached", "--name-only").split()
        assert len(changed) == 3
        assert {file.split("/")[0] for file in changed} == {"near" if related else "far"}


def test_a_command_that_does_not_show_its_work_is_not_timed(repository: Repository) -> None:
    said = run(Command("says", (sys.executable, "-c", "print('done')"), sign=b"done"), repository, 0)
    assert said.clock > 0
    assert said.processor > 0
    with pytest.raises(RuntimeError, match="fails fast ended with status 3"):
        run(Command("fails fast", (sys.executable, "-c", "raise SystemExit(3)"), sign=b"done"), repository, 0)


def test_a_ratio_is_that_of_one_round() -> None:
    runs = [Run(3.0, 1.0, 5.0), Run(30.0, 4.0, 5.0), Run(4.0, 2.0, 5.0)]
    floor = [Run(1.0, 1.0, 5.0), Run(10.0, 2.0, 5.0), Run(2.0, 1.0, 5.0)]
    assert _ratios(runs, floor) == "3.00 (2.00)"
