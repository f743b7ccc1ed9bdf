from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from entrypoints.agent import Agent, open_agent
from entrypoints.turn import Provider, Turn
from skills.loader import SkillLoader
from tests.agent.world import ALL_WRITING, SHOP, TRUSTED, WAREHOUSE


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    """The whole agent with all skills of the repository, its servers without their processes."""
    return open_agent(tmp_path, SkillLoader(), (*SHOP, *WAREHOUSE))


@pytest.fixture
def turn_of(agent: Agent) -> Callable[..., Turn]:
    """A turn of a thread of this category, all writing sides open, by default with a provider that may serve it."""

    def make(category: str | None = None, provider: Provider = TRUSTED) -> Turn:
        thread = agent.history.open_writing(agent.history.open_thread("thread", category), *ALL_WRITING)
        return agent.turn(thread, provider)

    return make
