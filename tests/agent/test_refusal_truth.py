"""A named request for a sealed skill hears that it is sealed, which half does not qualify, and four values."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from entrypoints.activate import activate
from entrypoints.direct_call import call_tool
from entrypoints.manual import read_manual
from entrypoints.refusal import Refused
from entrypoints.turn import NO_PROVIDER, Provider, Turn
from tests.agent.world import SEALED_SKILLS, TRUSTED

TAG = "the model's provider lacks the tag"
THREAD = "the thread is of the wrong category"


def refusal(ask: Callable[[], object]) -> str:
    with pytest.raises(Refused) as caught:
        ask()
    return str(caught.value)


@pytest.mark.parametrize(
    ("category", "provider", "halves"),
    [
        (None, TRUSTED, THREAD),
        ("health", TRUSTED, THREAD),
        ("finance", Provider("plain"), TAG),
        ("finance", Provider("doctor", ("health",)), TAG),
        ("finance", Provider("people", ("hr",)), TAG),
        ("health", Provider("doctor", ("health",)), f"{TAG} and {THREAD}"),
        (None, NO_PROVIDER, f"{TAG} and {THREAD}"),
    ],
)
def test_it_says_which_half_does_not_qualify(
    turn_of: Callable[..., Turn], category: str | None, provider: Provider, halves: str
) -> None:
    text = refusal(lambda: read_manual(turn_of(category, provider), "payroll"))
    assert text.startswith(f"payroll is sealed in this thread: {halves}.")


def test_it_carries_the_four_values(turn_of: Callable[..., Turn]) -> None:
    text = refusal(lambda: read_manual(turn_of("health", Provider("doctor", ("health", "hr"))), "payroll"))
    assert "Provider: doctor." in text
    assert "Its tags: health, hr." in text
    assert "Categories required: finance, hr." in text
    assert "This thread's category: health." in text


def test_missing_values_are_called_missing(turn_of: Callable[..., Turn]) -> None:
    text = refusal(lambda: read_manual(turn_of(None, NO_PROVIDER), "payroll"))
    assert "Provider: none. Its tags: none." in text
    assert text.endswith("This thread's category: none.")


def test_every_named_surface_says_the_same(turn_of: Callable[..., Turn]) -> None:
    turn = turn_of()
    text = refusal(lambda: read_manual(turn, "payroll"))
    assert refusal(lambda: call_tool(turn, "payroll_run", {})) == text
    assert refusal(lambda: activate(turn, ["payroll"])) == f"{text}\nNothing was loaded."


@pytest.mark.parametrize("name", SEALED_SKILLS)
def test_a_sealed_skill_is_never_said_not_to_exist(turn_of: Callable[..., Turn], name: str) -> None:
    for ask in (read_manual, lambda turn, name: activate(turn, [name])):
        text = refusal(partial(ask, turn_of(), name))
        assert "is sealed" in text
        assert "There is no" not in text


def test_what_does_not_exist_is_said_not_to_exist(turn_of: Callable[..., Turn]) -> None:
    assert refusal(lambda: read_manual(turn_of(), "zebra")) == "There is no skill named 'zebra'."
    assert refusal(lambda: call_tool(turn_of(), "zebra", {})) == "There is no tool named 'zebra'."
