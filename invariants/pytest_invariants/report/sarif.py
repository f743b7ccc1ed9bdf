"""The report as SARIF 2.1.0, for code scanning and for editors.

Only what falls is a result: services show each result as an alert, whatever its kind. What was not examined, and what
went wrong on the way, are notifications of the invocation.
https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import json
from urllib.parse import quote

from pytest_invariants import __version__
from pytest_invariants.catalogue.model import Invariant
from pytest_invariants.report.json import Json
from pytest_invariants.report.model import Answers, Status
from pytest_invariants.report.pages import markdown
from pytest_invariants.report.words import conclusion, headline
from pytest_invariants.verdict import Finding, Place, Step

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def render(report: Answers) -> str:
    return json.dumps(document(report), indent=2, ensure_ascii=False) + "\n"


def document(report: Answers) -> Json:
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": _driver(report)},
                "columnKind": "unicodeCodePoints",
                "invocations": [_invocation(report)],
                "results": [_result(finding, report) for finding in report.falling],
            }
        ],
    }


def _driver(report: Answers) -> Json:
    return {
        "name": "pytest-invariants",
        "version": __version__,
        "rules": [_rule(invariant) for invariant in report.invariants],
    }


def _rule(invariant: Invariant) -> Json:
    return {
        "id": invariant.id,
        "shortDescription": {"text": invariant.summary},
        "fullDescription": {"text": invariant.summary},
        "help": {"text": invariant.page, "markdown": markdown(invariant.page)},
        "properties": {"family": invariant.family, "scope": invariant.scope.value},
    }


def _invocation(report: Answers) -> Json:
    status = report.status()
    return {
        "executionSuccessful": status in (Status.HOLDS, Status.FALLS),
        "exitCode": int(status),
        "exitCodeDescription": conclusion(report),
        "toolConfigurationNotifications": [_notification("error", str(problem)) for problem in report.problems],
        "toolExecutionNotifications": [
            *(_notification("error", f"{fault.surface}: {fault.invariant}: {fault.error}") for fault in report.faults),
            *(_notification("note", f"{headline(one)}: {one.message}") for one in report.unexamined),
        ],
    }


def _notification(level: str, text: str) -> Json:
    return {"level": level, "message": {"text": text}}


def _result(finding: Finding, report: Answers) -> Json:
    remedy = f" Remedy: {finding.remedy}" if finding.remedy else ""
    ids = [invariant.id for invariant in report.invariants]
    known: dict[str, Json] = {"ruleIndex": ids.index(finding.invariant)} if finding.invariant in ids else {}
    flow: dict[str, Json] = {"codeFlows": [_flow(finding, report)]} if finding.steps else {}
    return {
        "ruleId": finding.invariant,
        **known,
        "level": "error",
        "message": {"text": f"{headline(finding)}. {finding.message}{remedy}"},
        "locations": [_location(report.place_of(finding), finding.surface)],
        **flow,
        "partialFingerprints": {"question/v1": f"{finding.surface}/{finding.invariant}/{finding.reason or '-'}"},
        "properties": {
            "surface": finding.surface,
            "verdict": finding.verdict.value,
            "rung": finding.level,
            "reason": None if finding.reason is None else finding.reason.value,
        },
    }


def _location(at: Place | None, surface: str, note: str = "") -> dict[str, Json]:
    """A line of a file; for a server, which has none, the method that was asked."""
    message: dict[str, Json] = {"message": {"text": note}} if note else {}
    if at is None:
        return {"logicalLocations": [{"fullyQualifiedName": surface, "kind": "function"}], **message}
    where: Json = {
        "artifactLocation": {"uri": quote(at.path), "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": at.line},
    }
    return {"physicalLocation": where, **message}


def _flow(finding: Finding, report: Answers) -> Json:
    """The trace; a step without a place of its own stands where the finding stands."""

    def location(step: Step) -> Json:
        return {"location": _location(step.at or report.place_of(finding), finding.surface, step.note)}

    return {"threadFlows": [{"locations": [location(step) for step in finding.steps]}]}
