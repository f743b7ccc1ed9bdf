"""The facts of a child are written anew; what is left out is on the safe side."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from entrypoints.agent import Agent
from entrypoints.bridge import ChildFacts, child_facts
from entrypoints.bridge_server import bridge_call, bridge_tools, child_turn
from entrypoints.core_tools import OF_THE_SESSION
from entrypoints.turn import NO_PROVIDER, Provider, Turn
from skills.context import Identity
from skills.results import Code
from tests.agent.world import SEALED_SKILLS, TRUSTED

CLI = Provider("cli", ("finance", "health"))


def test_the_category_is_carried_over_and_the_provider_is_the_childs(
    turn_of: Callable[..., Turn], tmp_path: Path
) -> None:
    facts = child_facts(turn_of("finance"), tmp_path, CLI)
    assert (facts.category, facts.provider, facts.tags) == ("finance", "cli", ("finance", "health"))


def test_a_child_is_allowed_no_more_than_its_parent(turn_of: Callable[..., Turn], tmp_path: Path) -> None:
    assert child_facts(turn_of("finance", NO_PROVIDER), tmp_path, CLI).category is None


def test_identity_is_carried_over_by_hand(agent: Agent, tmp_path: Path) -> None:
    who = Identity("ann", "acme", frozenset({"orders"}))
    facts = child_facts(agent.turn(agent.history.thread("x"), CLI, identity=who), tmp_path, CLI)
    assert child_turn(agent, facts).context.identity == who


def test_facts_survive_the_way(turn_of: Callable[..., Turn], tmp_path: Path) -> None:
    facts = child_facts(turn_of("finance"), tmp_path, CLI, ("ledger",), ("warehouse",))
    assert ChildFacts.from_json(facts.to_json()) == facts


def test_a_field_left_out_means_the_safe_side(agent: Agent, tmp_path: Path) -> None:
    facts = ChildFacts.from_json(f'{{"home": "{tmp_path}", "thread": "x"}}')
    turn = child_turn(agent, facts)
    assert (turn.category, turn.provider, turn.context.identity) == (None, NO_PROVIDER, Identity())
    assert not {tool.name for tool in bridge_tools(turn)} & {"ledger_post", "payroll_run", "clinic_record", "show_bin"}


@pytest.mark.parametrize("text", ['{"home": "h"}', '{"home": "h", "thread": "x", "admin": true}'])
def test_facts_that_nobody_knows_are_no_facts(text: str) -> None:
    with pytest.raises(TypeError):
        ChildFacts.from_json(text)


@pytest.mark.parametrize(("name", "category"), SEALED_SKILLS.items())
def test_the_far_side_asks_the_seal_for_lists_and_for_calls(
    agent: Agent, turn_of: Callable[..., Turn], name: str, category: str
) -> None:
    skill = turn_of().skills.find(name)
    assert skill is not None
    tools = {tool.name for tool in skill.tools}
    assert not tools & {tool.name for tool in bridge_tools(turn_of(None))}
    assert tools <= {tool.name for tool in bridge_tools(turn_of(category))}
    refused = bridge_call(turn_of(None), skill.tools[0].name, {})
    assert refused.code is Code.UNKNOWN
    assert f"{name} is sealed" in refused.message


def test_what_only_a_session_can_answer_is_not_offered(turn_of: Callable[..., Turn]) -> None:
    assert not OF_THE_SESSION & {tool.name for tool in bridge_tools(turn_of(None, TRUSTED))}
    assert "belongs to a session" in bridge_call(turn_of(), "load_skill", {"names": ["notes"]}).message
