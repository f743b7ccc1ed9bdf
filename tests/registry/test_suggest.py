"""The closest match, and where there is none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_invariants.registry.suggest import LONGEST, closest

WORDS = ["surfaces", "snapshots", "seal", "code", "host", "open"]
word = st.text("abcd", min_size=2, max_size=12)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("surfces", "surfaces"),
        ("surfacse", "surfaces"),
        ("Surfaces", "surfaces"),
        ("surface", "surfaces"),
        ("surrfaces", "surfaces"),
        ("snapshot", "snapshots"),
        ("seals", "seal"),
        ("hosts", "host"),
        ("hots", "host"),
        ("opne", "open"),
    ],
)
def test_a_slip_is_recognised(written: str, meant: str) -> None:
    assert closest(written, WORDS) == meant


@pytest.mark.parametrize("written", ["", "a", "doors", "capability", "se", "hut", "x" * 200])
def test_a_word_unlike_any_has_no_match(written: str) -> None:
    assert closest(written, WORDS) is None


def test_the_nearest_wins_and_the_first_of_equals() -> None:
    assert closest("child", ["childish", "chile", "chill"]) == "chile"
    assert closest("policy", ["polish", "policies", "policy"]) == "policy"
    assert closest("polici", ["policy", "police"]) == "policy"
    assert closest("anything", []) is None


def test_words_that_are_too_long_are_not_compared() -> None:
    longest = "x" * LONGEST
    assert closest(longest, [longest]) == longest
    assert closest(longest + "x", [longest]) is None


@settings(derandomize=True, deadline=None, database=None)
@given(word, st.lists(word, max_size=5))
def test_a_known_word_is_its_own_closest_match(known: str, others: list[str]) -> None:
    assert closest(known, [*others, known]) == known


@settings(derandomize=True, deadline=None, database=None)
@given(st.text("abcd", min_size=3, max_size=12), st.data())
def test_one_slip_of_any_kind_is_near(known: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(known) - 1))
    slips = {
        "left out": known[:at] + known[at + 1 :],
        "added": known[:at] + "z" + known[at:],
        "replaced": known[:at] + "z" + known[at + 1 :],
        "swapped": known[:at] + known[at : at + 2][::-1] + known[at + 2 :],
    }
    for slip in slips.values():
        assert closest(slip, [known]) == known
