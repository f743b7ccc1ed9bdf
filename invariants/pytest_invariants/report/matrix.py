"""The table of surfaces and invariants, and the list of what was asked of the run as a whole."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_invariants.report.model import Answers
from pytest_invariants.report.terminal import BOLD, Cell, Paint, blocks, columns
from pytest_invariants.report.words import cell, legend, row_name
from pytest_invariants.verdict import RUN, Finding


def matrix(report: Answers, paint: Paint, width: int) -> Iterator[str]:
    """Surfaces downwards, invariants across, in as many blocks as the width asks for; then the run."""
    table = {(finding.surface, finding.invariant): finding for finding in report.findings}
    rows = [row for row in report.rows if row != RUN]
    stub = max((len(row) for row in (*rows, "surface")), default=0)
    needed = [_width(report, table, rows, column) for column in report.columns]
    for block in blocks(needed, width - stub):
        yield from columns(list(_block(report, table, rows, [report.columns[index] for index in block])), paint)
        yield ""
    yield from _run(report, paint)
    yield legend(report)


Table = dict[tuple[str, str], Finding]


def _block(report: Answers, table: Table, rows: list[str], shown: list[str]) -> Iterator[list[Cell]]:
    yield [Cell("surface", BOLD), *(Cell(column, BOLD) for column in shown)]
    for row in rows:
        yield [Cell(row), *(cell(table.get((row, column)), report) for column in shown)]


def _width(report: Answers, table: Table, rows: list[str], column: str) -> int:
    return max(len(column), *(len(cell(table.get((row, column)), report).text) for row in rows))


def _run(report: Answers, paint: Paint) -> Iterator[str]:
    findings = report.of_surface(RUN)
    if findings:
        yield from columns(
            [
                [Cell(row_name(RUN), BOLD), Cell("", BOLD)],
                *([Cell(f"  {finding.invariant}"), cell(finding, report)] for finding in findings),
            ],
            paint,
        )
        yield ""
