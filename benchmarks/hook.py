"""Time the commit hook and a repeated check against their floors and their peers, as ratios within one run.

    python -m benchmarks.hook --work DIR [--download] [--install] [--runs 3] [--select WORD] [c20k c100k c1m]

DIR keeps the wheels, the corpora as git repositories, and a virtual environment with the peers (`--install` makes it).
Every round runs each command once, in the same order; a ratio is that of one round, and the median over the rounds is
shown. Beside the time on the clock stands the time of the processors, which other work on the machine spoils less. Memory
is that of the largest process.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpora import CORPORA
from benchmarks.peers import install_peers
from benchmarks.repositories import COMMENT, FUNCTION, Repository, repository_of
from benchmarks.tools import HERE

PYTHON = sys.executable
SCRIPTS = Path(PYTHON).parent
INVARIANTS = (str(SCRIPTS / "invariants"),)
SEARCHED = b"no staged change touches what it judges"
JUDGED = b"surfaces proved"
WARM = ("again", "nothing changed", "warm")
FLOORS = 3
"""The first commands, to which the ratios are."""
RELATED = {
    "c20k": ("langchain", "langgraph"),
    "c100k": ("deepagents", "langchain", "langgraph", "mcp"),
    "c1m": ("agentscope",),
}


@dataclass(frozen=True, slots=True)
class Command:
    """A command, what makes it ready, and a word that its output has to have: failing fast is not winning."""

    name: str
    command: tuple[str, ...]
    ready: Callable[[int], None] = lambda _number: None
    sign: bytes = b""


@dataclass(frozen=True, slots=True)
class Run:
    clock: float
    processor: float
    megabytes: float


def commands(repository: Repository, peers: Path) -> list[Command]:
    """In the order of their running: first what needs nothing kept, the last of it fills the cache, then what uses that."""

    def change(start: int, *, related: bool, text: str = FUNCTION, cold: bool = False) -> Callable[[int], None]:
        """Stage a change that is new in each round, beside what earlier runs kept or without it."""

        def ready(number: int) -> None:
            repository.stage(start + number, text, related=related)
            if cold:
                repository.forget()

        return ready

    def back(_number: int) -> None:
        repository.git("reset", "--quiet", "--hard")

    apart = any(file.split("/")[0] not in repository.related for file in repository.modules())
    ruff = (str(SCRIPTS / "ruff"), "check", "--select", "F401", "--quiet", "--exit-zero", ".")
    semgrep = (str(peers / "semgrep"), "scan", "--config", str(HERE / "taint.yaml"), "--jobs", "2", "--quiet", "--json",
               "--metrics", "off", "--disable-version-check", "--no-git-ignore", ".")  # fmt: skip
    imports = (str(SCRIPTS / "lint-imports"), "--cache-dir", ".import_linter_cache")
    hook = (*INVARIANTS, "hook")
    found = [
        Command("`python -c pass`", (PYTHON, "-c", "pass"), back),
        Command("`git status`", ("git", "status"), sign=b"branch"),
        Command("parsing alone, two processes", (PYTHON, "-m", "benchmarks.parsing", str(repository.root))),
        Command("hook, three files apart, cold", hook, change(3000, related=False, cold=True), SEARCHED),
        Command("hook, comments in three files that are read, cold", hook,
                change(4000, related=True, text=COMMENT, cold=True), SEARCHED),
        Command("hook, three files that are read, cold", hook, change(0, related=True, cold=True), JUDGED),
        Command("hook, the same again", hook, sign=JUDGED),
        Command("hook, three files apart, warm", hook, change(1000, related=False), SEARCHED),
        Command("hook, three files that are read, warm", hook, change(2000, related=True), JUDGED),
        Command("`check --static`, cold", (*INVARIANTS, "check", "--static"), back, b"doors"),
        Command("`check --static`, nothing changed", (*INVARIANTS, "check", "--static"), back, b"doors"),
        Command("ruff `F401`, no cache", (*ruff, "--no-cache")),
        Command("ruff `F401`, filling its cache", ruff),
        Command("ruff `F401`, warm", ruff),
        Command("import-linter, cold", imports, sign=b"Contracts"),
        Command("import-linter, warm", imports, sign=b"Contracts"),
        Command("semgrep, one taint rule, two jobs", semgrep, sign=b"scanned"),
        Command("pyrefly check", (str(peers / "pyrefly"), "check", ".")),
    ]  # fmt: skip
    there = [one for one in found if one.command[0] == "git" or Path(one.command[0]).exists()]
    return [one for one in there if apart or "apart" not in one.name]


def run(command: Command, repository: Repository, number: int) -> Run:
    """One run; only the command itself is timed.

    :raises RuntimeError: where the output has not what it should.
    """
    command.ready(number)
    paths = f"{HERE.parent}{os.pathsep}{HERE.parent / 'invariants'}"
    environment = {**repository.environment, "PYTHONPATH": f"{paths}{os.pathsep}{repository.root}"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed has its bytecode beside it
    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        child = subprocess.Popen(
            command.command, cwd=repository.root, env=environment, stdout=out, stderr=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        said = out.read()
    if command.sign not in said:
        raise RuntimeError(f"{command.name} ended with status {child.returncode} and said: {said[-300:]!r}")
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def table(name: str, repository: Repository, peers: Path, rounds: int, words: Sequence[str]) -> str:
    """Markdown: milliseconds, the ratios to the three floors, and memory. `words` leave out commands without any."""
    every = commands(repository, peers)
    competing = [one for at, one in enumerate(every) if at < FLOORS or not words or any(w in one.name for w in words)]
    _fill(repository, competing, every)
    runs: dict[str, list[Run]] = {one.name: [] for one in competing}
    for number in range(rounds):
        for one in competing:
            runs[one.name].append(run(one, repository, number))
            print(f"{name}: {one.name}: {runs[one.name][-1].clock:.3f} s", file=sys.stderr, flush=True)
    repository.git("reset", "--quiet", "--hard")
    files, lines = len(repository.modules()), repository.lines()
    floors = [runs[one.name] for one in competing[:FLOORS]]
    head = "| command | ms | ms of processor | times `pass` | times `git status` | times parsing | MB |\n"
    text = f"### {name}: {files:,} files, {lines:,} lines; {rounds} rounds\n\n{head}" + "| --- " * 7 + "|\n"
    return text + "".join(_row(one.name, runs[one.name], floors) for one in competing)


def _fill(repository: Repository, chosen: Sequence[Command], every: Sequence[Command]) -> None:
    """What is warm needs a cache: where the commands that fill it are left out, they run once without being timed."""
    needed = any(word in one.name for one in chosen for word in WARM)
    for one in every if needed else ():
        if one not in chosen and ("cold" in one.name or "filling" in one.name):
            run(one, repository, 0)
            print(f"{one.name}: once, not timed", file=sys.stderr, flush=True)


def _row(name: str, runs: list[Run], floors: list[list[Run]]) -> str:
    clock = statistics.median(one.clock for one in runs)
    processor = statistics.median(one.processor for one in runs)
    ratios = " | ".join(_ratios(runs, floor) for floor in floors)
    return f"| {name} | {clock * 1000:,.0f} | {processor * 1000:,.0f} | {ratios} | {max(one.megabytes for one in runs):.0f} |\n"


def _ratios(runs: list[Run], floor: list[Run]) -> str:
    """On the clock, and in brackets of the processors."""
    pairs = list(zip(runs, floor, strict=True))
    clock = statistics.median(one.clock / base.clock for one, base in pairs)
    processor = statistics.median(one.processor / base.processor for one, base in pairs)
    return f"{clock:.2f} ({processor:.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the hook against its floors and its peers.")
    parser.add_argument("corpora", nargs="*", metavar="CORPUS", help="c20k, c100k, c1m (default: all)")
    parser.add_argument("--work", type=Path, required=True, help="the folder for wheels, corpora and peers")
    parser.add_argument("--download", action="store_true", help="fetch missing wheels from the package index")
    parser.add_argument("--install", action="store_true", help="install semgrep and pyrefly into a scratch environment")
    parser.add_argument("--runs", type=int, default=3, help="rounds (default: 3)")
    parser.add_argument("--select", metavar="WORD", action="append", default=[], help="only what has it in its name")
    options = parser.parse_args()
    work = options.work.resolve()
    if options.install:
        install_peers(work)
    for name in options.corpora or RELATED:
        repository = repository_of(CORPORA[name], work / "git", RELATED[name], download=options.download)
        print(table(name, repository, work / "venv" / "bin", options.runs, options.select), flush=True)


if __name__ == "__main__":
    main()
