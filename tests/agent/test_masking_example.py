"""The worked example: one conversation, three inferences, and the tools that each is shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from entrypoints.agent import Agent, open_agent
from entrypoints.core_tools import BASE
from entrypoints.messages import ToolCall
from entrypoints.model import Reply, ScriptedModel
from entrypoints.session import Session
from entrypoints.table import build_table
from entrypoints.turn import Provider
from skills.loader import SkillLoader
from skills.mcp_client import McpConnection
from skills.model import Tool
from tests.agent.world import SHOP_SKILLS

ALWAYS_SHOWN = {
    *("search_knowledge", "load_skill", "flush_memory"),
    *("query_order", "query_after_sale", "query_cart", "query_coupons"),
    *("query_logistics", "search_product", "read_device", "submit_ticket"),
}
UNLOCKED = {"cancel_order", "change_address"}
STILL_MASKED = {"apply_after_sale", "update_cart_item", "create_order", "pay_order"}


@pytest.fixture(scope="module")
def shop() -> Iterator[tuple[Tool, ...]]:
    with McpConnection("shop", "skills.servers.shop") as server:
        yield server.tools()


@pytest.fixture
def shop_agent(tmp_path: Path, shop: tuple[Tool, ...]) -> Agent:
    return open_agent(tmp_path, SkillLoader(enabled=SHOP_SKILLS), shop, core=BASE)


def conversation(agent: Agent) -> list[set[str]]:
    """What the model was shown in each of three inferences."""
    agent.history.open_thread("order")
    model = ScriptedModel(
        Provider("scripted"),
        [
            Reply("", (ToolCall("load_skill", {"names": ["order_change"]}),)),
            Reply("", (ToolCall("query_order", {"order_id": "88239"}),)),
            Reply("The order has not left yet: shall I cancel it?"),
        ],
    )
    Session(agent, "order", [model]).ask("I no longer want that telephone.")
    return [{schema.name for schema in request.tools} for request in model.requests]


def visible_now(agent: Agent) -> set[str]:
    thread = agent.history.thread("order")
    return {schema.name for schema in build_table(agent.turn(thread), agent.history.messages(thread))}


def test_seventeen_tools_are_registered(shop_agent: Agent) -> None:
    assert len(shop_agent.registry) == 17
    assert sum(tool.namespace is None for tool in shop_agent.registry.tools()) == 3


def test_eleven_then_thirteen_then_thirteen(shop_agent: Agent) -> None:
    first, second, third = conversation(shop_agent)
    assert [len(first), len(second), len(third)] == [11, 13, 13]
    assert first == ALWAYS_SHOWN
    assert second == third == ALWAYS_SHOWN | UNLOCKED


def test_six_are_masked_and_then_four(shop_agent: Agent) -> None:
    registered = {tool.name for tool in shop_agent.registry.tools()}
    first, second, _ = conversation(shop_agent)
    assert registered - first == UNLOCKED | STILL_MASKED
    assert registered - second == STILL_MASKED


def test_masked_again_when_compaction_takes_the_loading_message_away(shop_agent: Agent) -> None:
    conversation(shop_agent)
    assert visible_now(shop_agent) == ALWAYS_SHOWN | UNLOCKED
    shop_agent.history.compact(shop_agent.history.thread("order"), keep=2, summary="An order is to be cancelled.")
    assert visible_now(shop_agent) == ALWAYS_SHOWN
