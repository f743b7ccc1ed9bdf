"""Surfaces: the far side of the bridge, an MCP server in a process of its own that asks the seal with its own facts."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import anyio.to_thread
import mcp_types
from mcp.server.lowlevel import Server

from entrypoints.agent import Agent, open_agent
from entrypoints.bridge import ChildFacts
from entrypoints.core_tools import OF_THE_SESSION
from entrypoints.direct_call import call_tool
from entrypoints.refusal import Refused
from entrypoints.turn import Provider, Thread, Turn
from skills.category_seal import skill_sealed_for
from skills.context import Identity
from skills.loader import SkillLoader
from skills.mcp_client import KEY, McpConnection
from skills.model import Schema
from skills.results import Code, ToolResult, failed
from skills.servers.stdio import run_stdio


def bridge_tools(turn: Turn) -> tuple[Schema, ...]:
    """What the other process may call: all that open groups offer, less what only a session can answer."""
    return tuple(
        schema
        for skill in turn.skills.groups
        if not skill_sealed_for(skill.categories, turn.category)
        for schema in skill.schemas(turn.thread.writing)
        if schema.name not in OF_THE_SESSION
    )


def bridge_call(turn: Turn, name: str, arguments: Mapping[str, object], key: str | None = None) -> ToolResult:
    """Run a tool for the other process; a refusal is a result."""
    try:
        return call_tool(turn, name, arguments, key).result
    except Refused as refusal:
        return failed(Code.UNKNOWN, str(refusal))


def child_turn(agent: Agent, facts: ChildFacts) -> Turn:
    """A turn from the facts alone. No loader comes with it: the process-wide one answers."""
    thread = Thread(facts.thread, facts.category, writing=frozenset(facts.writing))
    identity = Identity(facts.user, facts.tenant, frozenset(facts.permissions))
    return agent.turn(thread, Provider(facts.provider, facts.tags), identity=identity)


def bridge_server(agent: Agent, facts: ChildFacts) -> Server[Any]:
    """The server; it makes a turn anew for each request."""

    async def list_tools(_context: Any, _params: mcp_types.PaginatedRequestParams | None) -> mcp_types.ListToolsResult:
        return mcp_types.ListToolsResult(tools=[_declared(schema) for schema in bridge_tools(child_turn(agent, facts))])

    async def answer(_context: Any, params: mcp_types.CallToolRequestParams) -> mcp_types.CallToolResult:
        key = (params.meta or {}).get(KEY)
        told = str(key) if key is not None else None
        call = partial(bridge_call, child_turn(agent, facts), params.name, params.arguments or {}, told)
        return _answered(await anyio.to_thread.run_sync(call))

    return Server("bridge", on_list_tools=list_tools, on_call_tool=answer)


def main(facts: ChildFacts) -> None:
    """Serve until the parent closes the pipe."""
    with ExitStack() as stack:
        servers = [McpConnection(name, f"skills.servers.{name}") for name in facts.namespaces]
        tools = [tool for server in servers for tool in stack.enter_context(server).tools()]
        run_stdio(bridge_server(open_agent(Path(facts.home), SkillLoader(enabled=facts.enabled), tools), facts))


def _declared(schema: Schema) -> mcp_types.Tool:
    return mcp_types.Tool(name=schema.name, description=schema.description, input_schema=dict(schema.parameters))


def _answered(result: ToolResult) -> mcp_types.CallToolResult:
    content = mcp_types.TextContent(type="text", text=result.message)
    data = {"code": result.code.value, "data": result.data}
    return mcp_types.CallToolResult(content=[content], structured_content=data, is_error=not result.success)


if __name__ == "__main__":
    main(ChildFacts.from_json(sys.argv[1]))
