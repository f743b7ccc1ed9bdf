"""Agents of LangChain: one that only filters the list of tools, and one that asks wherever a tool is named."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, HumanInTheLoopMiddleware, ModelRequest
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, tool
from langgraph.prebuilt.tool_node import ToolCallRequest
from pytest_invariants import Facts
from pytest_invariants.hosts.langchain import Approvals, LangChainHost
from pytest_invariants.registry.model import Manner, VerdictKind

from tests.probe.samples import seal

OPEN_TO = {"refund": "staff", "export": "boss"}
SEAL = seal("tests.hosts.langchain_agents:may_use", VerdictKind.ALLOWED, ("tool",), ("role",))
SURFACES = {
    "table": Manner.BROWSE,
    "call": Manner.NAMED,
    "stored_call": Manner.NAMED,
    "misspelt": Manner.BROWSE,
    "async_table": Manner.BROWSE,
    "async_call": Manner.NAMED,
    "async_stored_call": Manner.NAMED,
}
REALLY: list[str] = []
"""The tools that have really run; the probe must not let that happen."""


def may_use(tool: str, role: str | None) -> bool:
    return OPEN_TO.get(tool) in (role, None)


@tool
def refund(order: str, cents: int) -> str:
    """Pay the price of an order back."""
    REALLY.append("refund")
    return f"{cents} cents for {order}"


class Export(BaseTool):
    """A tool that is a class of its own, with an asynchronous half."""

    name: str = "export"
    description: str = "Write columns of the customers' table into a file."

    def _run(self, columns: list[str]) -> str:
        REALLY.append("export")
        return ",".join(columns)

    async def _arun(self, columns: list[str]) -> str:
        return self._run(columns)


export = Export()


class Listing(AgentMiddleware):
    """Filters what the model is sent, as the documentation shows it, and nothing else."""

    def __init__(self, role: str | None) -> None:
        super().__init__()
        self.role = role

    def narrowed(self, request: ModelRequest) -> ModelRequest:
        return request.override(tools=[each for each in request.tools if may_use(each.name, self.role)])

    def wrap_model_call(self, request: ModelRequest, handler: Callable[[ModelRequest], Any]) -> Any:
        return handler(self.narrowed(request))

    async def awrap_model_call(self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[Any]]) -> Any:
        return await handler(self.narrowed(request))


class Sealed(Listing):
    """Asks also when a call is carried out, and answers unknown names itself."""

    def refusal(self, request: ToolCallRequest) -> ToolMessage | None:
        name = request.tool_call["name"]
        if request.tool is not None and may_use(name, self.role):
            return None
        if request.tool is not None:
            text = f"{name} is not open to {self.role}; it takes {OPEN_TO[name]}"
        else:
            text = f"there is no {name}; there are: {', '.join(each for each in OPEN_TO if may_use(each, self.role))}"
        return ToolMessage(text, tool_call_id=request.tool_call["id"], name=name, status="error")

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        return self.refusal(request) or handler(request)

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        return self.refusal(request) or await handler(request)


class ForgottenTwin(Sealed):
    """The asynchronous half was written by hand, and does not ask."""

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        return await handler(request)


class Remembering(Sealed):
    """Keeps the first answer about each tool."""

    def __init__(self, role: str | None) -> None:
        super().__init__(role)
        self.refusals: dict[str, ToolMessage | None] = {}

    def refusal(self, request: ToolCallRequest) -> ToolMessage | None:
        name = request.tool_call["name"]
        if name not in self.refusals:
            self.refusals[name] = super().refusal(request)
        return self.refusals[name]


class SealedHost(LangChainHost):
    """All asking is done by one middleware; its class is what the other hosts exchange."""

    skills = ("refund", "export")
    facts = (Facts(category="staff"), Facts())
    gate: type[Listing] = Sealed

    def build(self, model: BaseChatModel, facts: Facts) -> Any:
        return create_agent(model, tools=[refund, export], middleware=[self.gate(facts.category)])

    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        return {"tool": skill, "role": self.opened.category}

    def refusal_facts(self, skill: str) -> list[str]:
        return [skill, OPEN_TO[skill]]


class ListingHost(SealedHost):
    gate = Listing


class ForgottenTwinHost(SealedHost):
    gate = ForgottenTwin


class RememberingHost(SealedHost):
    gate = Remembering


class SealedApprovals(Approvals, SealedHost):
    """Both tools wait for a person. What asks the seal stands last, next to the tools."""

    def build(self, model: BaseChatModel, facts: Facts) -> Any:
        waits = HumanInTheLoopMiddleware(interrupt_on={"refund": True, "export": True})
        return create_agent(model, tools=[refund, export], middleware=[waits, self.gate(facts.category)])


class ListingApprovals(SealedApprovals):
    gate = Listing


class EarlyApprovals(SealedApprovals):
    """What asks the seal stands first, and hears of the call that the model made, not of what a person made of it."""

    def build(self, model: BaseChatModel, facts: Facts) -> Any:
        waits = HumanInTheLoopMiddleware(interrupt_on={"refund": True, "export": True})
        return create_agent(model, tools=[refund, export], middleware=[self.gate(facts.category), waits])
