"""The report for people, read as a whole."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_invariants.report import render
from pytest_invariants.report.terminal import blocks, paragraph, wants_colour
from pytest_invariants.verdict import Finding, Place, Step, Verdict

from tests.report.fakes import CLOSED, EVERY_KIND, HELD, PROVED, REFUTED, SOLE, UNEXAMINED, agent, report

WHOLE = """\
entrypoints/registry.yaml: 3 surfaces, sealed by agent:sealed

surface   seal-consulted  seal-decides
index     proved 5        -
activate  REFUTED 2       REFUTED
bridge    probed          held

the run
  seal-sole  proved

levels: 1 reaches the seal, 2 asks it, 3 obeys it, 4 about the right thing, 5 now, 6 alone; - not examined

agent.py:3: activate: seal-consulted refuted at level 2 (verdict-ignored)
    The seal is asked, and the grant does not depend on its answer.
      agent.py:1  entered
          | def activate(turn, names):
      agent.py:2  agent:sealed is asked, and its answer is kept in `verdict`
          | verdict = sealed(names, turn.category)
      agent.py:3  the body leaves, whatever `verdict` is
          | return [body(name) for name in names]
    remedy: return before line 3 where `verdict` is true

activate: seal-decides refuted (leaked)
    payroll came out, 100% of it: name, body
    and tools.
      opened for the category `hr`

probed: not proved, but swapping the seal swaps what comes out
  bridge (untyped-receiver): The class of `server` cannot be told.
      remedy: annotate the parameter `server`

not examined
  the host has no method `index`
      seal-decides (index)

4 doors (2 registered, 1 exempt, 1 UNREGISTERED) in 4 files, 1,210 lines
3 hold, 2 fall, 1 undecided but probed, 1 not examined
FALLS
"""


def test_the_whole_report(tmp_path: Path) -> None:
    assert render(report(agent(tmp_path), *EVERY_KIND), "text") == WHOLE


def test_what_holds_says_so_in_its_last_line(tmp_path: Path) -> None:
    text = render(report(tmp_path, PROVED, HELD, doors=CLOSED), "text")
    assert text.endswith("2 hold\nHOLDS\n")
    assert "REFUTED" not in text
    assert "UNREGISTERED" not in text


def test_what_the_inventory_lacks_is_counted(tmp_path: Path) -> None:
    doors = replace(CLOSED, stale=("agent:gone",), unexamined=("agent:maze",))
    text = render(report(tmp_path, PROVED, doors=doors), "text")
    assert "3 doors (2 registered, 1 exempt, 1 stale exemption, 1 not followed to the end) in 4 files" in text


def test_nothing_examined_never_reads_like_a_pass(tmp_path: Path) -> None:
    text = render(report(tmp_path, UNEXAMINED), "text")
    assert text.endswith("NOTHING WAS EXAMINED, and that is no pass\n")
    assert "HOLDS" not in text


def test_an_undecided_answer_is_written_out_with_its_remedy(tmp_path: Path) -> None:
    text = render(report(tmp_path, replace(EVERY_KIND[4]), static=True), "text")
    assert "undecided 1" in text
    assert "remedy: annotate the parameter `server`" in text


def test_what_was_not_examined_is_gathered_by_its_cause(tmp_path: Path) -> None:
    cause = replace(UNEXAMINED, message="there is no host", remedy="write one")
    both = replace(cause, surface="*", invariant="seal-sole")
    text = render(report(tmp_path, cause, replace(cause, surface="bridge"), both, UNEXAMINED), "text")
    assert (
        "not examined\n"
        "  there is no host\n"
        "      seal-decides (index, bridge), seal-sole\n"
        "      remedy: write one\n"
        "  the host has no method `index`\n"
    ) in text


def test_colour_changes_no_word(tmp_path: Path) -> None:
    shown = report(agent(tmp_path), *EVERY_KIND)
    coloured = render(shown, "text", colour=True)
    assert "\033[31m" in coloured
    bare = coloured
    for code in ("31", "32", "33", "1", "2", "0"):
        bare = bare.replace(f"\033[{code}m", "")
    assert [line.rstrip() for line in bare.splitlines()] == WHOLE.splitlines()


def test_a_narrow_terminal_gets_the_matrix_in_blocks(tmp_path: Path) -> None:
    text = render(report(tmp_path, PROVED, HELD), "text", width=30)
    assert text.count("surface  ") == 2
    assert max(map(len, text.split("levels:")[0].splitlines()[1:])) <= 30


def test_a_place_that_is_gone_is_named_without_its_line(tmp_path: Path) -> None:
    moved = replace(REFUTED, trace=(Step(Place("agent.py", 99), "entered"), Step(Place("gone.py", 1), "left")))
    text = render(report(agent(tmp_path), moved), "text")
    assert "agent.py:99  entered" in text
    assert "          |" not in text


def test_code_under_test_cannot_steer_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text("a\nb\nx = '\x1b[2J\u202e'\n", encoding="utf-8")
    odd = replace(REFUTED, message="\x1b]0;title\x07 here")
    text = render(report(tmp_path, odd), "text")
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\x1b[2J\\u202e" in text


@pytest.mark.parametrize(
    ("tty", "environment", "wanted"),
    [
        (True, {"TERM": "xterm"}, True),
        (False, {"TERM": "xterm"}, False),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (True, {"TERM": "xterm", "NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
    ],
)
def test_colour_is_for_terminals_that_want_it(tty: bool, environment: dict[str, str], wanted: bool) -> None:
    class Stream(io.StringIO):
        def isatty(self) -> bool:
            return tty

    assert wants_colour(Stream(), environment) is wanted


def test_blocks_keep_every_column_once_and_in_order() -> None:
    widths = [10, 10, 30, 5, 50, 1]
    shared = blocks(widths, 26)
    assert [index for block in shared for index in block] == list(range(len(widths)))
    assert [len(block) for block in shared] == [2, 1, 1, 1, 1]
    assert [len(block) for block in blocks([10, 10], 24)] == [2]
    assert [len(block) for block in blocks([10, 10], 23)] == [1, 1]
    assert blocks([], 26) == []


def test_a_long_path_is_never_broken() -> None:
    path = "a/" * 60 + "b.py:12"
    assert path in paragraph(f"see {path} for it", "    ", 40)[1]


def test_a_finding_of_the_run_has_no_surface_in_the_matrix(tmp_path: Path) -> None:
    text = render(report(tmp_path, replace(SOLE, verdict=Verdict.REFUTED, at=Place("agent.py", 7))), "text")
    assert "agent.py:7: the run: seal-sole refuted" in text
    assert "surface  " not in text


def test_the_order_is_that_of_the_findings_and_nothing_else(tmp_path: Path) -> None:
    findings: list[Finding] = list(EVERY_KIND)
    first = render(report(tmp_path, *findings), "text")
    assert first == render(report(tmp_path, *findings), "text")
