"""The seal is a pure allow list."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills.category_seal import skill_sealed_for

CATEGORIES = st.sampled_from(["finance", "hr", "health"])


@pytest.mark.parametrize("thread", [None, "finance", "anything"])
def test_no_categories_means_unrestricted(thread: str | None) -> None:
    assert not skill_sealed_for([], thread)


def test_open_only_in_a_thread_of_a_listed_category() -> None:
    assert not skill_sealed_for(["finance", "hr"], "hr")
    assert skill_sealed_for(["finance", "hr"], "health")


@given(st.lists(CATEGORIES, min_size=1))
def test_a_thread_without_a_category_matches_no_seal(categories: list[str]) -> None:
    assert skill_sealed_for(categories, None)


@given(st.lists(CATEGORIES, min_size=1), CATEGORIES)
def test_sealed_exactly_where_the_category_is_not_listed(categories: list[str], thread: str) -> None:
    assert skill_sealed_for(categories, thread) == (thread not in categories)


def test_a_category_is_matched_whole() -> None:
    assert skill_sealed_for(["finance"], "fin")
    assert skill_sealed_for(["finance"], "Finance")
    assert skill_sealed_for(["finance"], "")
