"""The report for programs: version 1 of the JSON contract. Every key is always there; what does not apply is null."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from pytest_invariants.report.model import Report
from pytest_invariants.verdict import Finding, Place, Step

VERSION = 1

Json: TypeAlias = "bool | int | str | Sequence[Json] | Mapping[str, Json] | None"


def render(report: Report) -> str:
    return json.dumps(document(report), indent=2, ensure_ascii=False) + "\n"


def document(report: Report) -> Json:
    doors = report.doors
    return {
        "version": VERSION,
        "results": [result(finding) for finding in report.findings],
        "doors": {
            "found": len(doors.found),
            "registered": len(doors.registered),
            "exempt": len(doors.exempt),
            "unregistered": [*doors.unregistered],
            "stale": [*doors.stale],
        },
        "undecided": report.undecided,
        "files": report.files,
        "lines": report.lines,
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
