"""The report for people: the matrix, then each finding with its trace and its remedy, then what was examined."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pytest_invariants.report.excerpt import line_of
from pytest_invariants.report.matrix import matrix
from pytest_invariants.report.model import Answers, Status
from pytest_invariants.report.terminal import BOLD, DIM, GREEN, PLAIN, RED, YELLOW, Paint, paragraph, printable
from pytest_invariants.report.words import COLOURS, conclusion, headline, introduction, row_name, tally
from pytest_invariants.verdict import RUN, Finding, Step, Verdict

ENDINGS = {
    Status.HOLDS: ("HOLDS", GREEN),
    Status.FALLS: ("FALLS", RED),
    Status.MISUSED: ("NOT JUDGED: the registry is wrong", RED),
    Status.NOTHING_EXAMINED: ("NOTHING WAS EXAMINED, and that is no pass", YELLOW),
    Status.FAULT: ("NOT JUDGED: the harness itself failed", RED),
}


def render(report: Answers, *, colour: bool = False, width: int = 100) -> str:
    return "\n".join(_lines(report, Paint(colour), width)) + "\n"


def _lines(report: Answers, paint: Paint, width: int) -> Iterator[str]:
    yield f"{report.title}: {introduction(report)}"
    yield ""
    if report.findings:
        yield from matrix(report, paint, width)
    for finding in report.findings:
        if report.falls(finding):
            yield ""
            yield from finding_lines(finding, report.root, paint=paint, width=width)
    yield from _covered(report, paint, width)
    yield from _unexamined(report, paint, width)
    yield from _summary(report, paint)


def finding_lines(finding: Finding, root: Path, *, paint: Paint = PLAIN, width: int = 100) -> Iterator[str]:
    """One finding in full: where, what, each step with its line of source, and what to do about it."""
    at = "" if finding.at is None else f"{finding.at}: "
    yield f"{paint(at, BOLD)}{paint(printable(headline(finding)), COLOURS[finding.verdict])}"
    yield from paragraph(finding.message, "    ", width)
    for step in finding.steps:
        yield from step_lines(step, root, paint, width)
    yield from _facts("rests on", finding.guards, width)
    yield from _facts("takes for granted", finding.assumptions, width)
    if finding.remedy:
        yield from paragraph(f"remedy: {finding.remedy}", "    ", width)


def step_lines(step: Step, root: Path, paint: Paint, width: int) -> Iterator[str]:
    """One step of a trace, with the line of source that it speaks of."""
    where = f"{step.at}  " if step.at else ""
    yield from paragraph(f"{where}{step.note}", "          ", width, first="      ")
    source = line_of(root, step.at) if step.at else ""
    if source:
        yield paint(f"          | {printable(source)}", DIM)


def _facts(title: str, facts: tuple[str, ...], width: int) -> Iterator[str]:
    for fact in facts:
        yield from paragraph(f"{title}: {fact}", "      ", width, first="    ")


def _covered(report: Answers, paint: Paint, width: int) -> Iterator[str]:
    """What was not proved and yet does not fall: the reader sees why it is no proof."""
    covered = [finding for finding in report.findings if report.covered(finding)]
    if covered:
        yield ""
        yield paint("probed: not proved, but swapping the seal swaps what comes out", BOLD)
    for finding in covered:
        at = f", {finding.at}" if finding.at else ""
        yield from paragraph(
            f"{finding.surface} ({finding.reason}{at}): {finding.message}", "      ", width, first="  "
        )
        if finding.remedy:
            yield from paragraph(f"remedy: {finding.remedy}", "      ", width)


def _unexamined(report: Answers, paint: Paint, width: int) -> Iterator[str]:
    """What was not examined, gathered by its cause: a host that lacks one lever would fill a page otherwise."""
    causes: dict[tuple[str, str], dict[str, list[str]]] = {}
    for finding in report.unexamined:
        asked = causes.setdefault((finding.message, finding.remedy), {})
        asked.setdefault(finding.invariant, []).append(finding.surface)
    if causes:
        yield ""
        yield paint("not examined", BOLD)
    for (message, remedy), asked in causes.items():
        yield from paragraph(message, "    ", width, first="  ")
        yield from paragraph(", ".join(_asked(*one) for one in asked.items()), "      ", width)
        if remedy:
            yield from paragraph(f"remedy: {remedy}", "      ", width)


def _asked(invariant: str, surfaces: list[str]) -> str:
    return invariant if surfaces == [RUN] else f"{invariant} ({', '.join(map(row_name, surfaces))})"


def _summary(report: Answers, paint: Paint) -> Iterator[str]:
    yield ""
    yield tally(report)
    yield conclusion(report)
    word, colour = ENDINGS[report.status()]
    yield paint(word, colour)


def proof_lines(findings: tuple[Finding, ...], root: Path, *, paint: Paint = PLAIN, width: int = 100) -> Iterator[str]:
    """Every finding in full, whether it holds or falls, with a blank line between two."""
    for finding in findings:
        yield ""
        yield from finding_lines(finding, root, paint=paint, width=width)
        if finding.verdict is Verdict.PROVED and finding.sites:
            yield "    asked at"
            for site in finding.sites:
                yield from step_lines(site, root, paint, width)
