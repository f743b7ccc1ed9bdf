"""The host for AgentScope: permissions, groups, skills, and clients of MCP servers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from agentscope.agent import Agent
from agentscope.state import AgentState
from agentscope.tool import FunctionTool, ToolBase, Toolkit
from pytest_invariants import Facts
from pytest_invariants.hosts.agentscope import AgentScopeHost, ScriptedModel
from pytest_invariants.probe.host import HostError
from pytest_invariants.verdict import Reason, Verdict

from tests.hosts.agentscope_agents import (
    ALLOW,
    CALLS,
    GROUP_SEAL,
    GROUP_SURFACES,
    MCP_SURFACES,
    SEAL,
    AskingMiddlewareHost,
    FilteringClientHost,
    GroupHost,
    OpenedByTheModelHost,
    SortedSkillsHost,
    refund,
)
from tests.hosts.probing import found, said

AGENTS_OWN = {name: GROUP_SURFACES[name] for name in ("index", "call", "activate")}


@pytest.mark.parametrize("surface", CALLS)
def test_a_middleware_that_asks_before_every_call_holds(surface: str) -> None:
    finding = found("seal-decides", AskingMiddlewareHost, SEAL, CALLS, surface)
    assert finding.verdict is Verdict.HELD, said(finding)


@pytest.mark.parametrize("surface", [name for name in GROUP_SURFACES if name != "toolkit_tool"])
def test_groups_that_are_opened_anew_for_each_reply_hold(surface: str) -> None:
    finding = found("seal-decides", GroupHost, GROUP_SEAL, GROUP_SURFACES, surface, table="per-turn")
    assert finding.verdict is Verdict.HELD, said(finding)


@pytest.mark.parametrize("surface", MCP_SURFACES)
def test_a_client_that_finds_what_it_lists_holds(surface: str) -> None:
    finding = found("seal-decides", FilteringClientHost, SEAL, MCP_SURFACES, surface, table="per-turn")
    assert finding.verdict is Verdict.HELD, said(finding)


def test_every_lever_leaves_the_groups_closed() -> None:
    finding = found("surfaces-agree", GroupHost, GROUP_SEAL, AGENTS_OWN, table="per-turn")
    assert finding.verdict is Verdict.HELD, said(finding)


def test_what_waits_does_not_stop_the_thread() -> None:
    finding = found("surfaces-agree", AskingMiddlewareHost, SEAL, {name: CALLS[name] for name in ("call", "edited")})
    assert finding.verdict is Verdict.HELD, said(finding)


def test_a_forged_record_opens_no_group() -> None:
    finding = found("history-forged", GroupHost, GROUP_SEAL, AGENTS_OWN, "call", table="per-turn")
    assert finding.verdict is Verdict.HELD, said(finding)


def test_a_group_that_the_model_opens_by_itself_leaks() -> None:
    finding = found("seal-decides", OpenedByTheModelHost, GROUP_SEAL, AGENTS_OWN, "activate", table="per-turn")
    assert finding.reason is Reason.LEAKED


def within(host: AgentScopeHost, story: Callable[[Any], Awaitable[None]]) -> None:
    """Open, tell the story, and close, on one event loop."""

    async def told() -> None:
        await host.open(host.facts[0])
        try:
            await story(host)
        finally:
            await host.close()

    asyncio.run(told())


def test_a_question_leaves_no_trace_in_the_thread() -> None:
    async def story(host: GroupHost) -> None:
        before = host.agent.state.model_dump_json()
        assert (await host.manual("billing")).ran
        assert (await host.activate("billing")).ran
        assert host.agent.state.model_dump_json() == before
        await host.load("billing")
        assert host.agent.state.model_dump_json() != before

    within(GroupHost(), story)


def test_what_was_stored_is_all_that_is_left_after_a_restart() -> None:
    async def story(host: GroupHost) -> None:
        await host.load("billing")
        before, agent = host.agent.state.context, host.agent
        await host.resume(True)
        assert host.agent is not agent
        assert [message.id for message in host.agent.state.context] == [message.id for message in before]
        assert (await host.index()).names == ("billing",)
        await host.compact()
        assert len(host.agent.state.context) == 1

    within(GroupHost(), story)


def test_a_tool_gets_its_function_back() -> None:
    tool = FunctionTool(refund, permission=ALLOW)

    class Kept(AgentScopeHost):
        skills = ("refund",)
        arguments = {"refund": {"order": "7", "cents": 3}}  # noqa: RUF012

        def build(self, model: ScriptedModel, state: AgentState, facts: Facts) -> Agent:
            return Agent("clerk", "You are a clerk.", model, Toolkit(tools=[tool]), state=state)

    async def story(host: AgentScopeHost) -> None:
        assert (await host.surface_call("refund")).ran
        assert host.calling("refund").input == '{"order": "7", "cents": 3}'
        assert await host.prompt() == "You are a clerk."

    within(Kept(), story)
    assert "call" not in vars(tool)


class Elsewhere(AgentScopeHost):
    """Its toolkit and its state are what the tests make of them."""

    skills = ("refund",)
    toolkit = Toolkit(tools=[FunctionTool(refund)])

    def build(self, model: ScriptedModel, state: AgentState, facts: Facts) -> Agent:
        return Agent("clerk", "You are a clerk.", model, self.toolkit, state=state)


class NoTool(Elsewhere):
    skills = ("refnd",)


class OwnState(Elsewhere):
    def build(self, model: ScriptedModel, state: AgentState, facts: Facts) -> Agent:
        return Agent("clerk", "You are a clerk.", model, self.toolkit)


class Direct(FunctionTool):
    async def __call__(self, **_: Any) -> Any:
        raise AssertionError


class OverridesCall(Elsewhere):
    toolkit = Toolkit(tools=[Direct(refund)])


@pytest.mark.parametrize(
    ("host", "message"),
    [
        (NoTool, "has the tool `refnd`; correct `skills`"),
        (OwnState, "does not use the state that it was given"),
        (OverridesCall, "`refund` overrides `__call__`"),
    ],
)
def test_a_host_that_is_wrong_hears_what_to_do(host: type[Elsewhere], message: str) -> None:
    async def story(_: object) -> None:
        raise AssertionError("it has opened")

    with pytest.raises(HostError, match=message):
        within(host(), story)


def test_an_agent_that_tries_a_call_for_ever_is_stopped() -> None:
    class Interrupted(BaseException):
        """What no handler of errors takes for one, as when the seal never answers."""

    class Never(FunctionTool):
        async def check_permissions(self, *_: Any, **__: Any) -> Any:
            raise Interrupted

    class NeverHost(Elsewhere):
        toolkit = Toolkit(tools=[Never(refund)])

    async def story(host: AgentScopeHost) -> None:
        outcome = await host.surface_call("refund")
        assert not outcome.ran
        assert "ExceptionGroup" in outcome.text

    within(NeverHost(), story)


def test_the_tools_of_a_server_are_watched_in_whatever_hands_they_come() -> None:
    async def story(host: FilteringClientHost) -> None:
        assert (await host.client_tools()).names == ("mcp__shop__refund",)
        tool = await host.agent.toolkit.tool_groups[0].mcps[0].get_tool("refund")
        assert isinstance(tool, ToolBase)
        await tool(order="7", cents=3)
        assert host.disarmed.began == ["mcp__shop__refund"]
        assert not (await host.client_tool("no_such_tool")).ran

    within(FilteringClientHost(), story)


def test_skills_are_named_in_the_order_of_the_list() -> None:
    async def story(host: SortedSkillsHost) -> None:
        assert (await host.index()).names == host.skills

    within(SortedSkillsHost(), story)
