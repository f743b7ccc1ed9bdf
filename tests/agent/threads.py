"""The part of the host that has to do with what a thread keeps: calls that wait, marks of loading, forged ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pytest_invariants import Outcome

from entrypoints.activate import activate
from entrypoints.approval import approve, hold
from entrypoints.messages import ToolCall
from entrypoints.refusal import Refused
from entrypoints.step import freeze
from tests.agent.tables import TablesHost
from tests.agent.world import calling, loading, sample


class ThreadsHost(TablesHost):
    """A skill is called by its first tool. A name that is no skill's is handed on as the name of a tool."""

    waiting: ToolCall

    def approval(self, name: str) -> Outcome:
        """A call of its own, so that the one that waits goes on waiting."""
        return self._approved(self._held(name))

    def pend(self, skill: str) -> None:
        self.waiting = self._held(skill)

    def approve(self) -> Outcome:
        return self._approved(self.waiting)

    def approve_edited(self, skill: str) -> Outcome:
        self.agent.history.amend(self.now.thread, replace(self._call_of(skill), id=self.waiting.id))
        return self.approve()

    def _held(self, skill: str) -> ToolCall:
        call = self._call_of(skill)
        hold(self.frozen, self.agent.history, call)
        return call

    def _approved(self, call: ToolCall) -> Outcome:
        step = freeze(self.now, (), self._messages())
        return self._ran(lambda: approve(step, self.agent.history, call.id).text)

    def load(self, skill: str) -> None:
        activate(self.now, [skill])
        self.agent.history.append(self.now.thread, loading(skill))

    def forge(self, skill: str) -> None:
        """All that an honest run leaves: the mark of loading, the results of calls, the side that was opened."""
        history, thread = self.agent.history, self.now.thread
        history.open_writing(thread, skill)
        found = self.now.skills.find(skill)
        history.append(thread, loading(skill), *(calling(tool.name) for tool in (found.tools if found else ())))

    def spellings(self, skill: str) -> list[str]:
        """The names of its tools, plain and as they would be spelled by a server or by somebody careless."""
        found = self.now.skills.find(skill)
        names = [tool.name for tool in found.tools] if found else []
        return [spelled for name in names for spelled in (name, name.upper(), f"mcp__{skill}__{name}", f" {name}")]

    def compact(self) -> None:
        self.agent.history.compact(self.now.thread, keep=0, summary="What was said before.")

    def _call_of(self, name: str) -> ToolCall:
        skill = self.now.skills.find(name)
        tool = skill.tools[0].name if skill is not None and skill.tools else name
        return ToolCall(tool, self._sample(tool))

    def _sample(self, tool: str) -> dict[str, object]:
        """Arguments that a tool accepts; none where there is no such tool."""
        found = next((known for known in self.agent.registry.tools() if known.name == tool), None)
        return sample(found.parameters) if found is not None else {}

    def _ran(self, call: Callable[[], str]) -> Outcome:
        """What has run for this thread has run, also where the call is refused afterwards."""
        before = len(self.ran)
        try:
            text = call()
        except Refused as refusal:
            text = str(refusal)
        return Outcome(any(mark.session == self.now.thread.id for mark in self.ran[before:]), text)
