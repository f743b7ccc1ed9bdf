"""An MCP server as a child process, seen as a namespace of tools. The SDK is asynchronous; this face of it is not."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import cast

import mcp_types
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, MCPError, StdioServerParameters

from skills.context import ExecutionContext
from skills.model import Arguments, Tool
from skills.results import Code, ToolResult, done, failed

ROOT = Path(__file__).resolve().parent.parent
KEY = "pytest-invariants/idempotency-key"
"""Where a request's metadata carries the idempotency key."""
TIMEOUT = 20.0
"""Seconds that one request may take before it counts as failed."""


class McpConnection:
    """A running server. Use it as a context manager: leaving it ends the child process.

    `module` is run with `python -m` in the repository's root, with `arguments` behind it and `env` added to the
    few variables that the SDK passes on.
    """

    def __init__(
        self, namespace: str, module: str, arguments: Sequence[str] = (), env: Mapping[str, str] | None = None
    ) -> None:
        self.namespace = namespace
        command = ["-m", module, *arguments]
        self._server = StdioServerParameters(command=sys.executable, args=command, env=dict(env or {}), cwd=ROOT)
        self._stack = ExitStack()
        self._portal: BlockingPortal | None = None
        self._client = Client(self._server, read_timeout_seconds=TIMEOUT)

    def __enter__(self) -> McpConnection:
        with ExitStack() as stack:
            self._portal = stack.enter_context(start_blocking_portal())
            stack.enter_context(self._portal.wrap_async_context_manager(self._client))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)
        self._portal = None

    def tools(self) -> tuple[Tool, ...]:
        """What the server offers now, by name: the order in which it answers is nobody's promise."""
        offered = self._running().call(self._client.list_tools).tools
        return tuple(self._tool(tool) for tool in sorted(offered, key=lambda tool: tool.name))

    def call(self, name: str, arguments: Arguments, key: str | None = None) -> ToolResult:
        """Call a tool of the server; a failure on the way is a result, not an exception."""
        meta = cast("mcp_types.RequestParamsMeta", {KEY: key} if key is not None else {})
        try:
            answer = self._running().call(partial(self._client.call_tool, name, dict(arguments), meta=meta))
        except MCPError as error:
            return failed(Code.DOWNSTREAM_ERROR, f"{self.namespace}: {error}")
        text = "\n".join(block.text for block in answer.content if isinstance(block, mcp_types.TextContent))
        return failed(Code.DOWNSTREAM_ERROR, text) if answer.is_error else done(text, answer.structured_content)

    def _tool(self, offered: mcp_types.Tool) -> Tool:
        run = partial(_call, self, offered.name)
        writes = offered.annotations is None or not offered.annotations.read_only_hint
        text = offered.description or ""
        return Tool(offered.name, text, offered.input_schema, run, namespace=self.namespace, writes=writes)

    def _running(self) -> BlockingPortal:
        if self._portal is None:
            raise RuntimeError(f"the server of {self.namespace} is not running: use the connection in a with block")
        return self._portal


def _call(connection: McpConnection, name: str, context: ExecutionContext, arguments: Arguments) -> ToolResult:
    return connection.call(name, arguments, context.key)
