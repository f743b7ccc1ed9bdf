"""The competing commands, and how each shows that it looked at the whole corpus: failing fast is not winning."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Tool:
    """A command, and a reader of its two outputs: how many files it examined, or None where it does not say."""

    name: str
    command: tuple[str, ...]
    examined: Callable[[str, str], int | None]


@dataclass(frozen=True, slots=True)
class Run:
    """Wall seconds, and the memory of the largest process in megabytes."""

    seconds: float
    megabytes: float


def competitors(root: Path, binaries: Path) -> list[Tool]:
    """The floor first, since every ratio is to it; peers that are not installed are left out."""
    semgrep = (str(binaries / "semgrep"), "scan", "--config", str(HERE / "taint.yaml"), "--jobs", "2", "--json")
    quiet = ("--metrics", "off", "--disable-version-check", "--quiet", "--no-git-ignore")
    check = (sys.executable, "-m", "pytest_invariants", "check", "--static", "--format", "json")
    tools = [
        Tool("parsing alone", (sys.executable, "-m", "benchmarks.parsing", str(root)), lambda out, _: int(out)),
        Tool("invariants check --static", (*check, str(root)), lambda out, _: int(json.loads(out)["files"])),
        Tool("semgrep, one taint rule", (*semgrep, *quiet, str(root)), _scanned),
        Tool("pyrefly check", (str(binaries / "pyrefly"), "check", str(root)), _summed_up),
    ]
    return [tool for tool in tools if Path(tool.command[0]).exists()]


def _scanned(out: str, _: str) -> int:
    return sum(name.endswith(".py") for name in json.loads(out)["paths"]["scanned"])


def _summed_up(_: str, said: str) -> int | None:
    if not re.search(r"\d errors?\b", said):
        raise ValueError("no summary")
    return None


def run(tool: Tool, files: int) -> Run:
    """One run over a corpus of so many files.

    :raises RuntimeError: where the tool does not show that it examined them all.
    """
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as said:
        start = time.perf_counter()
        child = subprocess.Popen(tool.command, cwd=HERE.parent, stdout=out, stderr=said)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        said.seek(0)
        _require_all(tool, files, out.read(), said.read(), child.returncode)
    return Run(seconds, usage.ru_maxrss / 1024)


def _require_all(tool: Tool, files: int, out: str, said: str, status: int) -> None:
    try:
        examined = tool.examined(out, said)
    except (ValueError, KeyError) as error:
        last = (said.strip().splitlines() or ["nothing"])[-1]
        raise RuntimeError(f"{tool.name} ended with status {status} and said: {last}") from error
    if examined not in (files, None):
        raise RuntimeError(f"{tool.name} examined {examined} of {files} files")
