"""An agent whose tools do nothing but leave a row: whether a tool ran is a fact and never a reading of texts."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

from entrypoints.agent import Agent, open_agent
from skills.loader import SkillLoader
from skills.registry import ToolRegistry
from tests.agent.world import SHOP, WAREHOUSE, leaves_trace


def traced_agent(home: Path, order: int = 0) -> Agent:
    """The agent of the repository, with tools for anybody. `order` shuffles the order of their registration."""
    agent = open_agent(home, SkillLoader(), (*SHOP, *WAREHOUSE))
    tools = [replace(tool, function=leaves_trace(tool.name), needs_identity=False) for tool in agent.registry.tools()]
    if order:
        random.Random(order).shuffle(tools)
    return replace(agent, registry=ToolRegistry(tools))
