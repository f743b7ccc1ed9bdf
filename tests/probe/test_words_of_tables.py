"""Small judgements of the probe: what is the same, what is a collection of names, where a table has moved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_invariants.probe.host import Facts, Host, HostError, Outcome, Where
from pytest_invariants.probe.matching import same
from pytest_invariants.probe.paths import central, declared, tool_names
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.tables import Table, first_move
from pytest_invariants.registry.model import Reference, Residency

from tests.probe.samples import AT, registry, seal


@pytest.mark.parametrize(
    ("expected", "given", "equal"),
    [
        (["a", "b"], ("a", "b"), True),
        (["a", "b"], ("b", "a"), False),
        ({"a", "b"}, ["b", "a"], True),
        (frozenset("ab"), {"a"}, False),
        (["a"], {"a"}, True),
        ({"a"}, "a", False),
        (Where(lambda value: value > 2), 3, True),
        (Where(lambda value: value > 2), "3", False),
        (1, 1.0, True),
    ],
)
def test_what_counts_as_the_same(expected: object, given: object, equal: bool) -> None:
    assert same(expected, given) is equal


def moved(*names: str, old: tuple[str, ...] = ("a", "b"), bodies: str = "") -> str:
    entries = tuple(f"{name}{bodies}" for name in names)
    return first_move(Table(old, old), Table(names, entries))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (moved("a"), "`b` stood at place 2, and nothing stands there now"),
        (moved("b", "a"), "`a` stood at place 1, and `b` stands there now"),
        (moved("a", "b", bodies="!"), "the schema of `a` at place 1 is another"),
        (moved("a", "b", "c"), "1 tools are new behind the 2 that were there"),
    ],
)
def test_the_first_place_that_has_moved(said: str, words: str) -> None:
    assert said == words


@pytest.mark.parametrize("value", ["clock", b"clock", 3, None, [1], {1: "a"}])
def test_what_is_no_collection_of_names(value: object) -> None:
    with pytest.raises(HostError, match=r"`here` is .* name a collection of tool names"):
        tool_names(value, "here")


@pytest.mark.parametrize("value", [["a", "b"], {"a": 1, "b": 2}, frozenset("ab"), (name for name in "ab")])
def test_what_is_one(value: object) -> None:
    assert tool_names(value, "here") == {"a", "b"}


class Plain(Host):
    skills = ("a", "b")

    def open(self, facts: Facts) -> None:
        """There is nothing to open."""

    def door(self, name: str) -> Outcome:
        return Outcome(True)


def wants(facts: Facts) -> list[str]:
    return [str(facts)]


def breaks() -> list[str]:
    raise OSError("gone")


def names() -> list[str]:
    return ["clock"]


def session(residency: Residency | None) -> ProbeSession:
    rows = registry(Path(__file__).parents[2], seal(f"{__name__}:names"), {}, f"{__name__}:Plain", residency=residency)
    return ProbeSession(rows)


def listed(function: Callable[..., object], path: Callable[..., object]) -> ProbeSession:
    named = [Reference(__name__, each.__name__) for each in (function, path)]
    return session(Residency(named[0], {"one": named[1]}, AT))


def test_a_central_list_is_a_collection_and_no_function_that_wants_something() -> None:
    assert central(listed(names, names)) == {"clock"}
    assert central(session(None)) == frozenset()
    with pytest.raises(HostError, match="wants arguments; name the collection itself under `central`"):
        central(listed(wants, names))


def test_a_path_that_wants_arguments_is_not_called() -> None:
    assert declared(listed(names, wants)) == {}
    assert declared(listed(names, names)) == {"one": frozenset({"clock"})}
    assert declared(session(None)) == {}


def test_a_path_that_breaks_is_told() -> None:
    with pytest.raises(HostError, match="breaks` raised OSError: gone; repair it, or correct the registry"):
        declared(listed(names, breaks))
