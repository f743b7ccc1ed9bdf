"""An agent whose tools do nothing but leave their names: whether a tool ran is a fact and never a reading of texts."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

from entrypoints.agent import Agent, open_agent
from skills.context import ExecutionContext
from skills.loader import SkillLoader
from skills.model import Arguments, Tool
from skills.registry import ToolRegistry
from skills.results import ToolResult, done
from tests.agent.world import SHOP, WAREHOUSE


class Mark(str):
    """What a tool leaves when it runs, and the session for which it ran."""

    session: str = ""


def traced_agent(home: Path, loader: SkillLoader | None, ran: list[Mark], order: int = 0) -> Agent:
    """The agent of the repository with all of its tools traced, registered in an order that the seed `order` makes."""
    agent = open_agent(home, loader, (*SHOP, *WAREHOUSE))
    tools = [traced(tool, ran) for tool in agent.registry.tools()]
    if order:
        random.Random(order).shuffle(tools)
    return replace(agent, registry=ToolRegistry(tools), store=replace(agent.store, durable=False))


def traced(tool: Tool, ran: list[Mark], mark: str = "") -> Tool:
    """The tool without its effects: when it runs, for whomever, it adds its name to `ran`, or the mark, and says it."""
    mark = mark or tool.name

    def run(context: ExecutionContext, _arguments: Arguments) -> ToolResult:
        left = Mark(mark)
        left.session = context.session
        ran.append(left)
        return done(mark)

    return replace(tool, needs_identity=False, function=run)
