"""The inventory of doors, for people and for programs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from pytest_invariants.report.doors import About, as_json, as_text
from pytest_invariants.report.terminal import PLAIN

from tests.report.fakes import CLOSED, LEFT_OPEN, NO_DOORS, PROVED, REFUTED, UNDECIDED, agent

WHOLE = """\
door            at          is             lets out  covered by                      asks the seal  level
agent:activate  agent.py:1  public         body      surface activate                yes            5
agent:dump      agent.py:7  public         body      exempt: the operator's console  no             -
agent:index     agent.py:5  public         body      surface index                   yes            1 (undecided: untyped-receiver)
agent:preview   agent.py:2  public, route  body      NOTHING                         no             2 (refuted: verdict-ignored)

agent:activate by agent.py:1 → agent.py:3
agent:dump by agent.py:7 → agent.py:3
agent:index by agent.py:5 → agent.py:3

agent.py:2: agent:preview is covered by nothing
      agent.py:2  entered
          | verdict = sealed(names, turn.category)
      agent.py:3  `agent:body` gets out
          | return [body(name) for name in names]
    either a surface:     preview: {function: "agent:preview", manner: browse or named}
    or exempt:            - {function: "agent:preview", reason: "why it is no door"}

4 found: 2 registered, 1 exempt, 1 unregistered
"""

KNOWN = {
    "agent:activate": About(finding=PROVED),
    "agent:index": About(finding=UNDECIDED),
    "agent:preview": About(("route",), REFUTED),
}


def test_a_door_that_nobody_registered_is_shown_with_the_way_and_the_rows(tmp_path: Path) -> None:
    assert as_text(LEFT_OPEN, agent(tmp_path), PLAIN, 100, KNOWN) == WHOLE


def test_covered_doors_are_a_table_with_their_ways_and_nothing_more(tmp_path: Path) -> None:
    text = as_text(CLOSED, tmp_path, PLAIN, 100)
    assert "NOTHING" not in text
    assert text.endswith("\n\n3 found: 2 registered, 1 exempt, 0 unregistered\n")
    assert len(text.splitlines()) == 10


def test_the_row_that_is_known_is_shown_as_it_will_stand(tmp_path: Path) -> None:
    known = {"agent:preview": About(row=("  preview:", "      function: agent:preview"))}
    text = as_text(LEFT_OPEN, agent(tmp_path), PLAIN, 100, known)
    assert "    either a surface:     preview:\n                              function: agent:preview\n" in text


def test_of_many_capabilities_some_are_named_and_the_others_counted(tmp_path: Path) -> None:
    many = tuple(f"agent.tools:Tool.part_{n}" for n in range(5))
    doors = replace(CLOSED, records=(replace(CLOSED.records[0], reaches=many),))
    assert "  Tool.part_0, Tool.part_1, Tool.part_2 and 2 more  " in as_text(doors, tmp_path, PLAIN, 100)


def test_no_door_at_all_says_so(tmp_path: Path) -> None:
    assert "no door was found" in as_text(NO_DOORS, tmp_path, PLAIN, 100)


def test_stale_rows_and_what_was_not_followed_are_named(tmp_path: Path) -> None:
    doors = replace(CLOSED, stale=("agent:gone",), unexamined=("agent:maze",))
    text = as_text(doors, tmp_path, PLAIN, 100)
    assert "agent:gone: stale exemption\n" in text
    assert "agent:maze: not followed to its end\n" in text
    assert "1 stale\n" in text


def test_programs_get_every_door_with_its_way() -> None:
    document = json.loads(as_json(LEFT_OPEN, KNOWN))
    assert [row["function"] for row in document["doors"]] == list(LEFT_OPEN.found)
    assert document["doors"][3] == {
        "function": "agent:preview",
        "at": {"path": "agent.py", "line": 2},
        "reaches": ["agent:body"],
        "way": [
            {"path": "agent.py", "line": 2, "note": "entered"},
            {"path": "agent.py", "line": 3, "note": "`agent:body` gets out"},
        ],
        "public": True,
        "decorators": [],
        "roles": ["route"],
        "covered_by": None,
        "asks": False,
        "verdict": "refuted",
        "level": 2,
        "reason": "verdict-ignored",
    }
