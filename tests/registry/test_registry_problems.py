"""The keys that a registry must have, and how a problem is shown and carried."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
import yaml
from pytest_invariants.registry.problems import Problem, RegistryError, quoted

from tests.registry.samples import SMALL, mistakes, read_text

WHOLE = (
    SMALL
    + """\
  other: {function: "m:f", manner: both}
relations: [{of: "m:get", key: name}]
exempt: [{function: "m:dump", reason: why}]
caches: [{of: "m:seen", key: [subject]}]
residency: {central: "m:T", paths: {loader: "m:f"}}
"""
)


@pytest.mark.parametrize(
    ("row", "key", "rest"),
    [
        ("seal", "function", "{verdict: sealed, subject: [a]}"),
        ("seal", "verdict", '{function: "m:f", subject: [a]}'),
        ("seal", "subject", '{function: "m:f", verdict: sealed}'),
        ("capabilities[0]", "grant", '[{of: "m:f"}]'),
        ("surfaces.other", "function", "{other: {manner: both}}"),
        ("surfaces.other", "manner", '{other: {function: "m:f"}}'),
        ("relations[0]", "of", "[{key: name}]"),
        ("relations[0]", "key", '[{of: "m:f"}]'),
        ("exempt[0]", "function", "[{reason: why}]"),
        ("exempt[0]", "reason", '[{function: "m:f"}]'),
        ("caches[0]", "of", "[{key: [subject]}]"),
        ("caches[0]", "key", '[{of: "m:f"}]'),
        ("residency", "paths", '{central: "m:T"}'),
    ],
)
def test_a_key_that_must_stand(tmp_path: Path, row: str, key: str, rest: str) -> None:
    section = row.partition(".")[0].partition("[")[0]
    text = yaml.safe_dump({**yaml.safe_load(WHOLE), section: yaml.safe_load(rest)})
    (said,) = mistakes(tmp_path, text)
    assert f": `{row}` lacks `{key}`; add `{key}: " in said


@pytest.mark.parametrize("section", ["version", "code", "seal", "capabilities", "surfaces"])
def test_a_section_that_must_stand(tmp_path: Path, section: str) -> None:
    written = yaml.safe_load(WHOLE)
    assert mistakes(tmp_path, yaml.safe_dump(written)) == []
    del written[section]
    (said,) = mistakes(tmp_path, yaml.safe_dump(written))
    assert said.startswith(f"1:1: the registry lacks `{section}`; add `{section}: ")


def test_whatever_was_written_a_problem_is_one_printable_line(tmp_path: Path) -> None:
    (said,) = mistakes(tmp_path, SMALL.replace("agent.doors:activate", "a\\nb\\u202e\\x1b" + "x" * 100))
    assert said.isprintable()
    assert "`a\\nb\\u202e\\x1bxxx" in said
    assert "xxx...`" in said


def test_an_error_survives_the_way_to_another_process(tmp_path: Path) -> None:
    with pytest.raises(RegistryError) as caught:
        read_text(tmp_path, "surfces: {}")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert copy.problems == caught.value.problems
    assert str(copy) == str(caught.value)


def test_problems_are_sorted_and_said_once() -> None:
    first, second = Problem("r.yaml", 2, 1, "a", "b"), Problem("r.yaml", 10, 1, "a", "b")
    error = RegistryError([second, first, second])
    assert error.problems == (first, second)
    assert str(error) == "r.yaml:2:1: a; b\nr.yaml:10:1: a; b"
    assert Problem("r.yaml", 0, 0, "a", "b").place == "r.yaml"


@pytest.mark.parametrize(
    ("text", "shown"), [("a", "`a`"), ("a" * 60, f"`{'a' * 60}`"), ("a" * 61, f"`{'a' * 57}...`"), ("é\t", "`é\\t`")]
)
def test_a_quoted_text(text: str, shown: str) -> None:
    assert quoted(text) == shown
