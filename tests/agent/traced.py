"""An agent whose tools do nothing but leave their names: whether a tool ran is a fact and never a reading of texts."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial
from pathlib import Path

from entrypoints.agent import Agent, open_agent
from skills.context import ExecutionContext
from skills.loader import SkillLoader
from skills.model import Arguments
from skills.registry import ToolRegistry
from skills.results import ToolResult, done
from tests.agent.world import SHOP, WAREHOUSE


def traced_agent(home: Path, loader: SkillLoader, ran: list[str], order: int = 0) -> Agent:
    """The agent of the repository; a tool that runs, for whomever, adds its name to `ran` and changes nothing else.

    `order` shuffles the order in which the tools are registered.
    """
    agent = open_agent(home, loader, (*SHOP, *WAREHOUSE))
    harmless = [replace(tool, writes=False, needs_identity=False) for tool in agent.registry.tools()]
    tools = [replace(tool, function=partial(_trace, tool.name, ran)) for tool in harmless]
    if order:
        random.Random(order).shuffle(tools)
    return replace(agent, registry=ToolRegistry(tools))


def _trace(name: str, ran: list[str], _context: ExecutionContext, _arguments: Arguments) -> ToolResult:
    ran.append(name)
    return done("ran")
