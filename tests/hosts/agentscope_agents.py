"""Agents of AgentScope: gates at the permission of a tool, at its group, and at the client of an MCP server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from agentscope.agent import Agent
from agentscope.mcp import MCPClient, StdioMCPConfig
from agentscope.middleware import MiddlewareBase
from agentscope.permission import PermissionBehavior, PermissionDecision
from agentscope.skill import LocalSkillLoader
from agentscope.state import AgentState
from agentscope.tool import FunctionTool, ToolBase, ToolGroup, Toolkit
from mcp import Client
from mcp.server import MCPServer
from pytest_invariants import Facts
from pytest_invariants.hosts.agentscope import AgentScopeHost, Approvals, ScriptedModel, SkillHost
from pytest_invariants.registry.model import Manner, VerdictKind

from tests.probe.samples import seal

OPEN_TO = {"refund": "staff", "export": "boss"}
SEAL = seal("tests.hosts.agentscope_agents:may_use", VerdictKind.ALLOWED, ("tool",), ("role",))
CALLS = {"call": Manner.NAMED, "approval": Manner.NAMED, "edited": Manner.NAMED, "stored_call": Manner.NAMED}

GROUP_SEAL = seal("tests.hosts.agentscope_agents:may_open", VerdictKind.ALLOWED, ("group",), ("scene",))
GROUP_SURFACES = {
    "table": Manner.BROWSE,
    "schemas": Manner.BROWSE,
    "index": Manner.BROWSE,
    "instructions": Manner.BROWSE,
    "manual": Manner.NAMED,
    "call": Manner.NAMED,
    "stored_call": Manner.NAMED,
    "activate": Manner.NAMED,
    "toolkit_tool": Manner.NAMED,
    "available_tool": Manner.NAMED,
}
MCP_SURFACES = {
    "client_tools": Manner.BROWSE,
    "table": Manner.BROWSE,
    "call": Manner.NAMED,
    "client_tool": Manner.NAMED,
}
ALLOW = PermissionDecision(behavior=PermissionBehavior.ALLOW, message="it is open")
ASK = PermissionDecision(behavior=PermissionBehavior.ASK, message="a person decides")
DENY = PermissionDecision(behavior=PermissionBehavior.DENY, message="it is closed to you")


def may_use(tool: str, role: str | None) -> bool:
    return OPEN_TO.get(tool) in (role, None)


def refund(order: str, cents: int) -> str:
    """Pay the price of an order back."""
    raise AssertionError("the probe never lets a tool do its work")


def export(columns: list[str]) -> str:
    """Write columns of the customers' table into a file."""
    raise AssertionError("the probe never lets a tool do its work")


# Permissions


class AskingTool(FunctionTool):
    """Its permission is what the seal says; what is open waits for a person."""

    role: str | None = None

    async def check_permissions(self, *_: Any, **__: Any) -> PermissionDecision:
        return ASK if may_use(self.name, self.role) else DENY


class AskingMiddleware(MiddlewareBase):
    """Asks before every call, those that a person has approved included."""

    def __init__(self, role: str | None) -> None:
        self.role = role

    async def on_check_permission(self, agent: Agent, input_kwargs: Any, next_handler: Any) -> PermissionDecision:
        allowed = may_use(input_kwargs["tool_call"].name, self.role)
        return await next_handler(**input_kwargs) if allowed else DENY


class AskingToolHost(Approvals):
    """The gate is the tool's own permission."""

    skills = ("refund", "export")
    facts = (Facts(category="staff"), Facts())

    def build(self, model: ScriptedModel, state: AgentState, facts: Facts) -> Agent:
        tools: list[ToolBase] = [AskingTool(refund), AskingTool(export)]
        for tool in tools:
            tool.role = facts.category  # type: ignore[attr-defined]
        return Agent("clerk", "You are a clerk.", model, Toolkit(tools=tools), state=state)

    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        return {"tool": skill, "role": self.opened.category}


class AskingMiddlewareHost(AskingToolHost):
    """The gate is a middleware, and the tools' own permission only says that a person decides."""

    def build(self, model: ScriptedModel, state: AgentState, facts: Facts) -> Agent:
        tools = [FunctionTool(refund, permission=ASK), FunctionTool(export, permission=ASK)]
        gate = AskingMiddleware(facts.category)
        return Agent("clerk", "You are a clerk.", model, Toolkit(tools=tools), middlewares=[gate], state=state)


# Groups

SKILLS = {"billing": "money", "hiring": "people"}
FOLDER = Path(__file__).parent / "skills"
SCENES = {"money": "desk", "people": "board"}


def may_open(group: str, scene: str | None) -> bool:
    return SCENES.get(group) == scene


def send_bill(cents: int) -> str:
    """Send a bill."""
    raise AssertionError("the probe never lets a tool do its work")


def send_offer(name: str) -> str:
    """Send an offer of work."""
    raise AssertionError("the probe never lets a tool do its work")


class OpenGroups(MiddlewareBase):
    """At the beginning of each reply the groups are open that the seal opens; the model opens no other."""

    def __init__(self, scene: str | None, *, asks_the_model_too: bool = True) -> None:
        self.scene, self.asks_the_model_too = scene, asks_the_model_too

    async def on_reply(self, agent: Agent, input_kwargs: Any, next_handler: Any) -> AsyncIterator[Any]:  # type: ignore[override]
        groups = agent.state.tool_context.activated_groups
        groups.clear()  # first of all: where the seal breaks, nothing is open
        groups.extend(group for group in SKILLS.values() if may_open(group, self.scene))
        async for event in next_handler(**input_kwargs):
            yield event

    async def on_check_permission(self, agent: Agent, input_kwargs: Any, next_handler: Any) -> PermissionDecision:
        wanted = input_kwargs["tool_input"] if input_kwargs["tool_call"].name == "reset_tools" else {}
        closed = [group for group, on in wanted.items() if on and not may_open(group, self.scene)]
        return DENY if closed and self.asks_the_model_too else await next_handler(**input_kwargs)


class GroupHost(SkillHost):
    """Each skill, with its tool, is a group of its own."""

    skills = tuple(SKILLS)
    groups = SKILLS
    skill_tools = {"billing": "send_bill", "hiring": "send_offer"}  # noqa: RUF012
    facts = (Facts(category="desk"),)
    asks_the_model_too = True

    def build(self, model: ScriptedModel, state: AgentState, facts: Facts) -> Agent:
        tools = {"billing": send_bill, "hiring": send_offer}
        groups = [
            ToolGroup(
                group,
                f"All about {skill}.",
                tools=[FunctionTool(tools[skill], permission=ALLOW)],
                skills_or_loaders=[LocalSkillLoader(directory=str(FOLDER / skill))],
            )
            for skill, group in SKILLS.items()
        ]
        opener = OpenGroups(facts.category, asks_the_model_too=self.asks_the_model_too)
        return Agent("clerk", "You are a clerk.", model, Toolkit(tool_groups=groups), middlewares=[opener], state=state)

    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        return {"group": SKILLS[skill], "scene": self.opened.category}


class OpenedByTheModelHost(GroupHost):
    asks_the_model_too = False


class AllSkillsHost(GroupHost):
    """All skills in one folder, in the order in which it is listed."""

    skills = ("billing", "filing", "hiring")
    groups = {}  # noqa: RUF012
    skill_tools = {}  # noqa: RUF012

    def build(self, model: ScriptedModel, state: AgentState, facts: Facts) -> Agent:
        loader = LocalSkillLoader(directory=str(FOLDER), scan_subdir=True)
        return Agent("clerk", "You are a clerk.", model, Toolkit(skills_or_loaders=[loader]), state=state)


class SortedLoader(LocalSkillLoader):
    async def list_skills(self) -> list[Any]:
        return sorted(await super().list_skills(), key=lambda skill: skill.name)


class SortedSkillsHost(AllSkillsHost):
    def build(self, model: ScriptedModel, state: AgentState, facts: Facts) -> Agent:
        loader = SortedLoader(directory=str(FOLDER), scan_subdir=True)
        return Agent("clerk", "You are a clerk.", model, Toolkit(skills_or_loaders=[loader]), state=state)


# MCP servers


def server() -> MCPServer:
    made = MCPServer("shop")
    made.add_tool(refund, annotations={"readOnlyHint": True})
    made.add_tool(export, annotations={"readOnlyHint": True})
    return made


class NearbyClient(MCPClient):
    """A client of a server in this very process."""

    def _create_sdk_client(self) -> Client:
        return Client(server())


class FilteringClient(NearbyClient):
    """Finds no tool that it does not list."""

    async def get_tool(self, name: str) -> Any:
        if name in (self.disable_tools or []):
            raise ValueError(f"{name} is disabled")
        return await super().get_tool(name)


class ClientHost(AgentScopeHost):
    """What the client may not hand out is an argument of the launch."""

    skills = ("mcp__shop__refund", "mcp__shop__export")
    facts = (Facts(category="staff"),)
    client: type[MCPClient] = NearbyClient
    turn = None  # type: ignore[assignment]

    async def build(self, model: ScriptedModel, state: AgentState, facts: Facts) -> Agent:  # type: ignore[override]
        closed = [tool for tool in OPEN_TO if not may_use(tool, facts.category)]
        there = StdioMCPConfig(command="in this process")
        client = self.client(name="shop", is_stateful=True, mcp_config=there, disable_tools=closed)
        await client.connect()
        return Agent("clerk", "You are a clerk.", model, Toolkit(mcps=[client]), state=state)

    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        return {"tool": skill.removeprefix("mcp__shop__"), "role": self.opened.category}


class FilteringClientHost(ClientHost):
    client = FilteringClient
