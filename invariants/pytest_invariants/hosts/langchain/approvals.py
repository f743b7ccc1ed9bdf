"""Calls that wait for a person: for agents with `HumanInTheLoopMiddleware`."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_invariants.hosts.langchain.host import LangChainHost
from pytest_invariants.hosts.langchain.turns import Turn
from pytest_invariants.probe.host import HostError, Outcome

NOTHING = "no call waits for approval"


class Approvals(LangChainHost):
    """The tool of every skill has to wait for approval (`interrupt_on`), and may be exchanged by the person.

    Further surfaces: `approval` (a call waits and is approved), `edited` (a call waits, and is changed into this one:
    another skill's where one may wait, or else its own).
    """

    waiting: Turn

    # Surfaces

    def approval(self, name: str) -> Outcome:
        self.pend(name)
        return self.approve()

    def edited(self, name: str) -> Outcome:
        for other in sorted(self.skills, key=lambda skill: skill == name):
            self.pend(other)
            if self.waiting.waiting:
                break
        return self.approve_edited(name)

    # Levers

    def pend(self, skill: str) -> None:
        before = len(self.disarmed.began)
        self.waiting = self.begun([self.calling(self.tool_of(skill))])
        if len(self.disarmed.began) > before:
            said = f"a call of `{self.tool_of(skill)}` does not wait"
            raise HostError(f"{said}; name it in `interrupt_on`, or leave `Approvals` out")

    def approve(self) -> Outcome:
        return self._carried_out({"type": "approve"})

    def approve_edited(self, skill: str) -> Outcome:
        call = self.calling(self.tool_of(skill))
        return self._carried_out({"type": "edit", "edited_action": {"name": call["name"], "args": call["args"]}})

    def _carried_out(self, decision: Mapping[str, object]) -> Outcome:
        waiting = self.waiting
        return self.ran(lambda: self.decided(waiting, decision)) if waiting.waiting else Outcome(False, NOTHING)
