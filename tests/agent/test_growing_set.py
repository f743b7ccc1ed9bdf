"""Within a run the loaded skills only grow: merged, each once, in the order of first appearance, and never less."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entrypoints.growing import Grown

NAMES = st.lists(st.sampled_from("abcde"), max_size=8)


@given(NAMES, NAMES)
def test_merging_keeps_everything_in_its_place(old: list[str], new: list[str]) -> None:
    before = Grown().merged(old)
    after = before.merged(new)
    assert after.names[: len(before.names)] == before.names
    assert set(after.names) == {*old, *new}


@given(NAMES)
def test_each_name_stands_once_where_it_first_appeared(names: list[str]) -> None:
    grown = Grown().merged(names).names
    assert list(grown) == sorted(set(names), key=names.index)


@given(NAMES, NAMES, NAMES)
def test_it_does_not_matter_in_how_many_portions_they_came(a: list[str], b: list[str], c: list[str]) -> None:
    assert Grown().merged(a).merged(b).merged(c) == Grown().merged([*a, *b, *c])


@given(NAMES)
def test_saying_it_again_changes_nothing(names: list[str]) -> None:
    assert Grown().merged(names).merged(names) == Grown().merged(names)


def test_there_is_no_operation_that_takes_away() -> None:
    assert {name for name in dir(Grown) if not name.startswith("_")} == {"names", "merged"}
    with pytest.raises(FrozenInstanceError):
        Grown(("a",)).names = ()  # type: ignore[misc]
