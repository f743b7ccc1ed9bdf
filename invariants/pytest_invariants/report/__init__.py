"""How a run is shown: as text for people, as JSON, SARIF and annotations for machines, as one HTML page for both."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_invariants.report.model import Answers

FORMATS = ("text", "json", "sarif", "github", "html")


def render(report: Answers, format: str, *, colour: bool = False, width: int = 120) -> str:
    """The whole report in one of `FORMATS`, ending with a newline. Colour and width matter to text alone."""
    match format:
        case "text":
            from pytest_invariants.report import text

            return text.render(report, colour=colour, width=width)
        case "json":
            from pytest_invariants.report import json

            return json.render(report)
        case "sarif":
            from pytest_invariants.report import sarif

            return sarif.render(report)
        case "github":
            from pytest_invariants.report import github

            return github.render(report)
        case "html":
            from pytest_invariants.report import html

            return html.render(report)
    raise ValueError(f"no format {format!r}; there are {', '.join(FORMATS)}")
