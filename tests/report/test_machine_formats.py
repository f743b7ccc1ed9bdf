"""What programs read: the JSON contract, SARIF, annotations."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pytest_invariants.registry.problems import Problem
from pytest_invariants.report import render
from pytest_invariants.report.github import annotation
from pytest_invariants.report.model import Fault
from pytest_invariants.verdict import Place, Reason, Verdict

from tests.report.fakes import EVERY_KIND, HELD, LEAKED, NO_DOORS, PROVED, REFUTED, UNDECIDED, report

PLACE = {"type": "object", "required": ["path", "line"], "additionalProperties": False}
CONTRACT: dict[str, Any] = {
    "type": "object",
    "required": ["version", "results", "doors", "undecided", "files", "lines"],
    "properties": {
        "version": {"const": 1},
        "undecided": {"type": "integer"},
        "files": {"type": "integer"},
        "lines": {"type": "integer"},
        "doors": {
            "type": "object",
            "required": ["found", "registered", "exempt", "unregistered"],
            "properties": {
                **{name: {"type": "integer"} for name in ("found", "registered", "exempt")},
                **{name: {"type": "array", "items": {"type": "string"}} for name in ("unregistered", "stale")},
            },
        },
        "results": {
            "type": "array",
            "items": {
                "type": "object",
                "required": [
                    *("surface", "invariant", "verdict", "level", "reason", "at", "trace", "message", "remedy"),
                ],
                "properties": {
                    "surface": {"type": "string"},
                    "invariant": {"type": "string"},
                    "verdict": {"enum": [verdict.value for verdict in Verdict]},
                    "level": {"type": ["integer", "null"]},
                    "reason": {"enum": [None, *(reason.value for reason in Reason)]},
                    "at": {
                        "oneOf": [
                            {"type": "null"},
                            {**PLACE, "properties": {"path": {"type": "string"}, "line": {"type": "integer"}}},
                        ]
                    },
                    "trace": {"type": "array", "items": {"type": "object", "required": ["path", "line", "note"]}},
                    "message": {"type": "string"},
                    "remedy": {"type": "string"},
                },
            },
        },
    },
}
"""Version 1 of the contract, written down a second time so that a change of the format is noticed."""

TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
LOCATION = {
    "type": "object",
    "required": ["physicalLocation"],
    "properties": {
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation", "region"],
            "properties": {
                "artifactLocation": {"required": ["uri"], "properties": {"uri": {"pattern": "^[^\\s\\\\]+$"}}},
                "region": {"required": ["startLine"], "properties": {"startLine": {"type": "integer", "minimum": 1}}},
            },
        },
        "message": TEXT,
    },
}
SARIF: dict[str, Any] = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "properties": {
                    "tool": {"required": ["driver"], "properties": {"driver": {"required": ["name", "rules"]}}},
                    "invocations": {"type": "array", "items": {"required": ["executionSuccessful"]}},
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["ruleId", "message", "locations", "level", "partialFingerprints"],
                            "properties": {
                                "message": TEXT,
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "locations": {"type": "array", "minItems": 1, "items": LOCATION},
                                "codeFlows": {
                                    "type": "array",
                                    "items": {
                                        "required": ["threadFlows"],
                                        "properties": {
                                            "threadFlows": {
                                                "minItems": 1,
                                                "items": {
                                                    "required": ["locations"],
                                                    "properties": {
                                                        "locations": {
                                                            "minItems": 1,
                                                            "items": {
                                                                "required": ["location"],
                                                                "properties": {"location": LOCATION},
                                                            },
                                                        }
                                                    },
                                                },
                                            }
                                        },
                                    },
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}
"""What SARIF 2.1.0 requires of the parts that are used here."""


def test_json_keeps_the_contract(tmp_path: Path) -> None:
    document = json.loads(render(report(tmp_path, *EVERY_KIND), "json"))
    jsonschema.validate(document, CONTRACT)
    assert len(document["results"]) == len(EVERY_KIND)
    assert document["doors"] == {
        "found": 4,
        "registered": 2,
        "exempt": 1,
        "unregistered": ["agent:preview"],
        "stale": [],
    }
    assert (document["undecided"], document["files"], document["lines"]) == (1, 4, 1210)


def test_json_holds_a_finding_whole(tmp_path: Path) -> None:
    (result,) = json.loads(render(report(tmp_path, REFUTED), "json"))["results"]
    assert result == {
        "surface": "activate",
        "invariant": "seal-consulted",
        "verdict": "refuted",
        "level": 2,
        "reason": "verdict-ignored",
        "at": {"path": "agent.py", "line": 3},
        "trace": [
            {"path": "agent.py", "line": 1, "note": "entered"},
            {"path": "agent.py", "line": 2, "note": "agent:sealed is asked, and its answer is kept in `verdict`"},
            {"path": "agent.py", "line": 3, "note": "the body leaves, whatever `verdict` is"},
        ],
        "message": "The seal is asked, and the grant does not depend on its answer.",
        "remedy": "return before line 3 where `verdict` is true",
        "sites": [],
        "guards": [],
        "assumptions": [],
    }


@pytest.mark.parametrize("format", ["json", "sarif"])
def test_an_empty_report_is_still_a_document(tmp_path: Path, format: str) -> None:
    assert json.loads(render(report(tmp_path), format))["version"] in (1, "2.1.0")


def test_sarif_has_what_the_standard_requires(tmp_path: Path) -> None:
    jsonschema.validate(json.loads(render(report(tmp_path, *EVERY_KIND), "sarif")), SARIF)


def run_of(text: str) -> Any:
    (run,) = json.loads(text)["runs"]
    return run


def test_sarif_alerts_on_what_falls_and_on_nothing_else(tmp_path: Path) -> None:
    run = run_of(render(report(tmp_path, *EVERY_KIND), "sarif"))
    assert [result["ruleId"] for result in run["results"]] == ["seal-consulted", "seal-decides"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    assert run["invocations"][0]["exitCode"] == 1


def test_sarif_points_at_the_registry_where_a_finding_has_no_place(tmp_path: Path) -> None:
    run = run_of(render(report(tmp_path, LEAKED), "sarif"))
    where = run["results"][0]["locations"][0]["physicalLocation"]
    assert where["artifactLocation"]["uri"] == "entrypoints/registry.yaml"
    assert where["region"]["startLine"] == 12


def test_sarif_fingerprints_survive_a_moved_line(tmp_path: Path) -> None:
    def prints(line: int) -> Any:
        moved = replace(REFUTED, at=Place("agent.py", line))
        return run_of(render(report(tmp_path, moved), "sarif"))["results"][0]["partialFingerprints"]

    assert prints(3) == prints(30)


def test_sarif_says_that_a_run_was_not_whole(tmp_path: Path) -> None:
    fault = Fault("index", "seal-consulted", "ValueError: no", "")
    run = run_of(render(report(tmp_path, PROVED, faults=(fault,)), "sarif"))
    assert run["invocations"][0]["executionSuccessful"] is False
    assert "ValueError" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


def test_a_path_with_blanks_is_a_valid_uri(tmp_path: Path) -> None:
    odd = replace(REFUTED, at=Place("my agent/ä.py", 3))
    document = json.loads(render(report(tmp_path, odd), "sarif"))
    jsonschema.validate(document, SARIF)


def test_an_annotation_stands_beside_the_line(tmp_path: Path) -> None:
    lines = render(report(tmp_path, REFUTED), "github").splitlines()
    assert lines[0].startswith(
        "::error file=agent.py,line=3,title=activate%3A seal-consulted refuted at level 2 (verdict-ignored)::The seal"
    )
    assert "remedy: return before line 3" in lines[0]


def test_every_falling_finding_has_its_annotation_and_a_covered_one_none(tmp_path: Path) -> None:
    text = render(report(tmp_path, *EVERY_KIND), "github")
    assert text.count("::error ") == 2
    assert text.count("::notice ") == 1
    assert render(report(tmp_path, UNDECIDED, PROVED), "github").count("::error ") == 1
    assert render(report(tmp_path, UNDECIDED, HELD), "github").count("::error ") == 0


def test_a_mistake_in_the_registry_is_annotated(tmp_path: Path) -> None:
    problem = Problem("entrypoints/registry.yaml", 3, 5, "the seal is not there", "correct its name")
    text = render(report(tmp_path, problems=(problem,)), "github")
    assert "::error file=entrypoints/registry.yaml,line=3,title=the registry is wrong::the seal is not there" in text


def test_what_would_break_an_annotation_is_escaped() -> None:
    text = annotation("50%\r\n::set-output", title="a,b:c", at=Place("a:b,c.py", 1))
    assert text == "::error file=a%3Ab%2Cc.py,line=1,title=a%2Cb%3Ac::50%25%0D%0A::set-output"
    assert len(text.splitlines()) == 1


def test_the_doors_may_be_empty(tmp_path: Path) -> None:
    nowhere = replace(NO_DOORS, stale=("agent:gone",))
    document = json.loads(render(report(tmp_path, PROVED, doors=nowhere), "json"))
    assert document["doors"]["stale"] == ["agent:gone"]
    jsonschema.validate(document, CONTRACT)
