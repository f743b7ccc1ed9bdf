"""The words and colours of a verdict, the same in every face that people read."""

from __future__ import annotations

from pytest_invariants.report.model import Answers, Report
from pytest_invariants.report.server import ServerReport
from pytest_invariants.report.terminal import DIM, GREEN, RED, YELLOW, Cell
from pytest_invariants.verdict import RUN, Finding, Verdict

COLOURS = {
    Verdict.PROVED: GREEN,
    Verdict.HELD: GREEN,
    Verdict.REFUTED: RED,
    Verdict.UNDECIDED: YELLOW,
    Verdict.UNEXAMINED: DIM,
}
WORDS = {Verdict.REFUTED: "REFUTED", Verdict.UNEXAMINED: "-"}
LEGEND = "levels: 1 reaches the seal, 2 asks it, 3 obeys it, 4 about the right thing, 5 now, 6 alone; - not examined"


def cell(finding: Finding | None, report: Answers) -> Cell:
    """What stands in the matrix: the verdict and the level that was reached, or a blank where nothing was asked."""
    if finding is None:
        return Cell("")
    if report.covered(finding):
        return Cell("probed", GREEN)
    word = WORDS.get(finding.verdict, finding.verdict.value)
    return Cell(word if finding.level is None else f"{word} {finding.level}", COLOURS[finding.verdict])


def row_name(surface: str) -> str:
    return "the run" if surface == RUN else surface


def headline(finding: Finding) -> str:
    """`activate: seal-consulted refuted at level 2 (verdict-ignored)`."""
    level = "" if finding.level is None else f" at level {finding.level}"
    reason = "" if finding.reason is None else f" ({finding.reason})"
    return f"{row_name(finding.surface)}: {finding.invariant} {finding.verdict}{level}{reason}"


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 door`, `1,204 lines`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def legend(report: Answers) -> str:
    """What the signs of the matrix mean."""
    return "- not examined" if isinstance(report, ServerReport) else LEGEND


def introduction(report: Answers) -> str:
    """What was examined, and by what it is held together."""
    if isinstance(report, ServerReport):
        return f"{report.name} {report.version}".rstrip() + f", MCP {report.protocol}"
    assert isinstance(report, Report)
    surfaces = count(len(report.registry.surfaces), "surface")
    return f"{surfaces}, sealed by {report.registry.seal.function}{' (static)' if report.static else ''}"


def tally(report: Answers) -> str:
    """How much was examined, in one line."""
    if isinstance(report, ServerReport):
        offered = ", ".join(count(number, word) for word, number in report.offered.items())
        return f"{offered or 'nothing'} listed, {count(report.tried, 'use')} of a name tried"
    assert isinstance(report, Report)
    return _doors(report)


def _doors(report: Report) -> str:
    doors = report.doors
    parts = [f"{len(doors.registered)} registered", f"{len(doors.exempt)} exempt"]
    parts += [f"{len(doors.unregistered)} UNREGISTERED"] if doors.unregistered else []
    parts += [count(len(doors.stale), "stale exemption")] if doors.stale else []
    parts += [f"{len(doors.unexamined)} not followed to the end"] if doors.unexamined else []
    parts += [f"{len(doors.outside)} in other packages"] if doors.outside else []
    read = f"{count(report.files, 'file')}, {count(report.lines, 'line')}"
    apart = f"; searched and not read, since no import leads there: {', '.join(report.apart)}" if report.apart else ""
    return f"{count(len(doors.found), 'door')} ({', '.join(parts)}) in {read}{apart}"


def conclusion(report: Answers) -> str:
    """The last line: what the exit status says, in words."""
    passed = sum(finding.passes for finding in report.findings)
    covered = sum(report.covered(finding) for finding in report.findings)
    refuted = sum(finding.verdict is Verdict.REFUTED for finding in report.findings)
    open_questions = report.undecided - covered
    parts = [f"{passed} hold"]
    parts += [f"{refuted} fall"] if refuted else []
    parts += [f"{open_questions} undecided"] if open_questions else []
    parts += [f"{covered} undecided but probed"] if covered else []
    parts += [f"{len(report.unexamined)} not examined"] if report.unexamined else []
    return ", ".join(parts)
