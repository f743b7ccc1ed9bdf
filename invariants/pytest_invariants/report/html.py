"""The report as one HTML page that stands alone: no script, no request, nothing outside the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape

from pytest_invariants import __version__
from pytest_invariants.report.css import STYLE
from pytest_invariants.report.excerpt import line_of
from pytest_invariants.report.model import Answers, Report, Status
from pytest_invariants.report.text import ENDINGS
from pytest_invariants.report.words import cell, conclusion, headline, introduction, legend, row_name, tally
from pytest_invariants.verdict import RUN, Finding, Step, Verdict

CLASSES = {
    Verdict.PROVED: "good",
    Verdict.HELD: "good",
    Verdict.REFUTED: "bad",
    Verdict.UNDECIDED: "open",
    Verdict.UNEXAMINED: "none",
}


def render(report: Answers) -> str:
    return "\n".join(_page(report)) + "\n"


def _page(report: Answers) -> Iterator[str]:
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(report.title)}: {escape(ENDINGS[report.status()][0])}</title>"
    yield f"<style>{STYLE}</style></head><body>"
    yield from _head(report)
    yield from _matrix(report)
    yield from _section("What falls", (_finding(one, report) for one in report.falling))
    yield from _section("What was not examined", _unexamined(report))
    passing = (one for row in report.rows for one in report.of_surface(row) if one.passes or report.covered(one))
    yield from _section("What holds", (_finding(one, report) for one in passing))
    if isinstance(report, Report):
        yield from _doors(report)
    yield f'<p class="faint">pytest-invariants {__version__}</p></body></html>'


def _head(report: Answers) -> Iterator[str]:
    status = report.status()
    tone = {Status.HOLDS: "good", Status.NOTHING_EXAMINED: "open"}.get(status, "bad")
    yield f"<h1>{escape(report.title)}</h1>"
    yield f'<p><span class="badge {tone}">{escape(ENDINGS[status][0])}</span> {escape(conclusion(report))}</p>'
    yield f'<p class="faint">{escape(tally(report))}; {_manner(report)}</p>'
    yield from _list("p", [str(problem) for problem in report.problems])
    yield from _list("p", [f"{fault.surface}: {fault.invariant}: {fault.error}" for fault in report.faults])


def _manner(report: Answers) -> str:
    if not isinstance(report, Report):
        return escape(introduction(report))
    seal = f"sealed by <code>{escape(str(report.registry.seal.function))}</code>"
    return f"{seal}; {'read only, nothing was run' if report.static else 'read and run'}"


def _list(tag: str, texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield f'<{tag} class="bad">{escape(text)}</{tag}>'


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    body = list(lines)
    if body:
        yield f"<h2>{escape(title)}</h2>"
        yield from body


def _matrix(report: Answers) -> Iterator[str]:
    table = {(one.surface, one.invariant): one for one in report.findings}
    yield "<h2>Surfaces and invariants</h2>"
    yield '<div class="scroll"><table><thead><tr><th>surface</th>'
    yield from (f"<th>{escape(column)}</th>" for column in report.columns)
    yield "</tr></thead><tbody>"
    for row in report.rows:
        if row != RUN:
            yield f"<tr><th>{escape(row)}</th>"
            yield from (_cell(table.get((row, column)), report) for column in report.columns)
            yield "</tr>"
    yield "</tbody></table></div>"
    yield f'<p class="faint">{escape(legend(report))}</p>'
    run = report.of_surface(RUN)
    if run:
        yield '<div class="scroll"><table><thead><tr><th>of the run as a whole</th><th></th></tr></thead><tbody>'
        yield from (f"<tr><th>{escape(one.invariant)}</th>{_cell(one, report)}</tr>" for one in run)
        yield "</tbody></table></div>"


def _cell(finding: Finding | None, report: Answers) -> str:
    if finding is None:
        return "<td></td>"
    text, tone = escape(cell(finding, report).text), _tone(finding, report)
    if finding.verdict is Verdict.UNEXAMINED:
        return f'<td class="cell {tone}" title="{escape(finding.message)}">{text}</td>'
    return f'<td class="cell {tone}"><a href="#{_anchor(finding)}">{text}</a></td>'


def _tone(finding: Finding, report: Answers) -> str:
    return "good" if report.covered(finding) else CLASSES[finding.verdict]


def _anchor(finding: Finding) -> str:
    return escape(f"{'run' if finding.surface == RUN else 'of-' + finding.surface}-{finding.invariant}")


def _finding(finding: Finding, report: Answers) -> str:
    unfolded = " open" if report.falls(finding) else ""
    at = f' <span class="where faint">{escape(str(finding.at))}</span>' if finding.at else ""
    steps = "".join(_step(step, report) for step in finding.steps)
    parts = [
        f"<p>{_prose(finding.message)}</p>" if finding.message else "",
        f"<ol>{steps}</ol>" if steps else "",
        *(f"<p>Rests on: {_prose(guard)}</p>" for guard in finding.guards),
        *(f"<p>Takes for granted: {_prose(one)}</p>" for one in finding.assumptions),
        f'<p class="remedy">{_prose(finding.remedy)}</p>' if finding.remedy else "",
    ]
    badge = f'<span class="badge {_tone(finding, report)}">{escape(cell(finding, report).text)}</span>'
    return (
        f'<details id="{_anchor(finding)}"{unfolded}><summary>{badge} {escape(headline(finding))}{at}</summary>'
        f"<div>{''.join(parts)}</div></details>"
    )


def _step(step: Step, report: Answers) -> str:
    where = f'<span class="where faint">{escape(str(step.at))}</span> ' if step.at else ""
    source = line_of(report.root, step.at) if step.at else ""
    return f"<li>{where}{_prose(step.note)}{f'<pre>{escape(source)}</pre>' if source else ''}</li>"


def _prose(text: str) -> str:
    """Text with `code` as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _unexamined(report: Answers) -> Iterator[str]:
    if report.unexamined:
        yield "<ul>"
        for one in report.unexamined:
            yield f"<li>{escape(row_name(one.surface))}: {escape(one.invariant)}: {_prose(one.message)}</li>"
        yield "</ul>"


def _doors(report: Report) -> Iterator[str]:
    yield "<h2>Doors</h2>"
    yield '<div class="scroll"><table><thead><tr>'
    yield from (f"<th>{title}</th>" for title in ("door", "at", "covered by", "asks the seal"))
    yield "</tr></thead><tbody>"
    for door in report.doors.records:
        cover = '<td class="bad">nothing</td>' if door.covered_by is None else f"<td>{escape(door.covered_by)}</td>"
        yield f'<tr><td><code>{escape(door.function)}</code></td><td class="where faint">{escape(str(door.at))}</td>'
        yield f'{cover}<td class="{"" if door.asks else "open"}">{"yes" if door.asks else "no"}</td></tr>'
    yield "</tbody></table></div>"
    yield from _list("p", [f"{name}: an exemption that is stale" for name in report.doors.stale])
    yield from _list("p", [f"{name}: not followed to its end" for name in report.doors.unexamined])
