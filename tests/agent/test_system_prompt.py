"""The system prompt advises on the tools of the same step, and on no others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from entrypoints.agent import Agent
from entrypoints.prompt import ADVICE, system_prompt
from entrypoints.sources import Asker, Environment, Profile
from entrypoints.step import Assembly, freeze
from entrypoints.turn import Turn
from tests.agent.world import TRUSTED


def test_it_begins_with_advice_and_ends_with_the_index(turn_of: Callable[..., Turn]) -> None:
    lines = system_prompt(freeze(turn_of(), (), (), searches=True)).splitlines()
    assert lines[: len(ADVICE)] == list(ADVICE.values())
    assert all(line.startswith("- ") for line in lines[len(ADVICE) :])


@pytest.mark.parametrize("searches", [True, False])
def test_a_search_tool_is_recommended_only_where_it_is(turn_of: Callable[..., Turn], searches: bool) -> None:
    assert (ADVICE["tool_search"] in system_prompt(freeze(turn_of(), (), (), searches))) is searches


@pytest.mark.parametrize("name", ADVICE)
def test_nothing_is_said_of_a_tool_that_a_rule_denies(turn_of: Callable[..., Turn], name: str) -> None:
    step = freeze(turn_of(), (), (), searches=True, assembly=Assembly(deny=(name,)))
    assert name not in system_prompt(step)


def test_a_reviewer_is_told_nothing(agent: Agent) -> None:
    asker = Asker("guardian", Profile.MANAGED, Environment())
    assert system_prompt(freeze(agent.review(agent.history.thread("x"), asker, TRUSTED), (), ())) == ""
