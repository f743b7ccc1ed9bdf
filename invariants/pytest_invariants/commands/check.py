"""`invariants check`: examine, and show the report."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from pytest_invariants.check import Question, check, selectable
from pytest_invariants.commands.common import paint, read_registry, require_known, width
from pytest_invariants.registry.problems import RegistryError
from pytest_invariants.report import output, render
from pytest_invariants.report.model import Answers, Report
from pytest_invariants.report.terminal import is_terminal
from pytest_invariants.report.words import row_name


@dataclass(frozen=True, slots=True)
class Choice:
    """What to examine, and whether to show the tracebacks of faults of the harness."""

    static: bool = False
    select: tuple[str, ...] = ()
    debug: bool = False
    since: str | None = None
    """A revision; what became of each verdict since then is told after the report."""


def run(given: Path | None, choice: Choice, format: str, target: Path | None) -> int:
    """Examine, and show the report on standard output or in `target`."""
    if target:
        output.check_writable(target)
    registry = read_registry(given)
    require_known(choice.select, selectable(registry))
    with nullcontext() if choice.static else output.kept_clean():
        report = check(registry, static=choice.static, select=choice.select, progress=_tell)
    _wipe()
    if report.problems:
        raise RegistryError(report.problems)
    show(report, format, target)
    if choice.since:
        _show_changes(report, choice.since, format)
    show_faults(report, debug=choice.debug)
    return int(report.status())


def show(report: Answers, format: str, target: Path | None) -> None:
    """Write the report to `target`, or to standard output."""
    if target:
        output.write(target, render(report, format))
    else:
        output.show(render(report, format, colour=paint().on, width=width()))


def _show_changes(report: Report, revision: str, format: str) -> None:
    """After the text for people; beside a report for programs, on standard error."""
    from pytest_invariants.hook.since import changes_since

    text = changes_since(report, revision, os.environ)
    if format == "text":
        output.show(text)
    else:
        print(text, end="", file=sys.stderr)


def _tell(question: Question) -> None:
    """On a terminal, one line that says what is being asked: a probe takes its time."""
    status(f"{row_name(question.about)}: {question.invariant.id} ...")


def _wipe() -> None:
    status("")


def status(text: str) -> None:
    """Replace the one line that says, on a terminal, what is being done."""
    if is_terminal(sys.stderr):
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def show_faults(report: Answers, *, debug: bool) -> None:
    """What went wrong in the harness itself is said on standard error, whatever the format."""
    for fault in report.faults:
        print(f"invariants: {fault.surface}: {fault.invariant}: {fault.error}", file=sys.stderr)
        if debug:
            print(fault.traceback, file=sys.stderr)
    if report.faults:
        hint = "" if debug else "; run again with --debug for the traceback"
        print(f"invariants: a fault of the harness itself, please report it{hint}", file=sys.stderr)
