"""How an answer of the prover is measured by what is true, and how the page shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from examples.field.corpus import Package
from examples.field.measure import Answer, Measured, collect
from examples.field.page import Result, page, table
from examples.field.truth import Case, Expected, Score, Truth

HOLDS = Expected(Truth.HOLDS, ("proved",), (), "it asks", "")
OPEN = Expected(Truth.HOLDS, ("proved", "undecided"), ("open-protocol",), "a plugin may differ", "")
FALLS = Expected(Truth.FALLS, ("refuted",), ("never-reaches-seal",), "it never asks", "real")


@pytest.mark.parametrize(
    ("expected", "verdict", "reason", "score"),
    [
        (HOLDS, "proved", None, Score.RIGHT),
        (HOLDS, "refuted", "path-without-seal", Score.FALSE_ALARM),
        (HOLDS, "undecided", "proxy", Score.NEEDLESS),
        (OPEN, "undecided", "open-protocol", Score.UNDECIDED),
        (OPEN, "proved", None, Score.RIGHT),
        (FALLS, "proved", None, Score.WRONGLY_PROVED),
        (FALLS, "refuted", "never-reaches-seal", Score.RIGHT),
        (FALLS, "refuted", "inverted", Score.OTHER_REASON),
        (FALLS, "undecided", "proxy", Score.NEEDLESS),
    ],
)
def test_score(expected: Expected, verdict: str, reason: str | None, score: Score) -> None:
    assert expected.score(verdict, reason) is score


def result(measured: Measured) -> Result:
    case = Case("toy", Path("registry.yaml"), (Package("toy", "1.0"),), {"open": HOLDS, "shut": FALLS}, {})
    return Result(case, measured)


def test_every_expected_surface_is_scored_even_if_nothing_was_answered() -> None:
    scored = list(result(Measured(trouble="no answer within 5 s")).scored)
    assert [(name, score) for name, _, _, score in scored] == [("open", Score.FAILED), ("shut", Score.FAILED)]
    assert "no answer within 5 s" in page([result(Measured(trouble="no answer within 5 s"))])


def test_page_counts_what_came_out() -> None:
    answers = {"open": Answer("proved", level=5), "shut": Answer("proved", level=3)}
    text = page([result(Measured(files=7, lines=1234, doors=3, surfaces=answers))])
    assert "| wrongly proved | 1 |" in text
    assert "| right | 1 |" in text
    assert "| toy | toy 1.0 | 7 | 1,234 | 3 | 0 | 2 | 0 | 0 |" in text
    assert "it never asks. *real*" in text


def test_reasons_of_the_undecided_are_counted() -> None:
    answers = {"open": Answer("undecided", reason="proxy"), "shut": Answer("undecided", reason="proxy")}
    assert "Undecided, by reason: proxy 2" in page([result(Measured(surfaces=answers))])


def test_table_escapes_what_would_break_it() -> None:
    assert table([("a", "b"), ("x|y", "two\nlines")]) == "| a | b |\n| --- | --- |\n| x\\|y | two lines |\n"


def test_what_the_child_prints_is_read_back() -> None:
    said = [
        '{"files": 2, "lines": 9, "seconds": 0.5}\n',
        '{"half": "surfaces", "name": "a", "answer": {"verdict": "refuted", "trace": ["entered"]}, "seconds": 1.5}\n',
        '{"half": "run", "name": "seal-sole", "answer": {"verdict": "proved", "trace": []}}\n',
    ]
    measured = collect(said, "")
    assert (measured.files, measured.seconds, measured.trouble) == (2, 1.5, "")
    assert measured.surfaces == {"a": Answer("refuted", trace=("entered",))}
    assert measured.run == {"seal-sole": Answer("proved")}


def test_what_a_child_said_before_it_was_stopped_counts() -> None:
    said = ['{"files": 2, "lines": 9}\n', '{"half": "surfaces", "na']
    measured = collect(said, "not done within 5 s")
    assert measured.files == 2
    assert measured.surfaces == {}
    assert measured.trouble == "not done within 5 s"
