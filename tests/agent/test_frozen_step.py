"""What is advertised and what can be dispatched come from one snapshot; the next step reads the world anew."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path

import pytest

from entrypoints.agent import Agent, open_agent
from entrypoints.dispatch import dispatch
from entrypoints.messages import ToolCall
from entrypoints.model import Reply, ScriptedModel
from entrypoints.session import Session
from entrypoints.step import Step, freeze
from skills.context import ExecutionContext
from skills.loader import SkillLoader
from skills.model import Arguments, Tool
from skills.results import ToolResult, done
from tests.agent.world import RAN, TRUSTED, plain_tool

FILES = ("read_file", "list_files")


@pytest.fixture
def connected(tmp_path: Path) -> Agent:
    """An agent with a server of two tools, and a tool of its own in the course of which the server drops out."""
    agent = open_agent(tmp_path, SkillLoader(enabled=[]), tuple(plain_tool(name, "files") for name in FILES))

    def unplug(_context: ExecutionContext, _arguments: Arguments) -> ToolResult:
        agent.registry.drop_namespace("files")
        return done("unplugged")

    agent.registry.register(Tool("unplug", "", {"type": "object"}, unplug, namespace="power", writes=False))
    return agent


def a_step(agent: Agent) -> Step:
    return freeze(agent.turn(agent.history.thread("x"), TRUSTED), (), ())


def visible(step: Step) -> set[str]:
    return {schema.name for schema in step.router.visible}


def test_a_step_holds_everything_and_cannot_be_changed(connected: Agent) -> None:
    step = a_step(connected)
    assert {field.name for field in fields(Step)} == {"turn", "searches", "assembly", "asker", "servers", "router"}
    assert step.servers == ("files", "power")
    for field in fields(Step):
        with pytest.raises(FrozenInstanceError):
            setattr(step, field.name, None)


def test_a_server_that_drops_out_changes_nothing_in_the_step(connected: Agent) -> None:
    step = a_step(connected)
    dispatch(step, ToolCall("unplug"))
    assert set(FILES) <= visible(step)
    assert dispatch(step, ToolCall("read_file")).ran
    assert connected.store.rows(RAN) == ["read_file"]


def test_the_next_step_reads_the_world_anew(connected: Agent) -> None:
    dispatch(a_step(connected), ToolCall("unplug"))
    step = a_step(connected)
    assert step.servers == ("power",)
    assert not set(FILES) & visible(step)
    assert "There is no tool named 'read_file'" in dispatch(step, ToolCall("read_file")).text


def test_a_server_that_connects_waits_for_the_next_step(connected: Agent) -> None:
    step = a_step(connected)
    connected.registry.register(plain_tool("late", "mail"))
    assert "late" not in visible(step) | step.router.executable
    assert not dispatch(step, ToolCall("late")).ran
    assert "late" in visible(a_step(connected))


def test_parallel_calls_see_one_table(connected: Agent) -> None:
    step = a_step(connected)
    calls = [ToolCall("read_file"), ToolCall("unplug"), ToolCall("list_files"), ToolCall("read_file")]
    with ThreadPoolExecutor(len(calls)) as pool:
        answers = list(pool.map(dispatch, [step] * len(calls), calls))
    assert [answer.ran for answer in answers] == [True] * len(calls)


def test_the_unit_is_the_step_and_not_the_users_turn(connected: Agent) -> None:
    calls = (ToolCall("unplug"), ToolCall("read_file"))
    model = ScriptedModel(TRUSTED, [Reply("", calls), Reply("", (ToolCall("list_files"),)), Reply("done")])
    Session(connected, "x", [model]).ask("Read it.")
    tables = [{schema.name for schema in request.tools} & set(FILES) for request in model.requests]
    assert tables == [set(FILES), set(), set()]
    assert connected.store.rows(RAN) == ["read_file"]


def test_a_definition_that_changes_meanwhile_does_not_run_under_the_old_one(connected: Agent) -> None:
    step = a_step(connected)
    connected.registry.drop_namespace("files")
    connected.registry.register(replace(plain_tool("read_file", "files"), function=lambda _c, _a: done("another")))
    assert "another" not in dispatch(step, ToolCall("read_file")).text
    assert "another" in dispatch(a_step(connected), ToolCall("read_file")).text
