"""Disarming the agent's tools: while it is open, a counter runs in the place of every tool's own function."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from agentscope.mcp import MCPClient
from agentscope.message import TextBlock
from agentscope.tool import ToolBase, ToolChunk, Toolkit

from pytest_invariants.hosts.watching import MARK, Listener, Watch
from pytest_invariants.probe.arguments import accepted
from pytest_invariants.probe.host import HostError

TRIES = 100
"""Calls that an agent may begin in one turn."""
DID = "carried out by the probe"
MCP = "mcp__{client}__{tool}"
"""The name under which the model knows the tool of an MCP server."""

Schema = dict[str, Any]


def sample_of(schema: Schema) -> dict[str, Any]:
    """Arguments that a tool accepts, made from the schema that the model is shown."""
    found = accepted(schema)
    return dict(found) if isinstance(found, dict) else {}


class Disarmed:
    """The tools whose functions were taken out, and the name of each that began since, oldest first."""

    def __init__(self, names: Collection[str]) -> None:
        self.began: list[str] = []
        self.schemas: dict[str, Schema] = {}
        self._names = frozenset(names)
        self._undo: list[Callable[[], None]] = []
        self._tries = 0

    async def disarm(self, toolkit: Toolkit) -> None:
        """Put a counter into every wanted tool of every group, and into all that an MCP client will hand out."""
        self._join(toolkit, "check_tool_available", _bounded, self._try)
        for group in toolkit.tool_groups:
            for tool in group.tools:
                self._disarm(tool)
            for client in group.mcps:
                self._join(client, "get_tool", _handing_out, self._disarm)
                await client.list_raw_tools()
                for raw in client._cached_tools or []:  # those that the client filters out included
                    self._note(MCP.format(client=client.name, tool=raw.name), raw.input_schema)

    def begin(self) -> None:
        """A turn begins."""
        self._tries = 0

    def missing(self) -> list[str]:
        """Wanted tools that were not found: one that is not watched would seem never to run."""
        return sorted(self._names - self.schemas.keys())

    def restore(self) -> None:
        while self._undo:
            self._undo.pop()()

    def _disarm(self, tool: ToolBase) -> None:
        if tool.name not in self._names:
            return
        if type(tool).__call__ is not ToolBase.__call__:
            said = f"the tool `{tool.name}` overrides `__call__`"
            raise HostError(f"{said}; let it override `call`, as ToolBase says, so that it can be watched")
        self._note(tool.name, tool.input_schema)
        self._join(tool, "call", _counting, self._hear)

    def _join(self, holder: Any, place: str, make: Callable[[Any, Watch[Any]], Any], listener: Listener[Any]) -> None:
        """Listen at one method of an object, in whose place stands, from the first listener on, what `make` makes."""
        watch = getattr(vars(holder).get(place), MARK, None)
        if watch is None:
            watch = Watch(lambda: vars(holder).pop(place))
            stand_in = make(holder, watch)
            setattr(stand_in, MARK, watch)
            vars(holder)[place] = stand_in
        self._undo.append(watch.join(listener))

    def _note(self, name: str, schema: Schema) -> None:
        if name in self._names:
            self.schemas[name] = schema

    def _hear(self, name: str) -> None:
        self.began.append(name)

    def _try(self, _name: str) -> None:
        """An agent tries a call again as long as what stops it is no Exception (an interrupted seal is none)."""
        self._tries += 1
        if self._tries > TRIES:
            raise RuntimeError("the agent tries the same call for ever")


def _counting(tool: ToolBase, watch: Watch[str]) -> Any:
    async def call(**_: object) -> ToolChunk:
        watch.tell(tool.name)
        return ToolChunk(content=[TextBlock(text=DID)])

    return call


def _handing_out(client: MCPClient, watch: Watch[ToolBase]) -> Any:
    """An MCP client makes a new object for a tool whenever it is asked for one."""
    own = client.get_tool

    async def get_tool(name: str) -> ToolBase:
        tool = await own(name)
        watch.tell(tool)
        return tool

    return get_tool


def _bounded(toolkit: Toolkit, watch: Watch[str]) -> Any:
    own = toolkit.check_tool_available

    async def check_tool_available(tool_name: str, activated_groups: list[str]) -> ToolBase:
        watch.tell(tool_name)
        return await own(tool_name, activated_groups)

    return check_tool_available
