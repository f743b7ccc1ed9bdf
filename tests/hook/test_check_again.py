"""`check --static` says again what it said, as long as nothing has changed that it looked at."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pytest_invariants.hook.recall import is_plain

from tests.hook.scratch import FILES, REGISTRY, UNSEALED, Scratch

LEAKS = "from agent.store import STORE\n" + FILES["agent/doors.py"] + UNSEALED
PROBE = """
import sys
from pytest_invariants import start
status = start.main()
print("proved" if "pytest_invariants.flow.prover" in sys.modules else "recalled", file=sys.stderr)
sys.exit(status)
"""


def check(repository: Scratch, *more: str, folder: Path | None = None, **environment: str) -> tuple[int, str, str]:
    """The exit status, what was said, and whether it was `proved` or `recalled`."""
    run = subprocess.run(
        [sys.executable, "-c", PROBE, "check", "--static", *more],
        cwd=folder or repository.top,
        env=repository.environment(**environment),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return run.returncode, run.stdout, run.stderr.strip()


@pytest.mark.parametrize("format", ["text", "json", "sarif", "github", "html"])
def test_the_second_answer_is_the_first_one(repository: Scratch, format: str) -> None:
    first, second = (check(repository, "--format", format) for _ in range(2))
    assert (first[0], first[2], second[2]) == (0, "proved", "recalled")
    assert second[:2] == first[:2]


def test_what_falls_is_recalled_as_falling(repository: Scratch) -> None:
    repository.stage({"agent/doors.py": LEAKS})
    first, second = check(repository), check(repository)
    assert (first[0], second[0], second[2]) == (1, 1, "recalled")
    assert "agent.doors:preview" in second[1]
    repository.commit()
    assert check(repository)[2] == "recalled"


def _change(repository: Scratch) -> None:
    repository.write({"agent/doors.py": LEAKS})


def _stage(repository: Scratch) -> None:
    repository.stage({"agent/doors.py": LEAKS})


def _untracked(repository: Scratch) -> None:
    repository.write({"agent/more.py": "from agent.store import STORE\n" + UNSEALED})


def _ignored(repository: Scratch) -> None:
    repository.stage({".gitignore": "more.py\nhidden\n"})
    repository.commit()
    check(repository)
    repository.write({"agent/more.py": "from agent.store import STORE\n" + UNSEALED})


def _ignored_folder(repository: Scratch) -> None:
    repository.stage({".gitignore": "hidden\n"})
    repository.commit()
    check(repository)
    repository.write({"agent/hidden/more.py": "from agent.store import STORE\n" + UNSEALED})


def _without_git_noticing(repository: Scratch) -> None:
    repository.git("update-index", "--assume-unchanged", "agent/doors.py")
    repository.write({"agent/doors.py": LEAKS})


@pytest.mark.parametrize(
    "change",
    [_change, _stage, _untracked, _ignored, _ignored_folder, _without_git_noticing],
    ids=lambda one: one.__name__,
)
def test_whatever_has_changed_is_judged(repository: Scratch, change: object) -> None:
    assert check(repository)[0] == 0
    assert callable(change)
    change(repository)
    status, _, how = check(repository)
    assert (status, how) == (1, "proved")


def test_what_lies_elsewhere_changes_nothing(repository: Scratch) -> None:
    check(repository)
    repository.write({"notes.txt": "untracked\n", "agent/__pycache__/doors.pyc": "compiled"})
    assert check(repository)[2] == "recalled"


def test_another_folder_another_terminal_and_ci_ask_anew(repository: Scratch) -> None:
    check(repository)
    assert check(repository, folder=repository.top / "agent")[2] == "proved"
    assert check(repository, NO_COLOR="1")[2] == "proved"
    assert check(repository, CI="true")[2] == "proved"
    assert check(repository, str(repository.top))[2] == "proved"
    assert check(repository)[2] == "recalled"


def test_mistakes_of_the_registry_are_found_again(repository: Scratch) -> None:
    repository.replace(REGISTRY, "verdict: sealed", "verdict: closed")
    assert [check(repository)[0] for _ in range(2)] == [2, 2]


def test_where_there_is_no_repository_of_git_it_is_proved(tmp_path: Path) -> None:
    made = Scratch.make(tmp_path / "plain")
    subprocess.run(["rm", "-rf", str(made.top / ".git")], check=True)
    assert [check(made)[2] for _ in range(2)] == ["proved", "proved"]


@pytest.mark.parametrize(
    ("arguments", "plain"),
    [
        ("check --static", True),
        ("check --static some/registry.yaml", True),
        ("check some/registry.yaml --static --format json", True),
        ("check", False),
        ("check --static --format", False),
        ("check --static --format xml", False),
        ("check --static --since HEAD", False),
        ("check --static --output x", False),
        ("check --static --select activate", False),
        ("check --static --debug", False),
        ("doors --static", False),
    ],
)
def test_only_a_plain_check_is_recalled(arguments: str, plain: bool) -> None:
    assert is_plain(arguments.split()) is plain
