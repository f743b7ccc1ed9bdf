"""The command as a user meets it: what it prints where, and with which exit status it ends."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pytest_invariants import __version__, cli
from pytest_invariants.commands import check as check_command
from pytest_invariants.commands.common import find_registry
from pytest_invariants.report import FORMATS
from pytest_invariants.report.model import Fault, Report
from pytest_invariants.verdict import RUN

from tests.report.fakes import CLOSED, HELD, LEAKED, PROVED, UNEXAMINED, report

REGISTRY = """\
version: 1
code: [agent]
seal:
  function: agent.seal:sealed
  verdict: sealed
  subject: [categories]
  principal: [thread_category]
  state: ["agent.store:Skill.categories"]
capabilities:
  - {of: "agent.store:Skill.body", grant: value}
surfaces:
  activate: {function: "agent.doors:activate", manner: named}
"""
SEAL = """\
def sealed(categories, thread_category):
    if not categories:
        return False
    return thread_category is None or thread_category not in categories
"""
STORE = """\
from dataclasses import dataclass


@dataclass(frozen=True)
class Skill:
    name: str
    categories: tuple[str, ...]
    body: str


class Store:
    def __init__(self, skills):
        self._skills = {skill.name: skill for skill in skills}

    def get(self, name) -> Skill | None:
        return self._skills.get(name)


STORE = Store([Skill("notes", (), "how to take notes"), Skill("payroll", ("hr",), "how to pay")])
"""
DOORS = """\
from agent.seal import sealed
from agent.store import STORE


def activate(turn, name):
    skill = STORE.get(name)
    if skill is None or sealed(skill.categories, turn.category):
        return "not yours, thé ☕"
    return skill.body
"""
IGNORES = DOORS.replace("if skill is None or sealed(skill.categories, turn.category)", "if skill is None")
PREVIEW = """

def preview(turn, name):
    return STORE.get(name).body
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A small repository whose one door asks the seal and obeys it."""
    files = {
        "agent/__init__.py": "",
        "agent/seal.py": SEAL,
        "agent/store.py": STORE,
        "agent/doors.py": DOORS,
        "entrypoints/registry.yaml": REGISTRY,
        "pyproject.toml": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def shell(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "pytest_invariants", *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )


def give(monkeypatch: pytest.MonkeyPatch, made: Report | BaseException) -> None:
    """Let `check` come out with this report, or with this exception."""

    def examine(*_arguments: object, **_options: object) -> Report:
        if isinstance(made, BaseException):
            raise made
        return made

    monkeypatch.setattr(check_command, "check", examine)


# -- the registry that is meant


def test_the_registry_is_found_here_and_in_folders_above(repository: Path) -> None:
    registry = repository / "entrypoints" / "registry.yaml"
    for start in (repository, repository / "agent", repository / "entrypoints"):
        assert find_registry(None, start) == registry


def test_a_file_or_its_repository_may_be_named(repository: Path, tmp_path: Path) -> None:
    registry = repository / "entrypoints" / "registry.yaml"
    assert find_registry(repository, tmp_path) == registry
    assert find_registry(registry, tmp_path) == registry


def test_no_registry_at_all_is_said_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert cli.main(["check"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("invariants: there is no entrypoints/registry.yaml in ")


def test_every_mistake_in_the_registry_is_reported_and_nothing_else(repository: Path, capsys: Any) -> None:
    path = repository / "entrypoints" / "registry.yaml"
    path.write_text(REGISTRY.replace("verdict: sealed", "verdict: closed").replace("manner: named", "manner: nmaed"))
    assert cli.main(["check", str(repository)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "entrypoints/registry.yaml:5:" in err
    assert "entrypoints/registry.yaml:12:" in err
    assert "Traceback" not in err


def test_mistakes_are_annotated_where_annotations_are_asked_for(repository: Path, capsys: Any) -> None:
    path = repository / "entrypoints" / "registry.yaml"
    path.write_text(REGISTRY.replace("verdict: sealed", "verdict: closed"))
    assert cli.main(["check", str(repository), "--format", "github"]) == 2
    assert capsys.readouterr().out.startswith("::error file=entrypoints/registry.yaml,line=5,")


def test_a_seal_that_is_not_there_is_the_registrys_mistake(repository: Path, capsys: Any) -> None:
    path = repository / "entrypoints" / "registry.yaml"
    path.write_text(REGISTRY.replace("agent.seal:sealed", "agent.seal:saeled"))
    for command in (["check", "--static"], ["doors"], ["explain", "activate"]):
        assert cli.main([*command, str(repository)]) == 2
        assert "agent.seal:saeled" in capsys.readouterr().err


# -- what check says


def test_an_agent_that_asks_its_seal_holds(repository: Path, capsys: Any) -> None:
    assert cli.main(["check", "--static", str(repository)]) == 0
    out, err = capsys.readouterr()
    assert out.endswith("HOLDS\n")
    assert err == ""


def test_an_agent_that_does_not_ask_falls_at_the_line_that_grants(repository: Path, capsys: Any) -> None:
    (repository / "agent" / "doors.py").write_text(IGNORES, encoding="utf-8")
    assert cli.main(["check", "--static", str(repository)]) == 1
    out = capsys.readouterr().out
    assert "agent/doors.py:9: activate: seal-consulted refuted" in out
    assert "    remedy: " in out
    assert out.endswith("FALLS\n")


def test_a_door_that_nobody_registered_falls(repository: Path, capsys: Any) -> None:
    (repository / "agent" / "doors.py").write_text(DOORS + PREVIEW, encoding="utf-8")
    assert cli.main(["check", "--static", str(repository)]) == 1
    assert "agent.doors:preview" in capsys.readouterr().out


def test_a_selection_asks_nothing_else(repository: Path, capsys: Any) -> None:
    assert cli.main(["check", "--static", "--select", "seal-consulted", "--format", "json", str(repository)]) == 0
    results = json.loads(capsys.readouterr().out)["results"]
    assert [(result["surface"], result["invariant"]) for result in results] == [("activate", "seal-consulted")]


def test_strangers_in_a_selection_are_all_named(repository: Path, capsys: Any) -> None:
    assert cli.main(["check", "--select", "actvate", "--select", "zzzzzz", str(repository)]) == 2
    err = capsys.readouterr().err
    assert "there is no `actvate`; did you mean `activate`?" in err
    assert "there is no `zzzzzz`; there are " in err


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_the_same_bytes_twice(repository: Path, capsys: Any, format: str) -> None:
    outputs = set()
    for _ in range(2):
        assert cli.main(["check", "--static", "--format", format, str(repository)]) == 0
        outputs.add(capsys.readouterr().out)
    assert len(outputs) == 1
    assert str(repository) not in outputs.pop()


def test_the_output_file_gets_the_report_and_the_terminal_nothing(repository: Path, capsys: Any) -> None:
    target = repository / "report.json"
    assert cli.main(["check", "--static", "--format", "json", "--output", str(target), str(repository)]) == 0
    assert capsys.readouterr().out == ""
    assert json.loads(target.read_text(encoding="utf-8"))["version"] == 1


def test_an_output_that_cannot_be_written_is_refused_before_the_work(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    give(monkeypatch, AssertionError("it went to work"))
    assert cli.main(["check", str(repository), "--output", str(repository / "no" / "report")]) == 2
    assert "make it first" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("made", "status"),
    [
        (report(Path("/"), PROVED, HELD, doors=CLOSED), 0),
        (report(Path("/"), LEAKED), 1),
        (report(Path("/"), UNEXAMINED, doors=CLOSED), 3),
        (report(Path("/"), PROVED, faults=(Fault(RUN, "seal-sole", "ValueError: no", "Traceback: here"),)), 4),
    ],
)
def test_the_exit_status_is_that_of_the_report(
    repository: Path, monkeypatch: pytest.MonkeyPatch, made: Report, status: int
) -> None:
    give(monkeypatch, made)
    assert cli.main(["check", str(repository)]) == status


# -- when it goes wrong


def test_a_fault_in_one_question_is_told_apart_from_the_agents(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    give(monkeypatch, report(Path("/"), PROVED, faults=(Fault("index", "seal-sole", "ValueError: no", "Trace: here"),)))
    assert cli.main(["check", str(repository)]) == 4
    err = capsys.readouterr().err
    assert "invariants: index: seal-sole: ValueError: no" in err
    assert "please report it; run again with --debug" in err
    assert "Trace: here" not in err
    assert cli.main(["check", str(repository), "--debug"]) == 4
    assert "Trace: here" in capsys.readouterr().err


def test_a_fault_of_ours_is_short_and_says_what_to_do(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    give(monkeypatch, LookupError("lost"))
    assert cli.main(["check", str(repository)]) == 4
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        "invariants: a fault of the harness itself, please report it; run again with --debug for the traceback\n"
        "  LookupError: lost\n"
    )
    assert cli.main(["check", str(repository), "--debug"]) == 4
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_an_interruption_is_clean(repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    give(monkeypatch, KeyboardInterrupt())
    assert cli.main(["check", str(repository)]) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_a_reader_that_goes_away_is_no_fault(repository: Path) -> None:
    command = [sys.executable, "-m", "pytest_invariants", "check", "--static", "--format", "html"]
    with subprocess.Popen(command, cwd=repository, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        err = process.stderr.read()
    assert err == b""
    assert process.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only where the system has a device that is always full")
def test_a_full_disk_is_said(repository: Path) -> None:
    with open("/dev/full", "w") as full:
        run = subprocess.run(
            [sys.executable, "-m", "pytest_invariants", "check", "--static"],
            cwd=repository,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert run.returncode == 2
    assert "No space left on device" in run.stderr


@pytest.mark.parametrize("closed", [1, 2])
def test_a_closed_stream_is_no_fault(repository: Path, closed: int) -> None:
    run = subprocess.run(
        ["/bin/sh", "-c", f'exec "$0" -m pytest_invariants check --select seal-consulted {closed}>&-', sys.executable],
        cwd=repository,
        check=False,
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stderr) == (0, "")


def test_a_narrow_encoding_never_crashes(repository: Path) -> None:
    (repository / "agent" / "doors.py").write_text(
        IGNORES.replace("return skill.body", "return skill.body  # thé ☕"), encoding="utf-8"
    )
    run = shell(repository, "check", "--static", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert run.returncode == 1
    assert run.stderr == ""
    assert "th\\xe9" in run.stdout


@pytest.mark.parametrize(("arguments", "heavy"), [(["--version"], {"yaml", "dataclasses"}), (["doors"], set())])
def test_nothing_is_imported_that_the_command_does_not_need(
    repository: Path, arguments: list[str], heavy: set[str]
) -> None:
    code = (
        "import sys\nbefore = {*sys.modules}\nfrom pytest_invariants.cli import main\n"
        f"try: main({arguments!r})\nexcept SystemExit: pass\n"
        "print(*sorted({name.partition('.')[0] for name in {*sys.modules} - before}), file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=repository, capture_output=True, text=True, check=True)
    loaded = set(run.stderr.split())
    assert "argparse" in loaded
    assert not loaded & (heavy | {"pytest", "_pytest", "hypothesis", "syrupy", "asyncio", "networkx"})


def test_a_terminal_is_told_what_is_asked_and_left_clean(repository: Path) -> None:
    screen, other_end = pty.openpty()
    command = [sys.executable, "-m", "pytest_invariants", "check", "--static"]
    environment = {**os.environ, "TERM": "xterm"}
    run = subprocess.run(
        command, cwd=repository, env=environment, stdout=subprocess.PIPE, stderr=other_end, check=False
    )
    os.close(other_end)
    seen = os.read(screen, 65536).decode()
    os.close(screen)
    assert run.returncode == 0
    assert "activate: seal-consulted ..." in seen
    assert seen.endswith("\r\033[K")
    assert b"\033" not in run.stdout


# -- the other commands


def test_doors_are_listed_with_what_covers_them(repository: Path, capsys: Any) -> None:
    assert cli.main(["doors", str(repository)]) == 0
    out = capsys.readouterr().out
    assert "agent.doors:activate" in out
    (repository / "agent" / "doors.py").write_text(DOORS + PREVIEW, encoding="utf-8")
    assert cli.main(["doors", str(repository)]) == 1
    assert "agent.doors:preview" in capsys.readouterr().out


def test_doors_can_be_read_by_programs(repository: Path, capsys: Any) -> None:
    (repository / "agent" / "doors.py").write_text(DOORS + PREVIEW, encoding="utf-8")
    assert cli.main(["doors", "--format", "json", str(repository)]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["version"] == 1
    covers = {door["function"]: door["covered_by"] for door in document["doors"]}
    assert covers == {"agent.doors:activate": "surface activate", "agent.doors:preview": None}


def test_an_invariant_is_explained_without_a_registry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["explain", "seal-consulted"]) == 0
    assert capsys.readouterr().out.startswith("seal-consulted (")
    assert cli.main(["explain", "verdict-ignored"]) == 0
    assert "remedy: " in capsys.readouterr().out


def test_a_surface_is_explained_by_what_is_proved_of_it(repository: Path, capsys: Any) -> None:
    assert cli.main(["explain", "activate", str(repository)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("activate: agent.doors:activate (named), entrypoints/registry.yaml:12\n")
    assert "activate: seal-consulted proved at level 5" in out


def test_what_cannot_be_explained_gets_the_closest_match(repository: Path, capsys: Any) -> None:
    assert cli.main(["explain", "verdict-ignroed", str(repository)]) == 2
    assert "did you mean `verdict-ignored`?" in capsys.readouterr().err


def test_the_version_and_the_help_answer(capsys: Any) -> None:
    with pytest.raises(SystemExit, match="0"):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"pytest-invariants {__version__}\n"
    with pytest.raises(SystemExit, match="0"):
        cli.main(["check", "--help"])
    assert "3  nothing was examined" in capsys.readouterr().out


def test_a_call_that_is_wrong_ends_with_2(capsys: Any) -> None:
    for arguments in ([], ["chekc"], ["check", "--format", "xml"]):
        with pytest.raises(SystemExit, match="2"):
            cli.main(arguments)
        assert capsys.readouterr().err.startswith("usage: invariants")


def test_a_package_that_is_broken_is_a_fault_and_not_a_fall(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setitem(sys.modules, "pytest_invariants.commands.check", None)
    monkeypatch.delattr("pytest_invariants.commands.check")
    assert cli.main(["check", str(repository)]) == 4
    assert "a fault of the harness itself" in capsys.readouterr().err


def test_finding_no_door_at_all_is_no_pass(repository: Path, capsys: Any) -> None:
    doors = repository / "agent" / "doors.py"
    doors.write_text(DOORS.replace("return skill.body", "return skill.name"), encoding="utf-8")
    assert cli.main(["doors", str(repository)]) == 3
    assert "no door was found" in capsys.readouterr().out
    assert cli.main(["check", "--static", str(repository)]) != 0
