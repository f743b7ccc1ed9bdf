"""YAML itself: syntax, anchors, and texts that would cost more than they are long; with libyaml and without it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from pytest_invariants.registry import census, nodes
from pytest_invariants.registry.census import MAX_DEPTH, MAX_NODES
from pytest_invariants.registry.problems import RegistryError

from tests.registry.samples import FULL, SMALL, mistakes, read_text

TOO_DEEP = f"the file nests deeper than {MAX_DEPTH} levels; a registry needs six: flatten it"
TOO_MANY = (
    f"the file has more than {MAX_NODES:,} values once its aliases are followed; "
    "split the registry, or write out what the aliases multiply"
)
LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 30)
)
CHAIN = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 100))
MERGED = "a0: &a0 {x: 1}\n" + "".join(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}\n" for n in range(1, 30))


@pytest.fixture(params=["libyaml", "python"], autouse=True)
def _loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    loader = {"libyaml": yaml.CSafeLoader, "python": yaml.SafeLoader}[request.param]
    monkeypatch.setattr(census, "LOADER", loader)
    monkeypatch.setattr(nodes, "LOADER", loader)


def test_what_is_right_reads(tmp_path: Path) -> None:
    assert [surface.id for surface in read_text(tmp_path, FULL).surfaces] == ["index", "activate", "mcp.call", "on"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("surfaces:\n\tindex: 1", "2:1: a tab stands where YAML wants spaces; indent with spaces"),
        ("a: 1\n---\nb: 2", "2:1: a second document begins here; keep one: remove the line `---` and what is too much"),
        ("a: *b", "1:4: the alias `*b` names nothing above it; define it first, or put it in quotes"),
        ("a: &x [1, *x]", "1:11: the alias `*x` stands inside what it names; write the value out"),
        ("&x a: {<<: *x}\nb: *y", "2:4: the alias `*y` names nothing above it; define it first, or put it in quotes"),
        ("a: &x 1\nb: &x 2", "2:4: the anchor `&x` stands twice; rename one of them"),
        ("- " * 1000 + "a", f"1:{2 * MAX_DEPTH + 1}: {TOO_DEEP}"),
    ],
)
def test_a_text_is_refused_for_one_reason(tmp_path: Path, text: str, said: str) -> None:
    assert mistakes(tmp_path, text) == [said]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: [1, 2}", "1:9"),
        ('a: "b', "1:6"),
        ("a: b: c", "1:5"),
        ("a: b\n c: d", "2:3"),
        ("a: @b", "1:4"),
        ("%YAML 9", "1:"),
    ],
)
def test_a_slip_of_syntax_is_placed(tmp_path: Path, text: str, place: str) -> None:
    (said,) = mistakes(tmp_path, text)
    assert said.startswith(place)
    assert ": this is not YAML: " in said
    assert said.endswith("; correct it here, or put quotes around a value with special characters")


def test_what_was_not_closed_says_where_it_began(tmp_path: Path) -> None:
    (said,) = mistakes(tmp_path, "version: 1\nopen: [a,\n  b\n\nhost: c\n")
    assert "(begun in line 2)" in said


def test_an_error_without_a_place_is_said_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise yaml.YAMLError("out of\n  order")

    monkeypatch.setattr(census.Census, "take", fail)
    assert mistakes(tmp_path, SMALL) == ["this is not YAML: out of order; correct the syntax"]


@pytest.mark.parametrize("text", [LAUGHS, MERGED])
def test_aliases_that_multiply_are_refused(tmp_path: Path, text: str) -> None:
    (said,) = mistakes(tmp_path, text)
    assert said.endswith(TOO_MANY)
    assert int(said.partition(":")[0]) < 10


def test_aliases_that_nest_are_refused(tmp_path: Path) -> None:
    (said,) = mistakes(tmp_path, CHAIN)
    assert said.endswith(TOO_DEEP)


def test_the_deepest_text_that_is_looked_at(tmp_path: Path) -> None:
    inner = MAX_DEPTH - 2
    assert mistakes(tmp_path, SMALL + f"x: {'[' * inner}1{']' * inner}") != []
    assert TOO_DEEP not in str(mistakes(tmp_path, SMALL + f"x: {'[' * inner}1{']' * inner}"))
    assert TOO_DEEP in str(mistakes(tmp_path, SMALL + f"x: {'[' * (inner + 1)}1{']' * (inner + 1)}"))


def test_the_largest_text_that_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    # The root, its key and its list are three nodes more.
    monkeypatch.setattr(census, "MAX_NODES", 1000)
    full = "x: [" + "1," * 997 + "]"
    assert nodes.compose(full, "r.yaml")
    with pytest.raises(RegistryError, match="more than 1,000 values"):
        nodes.compose(full.replace("]", "1]"), "r.yaml")


def test_an_alias_counts_as_what_it_names(tmp_path: Path) -> None:
    ten = "[" + "1," * 9 + "]"
    text = f"a: &a {ten}\nb: [" + "*a," * (MAX_NODES // 10) + "]"
    assert TOO_MANY in str(mistakes(tmp_path, text))
    assert TOO_MANY not in str(mistakes(tmp_path, text.replace("*a,", "1,")))
