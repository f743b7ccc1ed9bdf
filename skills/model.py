"""Tools and skills as data. A skill is the group of its tools, and the group is what the seal is asked about."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from skills.context import ExecutionContext
from skills.results import ToolResult

Arguments = Mapping[str, object]
ToolFunction = Callable[[ExecutionContext, Arguments], ToolResult]


class Availability(StrEnum):
    RESIDENT = "resident"
    """The skill's own tools are in every request and cost tokens in every turn."""
    DEFERRED = "deferred"
    """The skill's tools are there once it has been loaded."""


class Writing(StrEnum):
    """The side of a group on which its writing tools stand, apart from those that only read."""

    CLOSED = "closed"
    """Writing tools are there once the session has opened the side."""
    OPEN = "open"
    """They are there with the rest of the group."""


@dataclass(frozen=True, slots=True)
class Schema:
    """A tool as the model sees it. `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, object]

    def to_json(self) -> dict[str, object]:
        return {"name": self.name, "description": self.description, "input_schema": dict(self.parameters)}


@dataclass(frozen=True, slots=True)
class Tool:
    """A declaration and the function behind it.

    `namespace` is the MCP server that serves the tool, or None for a tool of this process. `owner` is the folder of the
    skill that brought the tool, or None for a tool that belongs to no skill. `writes` is true unless a tool is known to
    change nothing. `needs_identity`: it runs for somebody, and that is never an argument.
    """

    name: str
    description: str
    parameters: Mapping[str, object]
    function: ToolFunction
    namespace: str | None = None
    owner: str | None = None
    writes: bool = True
    needs_identity: bool = False

    def schema(self) -> Schema:
        return Schema(self.name, self.description, self.parameters)

    def invoke(self, context: ExecutionContext, arguments: Arguments) -> ToolResult:
        """Run the function under the contract of `skills.guard`."""
        return context.guard.run(self, context, arguments)


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill folder that has been read, with its tools: what the seal is asked about.

    As loaded, `tools` are those of the folder's own module; in an index also those of the MCP namespaces it claims.
    `tool_ids` are tools that stay hidden until the manual has been read; the skill need not own them.
    """

    name: str
    description: str
    body: str
    categories: tuple[str, ...] = ()
    availability: Availability = Availability.DEFERRED
    availability_reason: str = ""
    writing: Writing = Writing.CLOSED
    mcp: tuple[str, ...] = ()
    tool_ids: tuple[str, ...] = ()
    tools: tuple[Tool, ...] = ()

    def tool(self, name: str) -> Tool | None:
        return next((tool for tool in self.tools if tool.name == name), None)

    def offers(self, tool: Tool, opened: Collection[str]) -> bool:
        """Whether one of its tools is there in a session that has opened the writing sides of the `opened` skills."""
        return not tool.writes or self.writing is Writing.OPEN or self.name in opened

    def schemas(self, opened: Collection[str] = ()) -> tuple[Schema, ...]:
        """The schemas of the tools that are there in such a session, in the order of the tools."""
        return tuple(tool.schema() for tool in self.tools if self.offers(tool, opened))

    def invoke(self, name: str, context: ExecutionContext, arguments: Arguments) -> ToolResult:
        """Run one of the group's tools.

        Raises:
            KeyError: the skill has no such tool.
        """
        tool = self.tool(name)
        if tool is None:
            raise KeyError(name)
        return tool.invoke(context, arguments)
