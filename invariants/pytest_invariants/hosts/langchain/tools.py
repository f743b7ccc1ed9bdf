"""Disarming the agent's tools: while it is open, a counter runs in the place of every tool's own function."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool, Tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode

from pytest_invariants.hosts.watching import MARK, Watch
from pytest_invariants.probe.arguments import accepted

Graph = CompiledStateGraph[Any, Any, Any, Any]
DID = "carried out by the probe"


def tools_of(graph: Graph) -> Iterator[BaseTool]:
    """The tools that the agent's tool nodes dispatch on."""
    for node in graph.nodes.values():
        if isinstance(node.bound, ToolNode):
            yield from node.bound.tools_by_name.values()


def sample_of(tool: BaseTool) -> dict[str, Any]:
    """Arguments that the tool accepts, made from the schema that the model is shown."""
    found = accepted(convert_to_openai_tool(tool)["function"].get("parameters", {}))
    return dict(found) if isinstance(found, dict) else {}


class Disarmed:
    """The tools whose functions were taken out, and the name of each that began since, oldest first."""

    def __init__(self) -> None:
        self.began: list[str] = []
        self.tools: dict[str, BaseTool] = {}
        self._undo: list[Callable[[], None]] = []

    def disarm(self, tools: Iterable[BaseTool]) -> None:
        """Put a counter into every tool that has none yet. What the agent's own code holds of a tool sees it too."""
        known = {id(tool) for tool in self.tools.values()}
        for tool in tools:
            if id(tool) not in known:
                self.tools[tool.name] = tool
                for place in _places(tool):
                    watch: Watch[str] = getattr(getattr(tool, place), MARK, None) or _stand_in(tool, place)
                    self._undo.append(watch.join(self._hear))

    def restore(self) -> None:
        while self._undo:
            self._undo.pop()()

    def _hear(self, name: str) -> None:
        self.began.append(name)


def _stand_in(tool: BaseTool, place: str) -> Watch[str]:
    """Take one function of a tool out."""
    own, before = getattr(tool, place), vars(tool).get(place)
    watch: Watch[str] = Watch(lambda: vars(tool).pop(place) if before is None else vars(tool).update({place: before}))
    answer = (DID, None) if tool.response_format == "content_and_artifact" else DID

    @functools.wraps(own)
    def at_once(*_: object, **__: object) -> object:
        watch.tell(tool.name)
        return answer

    @functools.wraps(own)
    async def awaited(*_: object, **__: object) -> object:
        return at_once()

    stand_in = awaited if place in ("coroutine", "_arun") else at_once
    setattr(stand_in, MARK, watch)
    vars(tool)[place] = stand_in
    return watch


def _places(tool: BaseTool) -> Iterator[str]:
    """The attributes that hold the tool's own function, without and with `async`."""
    if isinstance(tool, StructuredTool | Tool):
        yield from (place for place in ("func", "coroutine") if getattr(tool, place) is not None)
        return
    yield "_run"
    if type(tool)._arun is not BaseTool._arun:
        yield "_arun"
