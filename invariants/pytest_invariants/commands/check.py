"""`invariants check`: examine, and show the report."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from pytest_invariants.check import Question, check, selectable
from pytest_invariants.commands.common import paint, read_registry, require_known, width
from pytest_invariants.hook.quick import top_of
from pytest_invariants.hook.recall import Inquiry, inquiry
from pytest_invariants.program.program import named_modules
from pytest_invariants.registry.model import Registry
from pytest_invariants.registry.problems import RegistryError
from pytest_invariants.report import output, render
from pytest_invariants.report.model import Answers, Report
from pytest_invariants.report.terminal import is_terminal
from pytest_invariants.report.words import row_name
from pytest_invariants.source.relevance import group_of


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
    asked = inquiry(sys.argv[1:], os.environ) if choice == Choice(static=True) and target is None else None
    registry = read_registry(given)
    require_known(choice.select, selectable(registry))
    with nullcontext() if choice.static else output.kept_clean():
        report = check(registry, static=choice.static, select=choice.select, progress=_tell)
    _wipe()
    if report.problems:
        raise RegistryError(report.problems)
    said = show(report, format, target)
    if choice.since:
        _show_changes(report, choice.since, format)
    show_faults(report, debug=choice.debug)
    if asked is not None and not report.faults:
        _keep(asked, registry, int(report.status()), said)
    return int(report.status())


def _keep(asked: Inquiry, registry: Registry, status: int, said: str) -> None:
    """Keep what was said, where nothing has changed while it was found."""
    again = inquiry(sys.argv[1:], os.environ)
    if again is None or again.name != asked.name:
        return
    top = Path(top_of(os.environ)).resolve()
    looked_at = [registry.path, *(registry.root / entry for entry in (*registry.code, *registry.skills))]
    looked_at += [registry.root / entry.replace(".", "/") for entry in registry.code]
    looked_at += [registry.root / group_of(module) for module in sorted(named_modules(registry))]
    paths = [path.resolve() for path in looked_at]
    if all(path.is_relative_to(top) for path in paths):
        again.keep(status, said, (path.relative_to(top).as_posix() for path in paths))


def show(report: Answers, format: str, target: Path | None) -> str:
    """Write the report to `target`, or to standard output, and return it."""
    said = render(report, format) if target else render(report, format, colour=paint().on, width=width())
    if target:
        output.write(target, said)
    else:
        output.show(said)
    return said


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
