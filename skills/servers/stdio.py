"""The few lines that every one of our MCP servers shares: a list of tools, one answer a call, stdin and stdout."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import anyio
import mcp_types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


@dataclass(frozen=True, slots=True)
class Served:
    """A tool of a server: what it is called and does, the JSON schemas of its arguments, and what it answers."""

    name: str
    description: str
    properties: Mapping[str, Mapping[str, object]]
    answer: Callable[[Mapping[str, object]], Mapping[str, object]]
    writes: bool

    def declaration(self) -> mcp_types.Tool:
        schema = {"type": "object", "properties": dict(self.properties), "required": list(self.properties)}
        hints = mcp_types.ToolAnnotations(read_only_hint=not self.writes)
        return mcp_types.Tool(name=self.name, description=self.description, input_schema=schema, annotations=hints)


def serve(namespace: str, tools: Sequence[Served]) -> None:
    """Answer on stdin and stdout until the client closes them."""
    by_name = {tool.name: tool for tool in tools}

    async def list_tools(_context: Any, _params: mcp_types.PaginatedRequestParams | None) -> mcp_types.ListToolsResult:
        return mcp_types.ListToolsResult(tools=[tool.declaration() for tool in tools])

    async def call_tool(_context: Any, params: mcp_types.CallToolRequestParams) -> mcp_types.CallToolResult:
        tool = by_name.get(params.name)
        if tool is None:
            return _text(f"{namespace} has no tool named {params.name!r}", failed=True)
        answer = dict(tool.answer(params.arguments or {}))
        return _text(f"{params.name}: done", answer)

    run_stdio(Server(namespace, on_list_tools=list_tools, on_call_tool=call_tool))


def run_stdio(server: Server[Any]) -> None:
    """Run a server in this process, in the foreground."""

    async def main() -> None:
        async with stdio_server() as (reader, writer):
            await server.run(reader, writer, server.create_initialization_options())

    anyio.run(main)


def _text(text: str, data: Mapping[str, object] | None = None, failed: bool = False) -> mcp_types.CallToolResult:
    content = mcp_types.TextContent(type="text", text=text)
    return mcp_types.CallToolResult(content=[content], structured_content=data, is_error=failed)
