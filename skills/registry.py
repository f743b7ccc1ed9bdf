"""All tools, registered once and for all. What a model sees of them is decided anew for each step, elsewhere."""

from __future__ import annotations

from collections.abc import Iterable

from skills.model import Tool


class ToolRegistry:
    """Tools by name, in the order of registration. One per agent."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        self.register(*tools)

    def register(self, *tools: Tool) -> None:
        """Add tools.

        Raises:
            ValueError: a name is taken; the first tool of that name stays, and nobody wins silently.
        """
        for tool in tools:
            if tool.name in self._tools:
                raise ValueError(f"tool {tool.name!r} is registered already: give the second one another name")
            self._tools[tool.name] = tool

    def drop(self, name: str) -> None:
        """Forget one tool; a name that nothing has is no mistake."""
        self._tools.pop(name, None)

    def drop_namespace(self, namespace: str) -> None:
        """Forget the tools of an MCP server that is gone."""
        self._tools = {name: tool for name, tool in self._tools.items() if tool.namespace != namespace}

    def tools(self) -> tuple[Tool, ...]:
        return tuple(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)
