"""Turns of an AgentScope agent whose model reads from a script."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
from abc import abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any, ClassVar

from agentscope import logger
from agentscope.agent import Agent
from agentscope.event import ConfirmResult, RequireUserConfirmEvent, UserConfirmResultEvent
from agentscope.message import Msg, ToolCallBlock, UserMsg
from agentscope.state import AgentState

from pytest_invariants.hosts.agentscope.model import Request, ScriptedModel, Tape
from pytest_invariants.hosts.agentscope.tools import Disarmed, sample_of
from pytest_invariants.hosts.building import begin, require
from pytest_invariants.probe.host import Facts, Host, HostError, Outcome
from pytest_invariants.probe.target import describe

Reply = Sequence[ToolCallBlock]
KEPT = ("permission_context",)
"""What a question does not take back: the agent's permission engine holds the very object."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What became of one turn: what the model was sent, what the tools answered, and the calls that wait."""

    requests: tuple[Request, ...]
    answers: str
    waiting: tuple[ToolCallBlock, ...]


class Turns(Host):
    """Builds the agent, takes the tools of its skills out, and plays turns whose traces are taken back."""

    arguments: ClassVar[Mapping[str, Mapping[str, object]]] = {}
    """Arguments for tools whose schema does not tell what they accept."""

    opened: Facts
    agent: Agent

    @abstractmethod
    def build(self, model: ScriptedModel, state: AgentState, facts: Facts) -> Agent | Awaitable[Agent]:
        """The agent under these facts, with this model in the place of its own, and on this state."""

    def tool_of(self, skill: str) -> str:
        """The tool that is called for a skill; here a skill is a tool."""
        return skill

    async def open(self, facts: Facts) -> None:
        self.opened = facts
        self.tape, self.disarmed = Tape(), Disarmed({self.tool_of(skill) for skill in self.skills} - {""})
        self._numbers = count(1)
        self._clients: list[Any] = []
        self._loud = logger.level
        logger.setLevel(logging.CRITICAL)  # the probe provokes warnings by the thousand
        await self._start(AgentState())
        await self.begun()

    async def close(self) -> None:
        self.disarmed.restore()
        try:
            await self._disconnect()
        finally:
            logger.setLevel(self._loud)

    # Levers

    async def turn(self) -> None:
        """The user says something, and the model has nothing to call."""
        await self.begun()

    async def restart(self) -> None:
        """Build the agent anew; it knows only what was stored."""
        stored = self.agent.state.model_dump_json()
        await self._disconnect()
        await self._start(AgentState.model_validate_json(stored))

    async def resume(self, fresh: bool) -> None:
        if fresh:
            await self.restart()

    # Turns

    def calling(self, tool: str, **arguments: object) -> ToolCallBlock:
        """A call of the model, with the arguments given, or with some that the tool accepts."""
        if not arguments and tool in self.arguments:
            arguments = dict(self.arguments[tool])
        elif not arguments and tool in self.disarmed.schemas:
            arguments = sample_of(self.disarmed.schemas[tool])
        return self.call_of(tool, arguments)

    def call_of(self, tool: str, arguments: Mapping[str, object], **more: Any) -> ToolCallBlock:
        number = next(self._numbers)
        return ToolCallBlock(id=f"call-{number}", name=tool, input=json.dumps(dict(arguments)), **more)

    async def asked(self, *replies: Reply) -> Turn:
        """A turn in which the model gives these replies, and which is forgotten; calls that wait are approved."""
        async with self.aside():
            turn = await self.begun(*replies)
            while turn.waiting:
                turn = await self.decided(turn.waiting)
            return turn

    async def begun(self, *replies: Reply) -> Turn:
        """A turn in which the model gives these replies; what waits for a person waits."""
        self.tape.replies[:] = [list(reply) for reply in replies]
        return await self.played(UserMsg(name="user", content="Go on."))

    async def decided(self, waiting: Sequence[ToolCallBlock], edited: ToolCallBlock | None = None) -> Turn:
        """Every call that waits is approved, as it is or changed into another."""
        calls = (call if edited is None else _changed(call, edited) for call in waiting)
        results = [ConfirmResult(confirmed=True, tool_call=call) for call in calls]
        return await self.played(UserConfirmResultEvent(reply_id=self.agent.state.reply_id, confirm_results=results))

    async def played(self, given: Msg | UserConfirmResultEvent | None) -> Turn:
        """Run the agent. Raises what the agent raises."""
        self.disarmed.begin()
        before, known = len(self.tape.requests), set(self._results())
        waiting: list[ToolCallBlock] = []
        async for event in self.agent.reply_stream(given):
            if isinstance(event, RequireUserConfirmEvent):
                waiting += event.tool_calls
        told = "\n".join(text for name, text in self._results().items() if name not in known)
        return Turn(tuple(self.tape.requests[before:]), told, tuple(waiting))

    def shown(self, turn: Turn) -> Request:
        """What the model was sent first."""
        if not turn.requests:
            raise HostError(
                "the model was not asked in a turn; let the agent built by `build` use the model it is given"
            )
        return turn.requests[0]

    async def ran(self, ask: Callable[[], Awaitable[Turn]]) -> Outcome:
        """Whether any tool began, whatever the agent says; what the agent raises is its refusal."""
        before = len(self.disarmed.began)
        try:
            text = (await ask()).answers
        except (Exception, asyncio.CancelledError) as error:
            text = describe(error)
        return Outcome(len(self.disarmed.began) > before, text)

    @asynccontextmanager
    async def aside(self) -> AsyncIterator[None]:
        """What happens to the state meanwhile is taken back."""
        before = self.agent.state.model_copy(deep=True)
        try:
            yield
        finally:
            self.take_up(before)

    def take_up(self, state: AgentState) -> None:
        """Go on from another state."""
        for name in AgentState.model_fields:
            if name not in KEPT:
                setattr(self.agent.state, name, getattr(state, name))

    async def _start(self, state: AgentState) -> None:
        built = begin(self, ScriptedModel(self.tape), state, self.opened)
        self.agent = await built if inspect.isawaitable(built) else built
        require(self, self.agent, Agent, "the `Agent`")
        if self.agent.state is not state:
            raise HostError("the agent does not use the state that it was given; pass `state=state` on in `build`")
        self._clients = [client for group in self.agent.toolkit.tool_groups for client in group.mcps]
        await self.disarmed.disarm(self.agent.toolkit)
        missing = ", ".join(f"`{name}`" for name in self.disarmed.missing())
        if missing:
            raise HostError(f"no group of the toolkit has the tool {missing}; correct `skills`")

    async def _disconnect(self) -> None:
        for client in self._clients:
            if client.is_stateful and client.is_connected:
                await client.close()

    def _results(self) -> dict[str, str]:
        """The answers to calls that stand in the thread, by the id of the call."""
        found = {}
        for message in self.agent.state.context:
            for block in message.get_content_blocks("tool_result"):
                parts = block.output if isinstance(block.output, list) else [block.output]
                found[block.id] = "\n".join(
                    part if isinstance(part, str) else getattr(part, "text", "") for part in parts
                )
        return found


def _changed(call: ToolCallBlock, edited: ToolCallBlock) -> ToolCallBlock:
    return call.model_copy(update={"name": edited.name, "input": edited.input})
