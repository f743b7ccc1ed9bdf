"""Calls that wait for a person: for agents whose permission rules say `ask`."""

from __future__ import annotations

from agentscope.message import ToolCallBlock
from agentscope.state import AgentState

from pytest_invariants.hosts.agentscope.host import AgentScopeHost
from pytest_invariants.probe.host import HostError, Outcome

NOTHING = "no call waits for approval"


class Approvals(AgentScopeHost):
    """The tool of every skill has to wait for approval, and may be exchanged by the person.

    Further surfaces: `approval` (a call waits and is approved), `edited` (a call waits, and is changed into this one:
    another skill's where one may wait, or else its own).
    """

    waiting: tuple[ToolCallBlock, ...] = ()
    stored: str
    """The thread in which the call waits; the agent's own thread goes on without it."""

    # Surfaces

    async def approval(self, name: str) -> Outcome:
        await self.pend(name)
        return await self.approve()

    async def edited(self, name: str) -> Outcome:
        for other in sorted(self.skills, key=lambda skill: skill == name):
            await self.pend(other)
            if self.waiting:
                break
        return await self.approve_edited(name)

    # Levers

    async def pend(self, skill: str) -> None:
        before = len(self.disarmed.began)
        async with self.aside():
            self.waiting = (await self.begun([self.calling(self.tool_of(skill))])).waiting
            self.stored = self.agent.state.model_dump_json()
        if len(self.disarmed.began) > before:
            said = f"a call of `{self.tool_of(skill)}` does not wait"
            raise HostError(f"{said}; let its permission be `ask`, or leave `Approvals` out")

    async def approve(self) -> Outcome:
        return await self._carried_out(None)

    async def approve_edited(self, skill: str) -> Outcome:
        return await self._carried_out(self.calling(self.tool_of(skill)))

    async def _carried_out(self, edited: ToolCallBlock | None) -> Outcome:
        if not self.waiting:
            return Outcome(False, NOTHING)
        async with self.aside():
            self.take_up(AgentState.model_validate_json(self.stored))
            waiting, self.waiting = self.waiting, ()
            return await self.ran(lambda: self.decided(waiting, edited))
