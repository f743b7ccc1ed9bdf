"""Annotations for a GitHub workflow: each finding that falls is an error beside the line it speaks of.

The form is that of workflow commands (https://docs.github.com/actions/reference/workflow-commands-for-github-actions).
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_invariants.registry.problems import Problem
from pytest_invariants.report.model import Answers
from pytest_invariants.report.words import conclusion, headline, tally
from pytest_invariants.verdict import Finding, Place


def render(report: Answers) -> str:
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Answers) -> Iterator[str]:
    for finding in report.falling:
        yield annotation(_text(finding), title=headline(finding), at=report.place_of(finding))
    for finding in report.unexamined:
        yield annotation(finding.message, title=headline(finding), at=report.place_of(finding), level="notice")
    yield from map(problem_annotation, report.problems)
    yield tally(report)
    yield conclusion(report)


def _text(finding: Finding) -> str:
    steps = [f"  {step.at or ''} {step.note}" for step in finding.steps]
    remedy = [f"remedy: {finding.remedy}"] if finding.remedy else []
    return "\n".join([finding.message, *steps, *remedy])


def annotation(text: str, *, title: str, at: Place | None, level: str = "error") -> str:
    """One workflow command; `level` is `error`, `warning` or `notice`."""
    properties = [f"file={_property(at.path)}", f"line={at.line}"] if at else []
    properties.append(f"title={_property(title)}")
    return f"::{level} {','.join(properties)}::{_data(text)}"


def problem_annotation(problem: Problem) -> str:
    """A mistake in the registry, beside its line."""
    at = Place(problem.path, problem.line) if problem.line else None
    return annotation(f"{problem.message}; {problem.remedy}", title="the registry is wrong", at=at)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
