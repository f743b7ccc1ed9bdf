"""What clashes between skills or with the registered tools is told at the start, and nobody wins silently."""

from __future__ import annotations

import pytest

from skills.checks import check_skills
from skills.model import Skill
from skills.problems import SkillFileError
from skills.registry import ToolRegistry
from tests.agent.world import plain_tool

MCP = plain_tool("cancel_order", namespace="shop")


def test_tool_ids_may_name_enabled_mcp_tools() -> None:
    check_skills([Skill("order_change", "", "", tool_ids=("cancel_order",))], [MCP])


@pytest.mark.parametrize("name", ["search_knowledge", "load_skill", "flush_memory", "cancel_ordre"])
def test_tool_ids_may_name_nothing_else(name: str) -> None:
    tools = [MCP, *map(plain_tool, ("search_knowledge", "load_skill", "flush_memory"))]
    with pytest.raises(SkillFileError, match=rf"order_change/SKILL\.md:1: tool-ids: {name} is not an enabled MCP tool"):
        check_skills([Skill("order_change", "", "", tool_ids=(name,))], tools)


def test_a_namespace_has_one_claimant() -> None:
    first, second = Skill("bins", "", "", mcp=("warehouse",)), Skill("shelves", "", "", mcp=("warehouse",))
    with pytest.raises(SkillFileError, match="warehouse is claimed by bins already"):
        check_skills([first, second], [])


def test_a_name_is_registered_once() -> None:
    registry = ToolRegistry([MCP])
    with pytest.raises(ValueError, match="'cancel_order' is registered already"):
        registry.register(plain_tool("cancel_order"))
    assert registry.tools() == (MCP,)
