"""What a door is to others: a tool, a route, a command, a callback or an MCP handler."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from pytest_invariants.flow.judging.doors import Door
from pytest_invariants.scaffold.registrars import GATE, TOOL, Handed

ROLES: Mapping[str, frozenset[str]] = {
    "tool": frozenset({"tool", "tool_plain", "function_tool", "register_tool_function", "add_tool", "beta_tool"}),
    "route": frozenset(
        {"get", "post", "put", "delete", "patch", "head", "options", "route", "websocket", "api_route", "custom_route"}
    ),
    "command": frozenset({"command", "group", "subcommand", "slash_command"}),
    "callback": frozenset(
        {"callback", "event", "on_event", "listener", "on", "hook", "hookimpl", "task", "receiver", "exception_handler"}
    ),
    "MCP handler": frozenset(
        {
            "list_tools",
            "call_tool",
            "list_resources",
            "list_resource_templates",
            "read_resource",
            "list_prompts",
            "get_prompt",
            "resource",
            "prompt",
        }
    ),
}
"""The last names of decorators by what they make of a function, where no framework of the table is imported."""


def roles(door: Door, over: Collection[Handed]) -> tuple[str, ...]:
    """Each role once, the framework's own word first: `tool of fastmcp (under `@mcp.tool`)`."""
    told = [_told(one) for one in over if one.ref == door.function]
    return tuple(told) or tuple(dict.fromkeys(_by_decorators(door)))


def _told(one: Handed) -> str:
    if one.role in (TOOL, GATE):
        return f"{one.role} of {one.framework} ({one.how})"
    if one.framework == "mcp":
        return f"MCP handler ({one.role}, {one.how})"
    return f"{one.role} handler of {one.framework} ({one.how})"


def _by_decorators(door: Door) -> Iterator[str]:
    for text in door.decorated:
        name = text.partition("(")[0].rpartition(".")[2]
        yield from (f"{role} (under `@{text.partition('(')[0]}`)" for role, names in ROLES.items() if name in names)
