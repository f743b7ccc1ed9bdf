"""Seeing that a tool has run, without letting it do anything."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection
from contextlib import ExitStack
from typing import Any
from unittest import mock

from fastmcp.tools import FunctionTool
from fastmcp.tools.base import ToolResult
from mcp.server.mcpserver.tools import Tool as SdkTool
from mcp_types import CallToolResult, TextContent

LOGS = ("mcp", "fastmcp", "client")
"""Where a refusal is logged with its traceback; here refusals are what is asked for."""
Run = Callable[..., Awaitable[Any]]


class Recorder:
    """While it is on, the function of a tool is not called: its name is kept, and an empty answer given.

    The tools that FastMCP makes itself (to search, to call by name, to read resources) run as they are, and so do
    those that `relays` names: what they hand on is what counts.
    """

    def __init__(self, relays: Collection[str] = ()) -> None:
        self.ran: list[str] = []
        self._relays = frozenset(relays)
        self._undo = ExitStack()

    def on(self) -> None:
        self._replace(FunctionTool, ToolResult(content=""))
        self._replace(SdkTool, CallToolResult(content=[TextContent(type="text", text="")]))
        for name in LOGS:
            logger = logging.getLogger(name)
            self._undo.callback(logger.setLevel, logger.level)
            logger.setLevel(logging.CRITICAL + 1)

    def off(self) -> None:
        self._undo.close()

    def _replace(self, kind: type[Any], answer: object) -> None:
        really: Run = kind.run

        async def run(tool: Any, *arguments: Any, **options: Any) -> Any:
            if self._passes(tool):
                return await really(tool, *arguments, **options)
            self.ran.append(tool.name)
            return answer

        self._undo.enter_context(mock.patch.object(kind, "run", run))

    def _passes(self, tool: Any) -> bool:
        return tool.name in self._relays or getattr(tool.fn, "__module__", "").partition(".")[0] == "fastmcp"
