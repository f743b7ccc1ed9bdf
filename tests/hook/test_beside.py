"""The last commit is judged in a process of its own: it gives what it finds, fails for itself, and ends when told to."""

from __future__ import annotations

import os
import signal
import tempfile
from pathlib import Path
from typing import NoReturn

import pytest
from pytest_invariants.hook.beside import Beside

from tests.hook.scratch import SEALED, Scratch


def test_what_is_found_comes_back_however_much_it_is() -> None:
    assert Beside(lambda: b"x" * 1_000_000).result() == b"x" * 1_000_000


def test_it_is_another_process() -> None:
    found = Beside(lambda: str(os.getpid()).encode()).result()
    assert found is not None
    assert found != str(os.getpid()).encode()


@pytest.mark.parametrize("error", [ValueError("broken"), SystemExit(0), KeyboardInterrupt(), RecursionError()])
def test_a_failure_gives_nothing_and_ends_nothing_here(error: BaseException, capfd: pytest.CaptureFixture[str]) -> None:
    def fail() -> NoReturn:
        raise error

    assert Beside(fail).result() is None
    assert capfd.readouterr() == ("", "")


def test_where_it_is_not_needed_it_ends_and_clears_away(tmp_path: Path) -> None:
    ready, told = os.pipe()

    def find() -> NoReturn:
        with tempfile.TemporaryDirectory(dir=tmp_path):
            os.write(told, b"!")
            while True:
                signal.pause()

    beside = Beside(find)
    assert os.read(ready, 1) == b"!"
    assert len(list(tmp_path.iterdir())) == 1
    beside.stop()
    assert list(tmp_path.iterdir()) == []
    beside.stop()
    assert beside.result() is None


def test_both_sides_of_a_change_are_known_afterwards(repository: Scratch) -> None:
    repository.add("agent/doors.py", SEALED)
    assert repository.hook().returncode == 1
    kept = sorted(path.name.partition("-")[0] for path in (repository.top / ".invariants_cache").glob("*-*"))
    assert kept == ["answer", "grounds", "grounds", "layout", "standing", "standing"]


def test_the_last_commit_is_not_waited_for_where_what_is_staged_tells_how_it_stood(repository: Scratch) -> None:
    """The process beside is ended; both sides are known all the same."""
    repository.add("agent/store.py", "\n\ndef shown(text):\n    return text.strip('-')\n")
    repository.commit()
    repository.replace("agent/store.py", "text.strip('-')", "text.strip('+')")
    run = repository.hook()
    assert (run.returncode, run.stdout.count("nothing to mend")) == (0, 1)
    kept = sorted(path.name.partition("-")[0] for path in (repository.top / ".invariants_cache").glob("*-*"))
    assert kept == ["answer", "grounds", "grounds", "layout", "standing", "standing"]
