"""A tool may be called by its exact name, shown or not; the call opens its group, and the seal goes first."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from entrypoints.agent import Agent
from entrypoints.direct_call import call_tool
from entrypoints.dispatch import dispatch
from entrypoints.messages import ToolCall, loaded_skills
from entrypoints.refusal import Refused
from entrypoints.step import freeze
from entrypoints.table import build_table
from entrypoints.turn import Turn
from tests.agent.world import RAN, WAREHOUSE, fresh_key

POST = {"account": "cash", "cents": 5}


def test_a_tool_that_is_not_open_opens_its_group_by_itself(turn_of: Callable[..., Turn]) -> None:
    turn = turn_of("finance")
    assert "ledger_post" not in {schema.name for schema in build_table(turn, [])}
    answer = dispatch(freeze(turn, (), ()), ToolCall("ledger_post", POST))
    assert loaded_skills([answer]) == ("ledger",)
    assert {"ledger_post", "ledger_balance"} <= {schema.name for schema in build_table(turn, [answer])}


def test_a_sealed_group_is_not_opened_and_nothing_happens(agent: Agent, turn_of: Callable[..., Turn]) -> None:
    answer = dispatch(freeze(turn_of("health"), (), ()), ToolCall("ledger_post", POST))
    assert "ledger is sealed" in answer.text
    assert not answer.ran
    assert loaded_skills([answer]) == ()
    assert agent.store.rows("ledger") == []


@pytest.mark.parametrize("tool", [tool.name for tool in WAREHOUSE])
def test_the_seal_of_a_skill_closes_and_opens_its_whole_catalogue(
    agent: Agent, turn_of: Callable[..., Turn], tool: str
) -> None:
    with pytest.raises(Refused, match="warehouse is sealed"):
        call_tool(turn_of("finance"), tool, {"id": "1"})
    assert agent.store.rows(RAN) == []
    call_tool(turn_of("logistics"), tool, {"id": "1"}, fresh_key())
    assert agent.store.rows(RAN) == [tool]


def test_a_masked_tool_that_a_model_found_in_history_runs(agent: Agent, turn_of: Callable[..., Turn]) -> None:
    called = call_tool(turn_of(), "cancel_order", {"order_id": "1"}, fresh_key())
    assert called.opened == ()
    assert agent.store.rows(RAN) == ["cancel_order"]


def test_what_needs_no_opening_opens_nothing(turn_of: Callable[..., Turn]) -> None:
    assert call_tool(turn_of(), "note_add", {"text": "a"}, fresh_key()).opened == ()
    assert call_tool(turn_of(), "query_cart", {}).opened == ()


def test_the_change_of_a_category_is_felt_by_the_next_call(agent: Agent, turn_of: Callable[..., Turn]) -> None:
    call_tool(turn_of("finance"), "ledger_post", POST, fresh_key())
    with pytest.raises(Refused, match="ledger is sealed"):
        call_tool(turn_of(None), "ledger_post", POST, fresh_key())
    assert len(agent.store.rows("ledger")) == 1
