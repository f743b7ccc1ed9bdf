"""Every reason code has a meaning and a remedy, each one sentence."""

from __future__ import annotations

import pytest
from pytest_invariants.report.reasons import MEANINGS
from pytest_invariants.verdict import Reason


def test_every_code_is_explained_in_the_order_of_the_codes() -> None:
    assert list(MEANINGS) == list(Reason)


@pytest.mark.parametrize("reason", list(Reason))
def test_meaning_and_remedy_are_one_sentence_each(reason: Reason) -> None:
    for text in (MEANINGS[reason].meaning, MEANINGS[reason].remedy):
        assert text[0].isupper()
        assert text.endswith(".")
        assert ". " not in text
