"""Tools from outside get a prefix, a hash where names would still collide, and never the name of a core tool."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entrypoints.agent import open_agent
from entrypoints.direct_call import call_tool
from entrypoints.table import build_table
from entrypoints.tool_names import LONGEST, prefixed
from skills.loader import SkillLoader
from skills.model import Tool
from tests.agent.world import SHOP, TRUSTED, plain_tool


def names(*tools: Tool, core: tuple[str, ...] = ()) -> list[str]:
    return [tool.name for tool in prefixed(tools, core)]


def test_a_prefix_keeps_servers_apart() -> None:
    assert names(plain_tool("read_file", "disk"), plain_tool("read_file", "cloud")) == [
        "mcp__disk__read_file",
        "mcp__cloud__read_file",
    ]


def test_letters_that_are_not_allowed_are_replaced() -> None:
    assert names(plain_tool("read.file", "my disk")) == ["mcp__my_disk__read_file"]


def test_names_that_still_collide_get_a_hash_of_twelve_hex_digits() -> None:
    one, other = names(plain_tool("read.file", "disk"), plain_tool("read_file", "disk"))
    assert one != other
    for name in (one, other):
        assert re.fullmatch(r"mcp__disk__read_file_[0-9a-f]{12}", name)


def test_the_hash_does_not_depend_on_who_came_first() -> None:
    tools = [plain_tool("read.file", "disk"), plain_tool("read_file", "disk")]
    assert sorted(names(*tools)) == sorted(names(*reversed(tools)))


def test_an_external_tool_that_collides_with_a_core_name_is_left_out() -> None:
    tools = plain_tool("read", "disk"), plain_tool("write", "disk")
    assert names(*tools, core=("mcp__disk__read",)) == ["mcp__disk__write"]


@given(st.lists(st.tuples(st.text(min_size=1), st.text(min_size=1)), unique=True, max_size=6))
def test_every_name_is_legal_and_no_two_are_the_same(pairs: list[tuple[str, str]]) -> None:
    given_names = names(*(plain_tool(name, namespace) for namespace, name in pairs))
    assert all(re.fullmatch(rf"[A-Za-z0-9_-]{{1,{LONGEST}}}", name) for name in given_names)
    assert len(set(given_names)) == len({f"mcp__{namespace}__{name}" for namespace, name in pairs})


def test_an_agent_works_with_prefixed_names(tmp_path: Path) -> None:
    agent = open_agent(tmp_path, SkillLoader(enabled=[]), prefixed(SHOP, ()))
    turn = agent.turn(agent.history.thread("x"), TRUSTED)
    assert "mcp__shop__query_order" in {schema.name for schema in build_table(turn, ())}
    assert call_tool(turn, "mcp__shop__query_order", {"order_id": "1"}).result.success


def test_a_server_that_connects_gets_prefixed_names_and_the_core_keeps_its_own(tmp_path: Path) -> None:
    agent = open_agent(tmp_path, SkillLoader(enabled=[]))
    before = {tool.name: tool for tool in agent.registry.tools()}
    agent.connect([plain_tool("load_skill", "files"), plain_tool("read.file", "files")])
    after = {tool.name: tool for tool in agent.registry.tools()}
    assert set(after) - set(before) == {"mcp__files__load_skill", "mcp__files__read_file"}
    assert all(after[name] is tool for name, tool in before.items())


def test_a_server_whose_names_are_taken_is_refused(tmp_path: Path) -> None:
    agent = open_agent(tmp_path, SkillLoader(enabled=[]))
    agent.connect([plain_tool("read", "my disk")])
    with pytest.raises(ValueError, match="'mcp__my_disk__read' is registered already"):
        agent.connect([plain_tool("read", "my_disk")])
