"""A reviewer's tools come from sources of its own, chosen by who asks. Other sources are never walked."""

from __future__ import annotations

from pathlib import Path

import pytest

from entrypoints.agent import Agent
from entrypoints.dispatch import dispatch
from entrypoints.history import History
from entrypoints.messages import ToolCall
from entrypoints.model import Reply, ScriptedModel
from entrypoints.session import Session
from entrypoints.sources import Asker, Environment, Profile, review_tools
from entrypoints.step import freeze
from skills.loader import SkillLoader
from skills.model import Skill, Tool
from skills.registry import ToolRegistry
from skills.store import Store
from tests.agent.world import TRUSTED

MACHINE = Environment({"git status": "clean"}, has_images=True)


class Untouchable(ToolRegistry):
    def tools(self) -> tuple[Tool, ...]:
        raise AssertionError("the registered tools were walked")


class UntouchableLoader(SkillLoader):
    def all(self) -> tuple[Skill, ...]:
        raise AssertionError("the skills were walked")


@pytest.fixture
def untouchable(tmp_path: Path) -> Agent:
    """An agent that fails as soon as anybody looks at its skills or its registered tools."""
    history, store = History(tmp_path / "threads.db"), Store(tmp_path / "effects.db")
    return Agent(history, store, UntouchableLoader(), registry=Untouchable())


def tools_of(asker: Asker) -> list[str]:
    return [tool.name for tool in review_tools(asker)]


def test_a_managed_reviewer_with_an_environment_gets_at_most_three_tools() -> None:
    assert tools_of(Asker("guardian", Profile.MANAGED, MACHINE)) == ["exec_command", "write_stdin", "view_image"]
    assert tools_of(Asker("guardian", Profile.MANAGED, Environment())) == ["exec_command", "write_stdin"]


@pytest.mark.parametrize("profile", [Profile.OPEN, None])
def test_with_any_other_profile_it_gets_none(profile: Profile | None) -> None:
    assert tools_of(Asker("guardian", profile, MACHINE)) == []


def test_without_an_environment_it_gets_none() -> None:
    assert tools_of(Asker("guardian", Profile.MANAGED, None)) == []


@pytest.mark.parametrize("label", ["Guardian", "guardian ", "guardian-2", "GUARDIAN", "", None])
def test_the_label_is_exact(label: str | None) -> None:
    asker = Asker(label, Profile.MANAGED, MACHINE)
    assert not asker.reviews
    assert tools_of(asker) == []


def test_other_sources_are_never_walked(untouchable: Agent) -> None:
    asker = Asker("guardian", Profile.MANAGED, MACHINE)
    model = ScriptedModel(TRUSTED, [Reply("", (ToolCall("exec_command", {"command": "git status"}),)), Reply("fine")])
    assert Session(untouchable, "x", [model], asker=asker).ask("May it be merged?") == "fine"
    assert [schema.name for schema in model.requests[0].tools] == ["exec_command", "view_image", "write_stdin"]
    assert model.requests[0].system == ""
    assert '"message": "clean"' in model.requests[1].messages[-1].text


def test_the_working_model_does_walk_them(untouchable: Agent) -> None:
    with pytest.raises(AssertionError, match="were walked"):
        Session(untouchable, "x", [ScriptedModel(TRUSTED, [])]).ask("Hello.")


@pytest.mark.parametrize("tool", ["ledger_balance", "note_add", "load_skill", "tool_search", "exec_command"])
def test_nothing_else_runs_for_a_reviewer_without_tools(agent: Agent, tool: str) -> None:
    turn = agent.review(agent.history.open_thread("x", "finance"), Asker("guardian", Profile.OPEN, MACHINE), TRUSTED)
    step = freeze(turn, ("ledger",), (), searches=True)
    assert step.router.visible == ()
    assert step.router.executable == frozenset()
    assert not dispatch(step, ToolCall(tool, {"names": ["ledger"], "text": "balance"})).ran
