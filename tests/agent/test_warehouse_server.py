"""The warehouse's catalogue comes from a real server, and the seal of one skill stands before all of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from entrypoints.agent import open_agent
from entrypoints.direct_call import call_tool
from entrypoints.refusal import Refused
from entrypoints.turn import Turn
from skills.loader import SkillLoader
from skills.mcp_client import McpConnection
from skills.results import Code
from tests.agent.world import TRUSTED


@pytest.fixture(scope="module")
def server() -> Iterator[McpConnection]:
    with McpConnection("warehouse", "skills.servers.warehouse") as connection:
        yield connection


def turn(server: McpConnection, home: Path, category: str) -> Turn:
    agent = open_agent(home, SkillLoader(enabled=["warehouse"]), server.tools())
    thread = agent.history.open_writing(agent.history.open_thread("x", category), "warehouse")
    return agent.turn(thread, TRUSTED)


def test_it_serves_forty_eight_tools_in_the_order_of_their_names(server: McpConnection) -> None:
    names = [tool.name for tool in server.tools()]
    assert len(names) == 48
    assert names == sorted(names)
    assert {tool.namespace for tool in server.tools()} == {"warehouse"}


def test_its_tools_are_called_over_the_wire(server: McpConnection, tmp_path: Path) -> None:
    called = call_tool(turn(server, tmp_path, "logistics"), "book_dock", {"id": "3"}, "a key")
    assert called.result.data == {"thing": "dock", "verb": "book", "id": "3"}
    assert called.opened == ("warehouse",)


def test_all_of_it_is_sealed_with_its_skill(server: McpConnection, tmp_path: Path) -> None:
    sealed = turn(server, tmp_path, "finance")
    for tool in server.tools():
        with pytest.raises(Refused, match="warehouse is sealed"):
            call_tool(sealed, tool.name, {"id": "3"})


def test_an_error_on_the_far_side_is_a_result(server: McpConnection) -> None:
    result = server.call("burn_dock", {})
    assert (result.code, result.message) == (Code.DOWNSTREAM_ERROR, "warehouse has no tool named 'burn_dock'")


def test_a_connection_is_used_in_a_with_block() -> None:
    with pytest.raises(RuntimeError, match="warehouse is not running"):
        McpConnection("warehouse", "skills.servers.warehouse").tools()
