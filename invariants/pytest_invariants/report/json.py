"""The report for programs: version 1 of the JSON contract. Every key is always there; what does not apply is null."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from pytest_invariants.flow.judging.doors import Doors
from pytest_invariants.report.model import Answers, Report
from pytest_invariants.report.server import ServerReport
from pytest_invariants.verdict import Finding, Place, Step

VERSION = 1

Json: TypeAlias = "bool | int | str | Sequence[Json] | Mapping[str, Json] | None"


def render(report: Answers) -> str:
    return json.dumps(document(report), indent=2, ensure_ascii=False) + "\n"


def document(report: Answers) -> Json:
    agent = report if isinstance(report, Report) else None
    return {
        "version": VERSION,
        "results": [result(finding) for finding in report.findings],
        "doors": None if agent is None else _doors(agent.doors),
        "undecided": report.undecided,
        "apart": None if agent is None else [*agent.apart],
        "files": None if agent is None else agent.files,
        "lines": None if agent is None else agent.lines,
        "server": _server(report) if isinstance(report, ServerReport) else None,
    }


def _doors(doors: Doors) -> Json:
    return {
        "found": len(doors.found),
        "registered": len(doors.registered),
        "exempt": len(doors.exempt),
        "unregistered": [*doors.unregistered],
        "stale": [*doors.stale],
    }


def _server(report: ServerReport) -> Json:
    """`tried` counts the uses of a name, `offered` the things of each kind that were listed."""
    return {
        "target": report.target,
        "name": report.name,
        "version": report.version,
        "protocol": report.protocol,
        "offered": dict(report.offered),
        "tried": report.tried,
    }


def result(finding: Finding) -> dict[str, Json]:
    return {
        "surface": finding.surface,
        "invariant": finding.invariant,
        "verdict": finding.verdict.value,
        "level": finding.level,
        "reason": None if finding.reason is None else finding.reason.value,
        "at": place(finding.at),
        "trace": [step(one) for one in finding.trace],
        "sites": [step(one) for one in finding.sites],
        "message": finding.message,
        "remedy": finding.remedy,
        "guards": [*finding.guards],
        "assumptions": [*finding.assumptions],
    }


def place(at: Place | None) -> Json:
    return None if at is None else {"path": at.path, "line": at.line}


def step(one: Step) -> Json:
    """A step that has no place of its own (a move of the probe) has a null path and a null line."""
    return {"path": one.at.path if one.at else None, "line": one.at.line if one.at else None, "note": one.note}
