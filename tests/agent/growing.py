"""The agent under the policy that its own registry does not declare: what is loaded grows within a run."""

from __future__ import annotations

from pytest_invariants import Facts

from entrypoints.growing import Grown
from entrypoints.messages import Message, Role, run_start
from tests.agent.host import ReferenceHost


class GrowingHost(ReferenceHost):
    """A session in which what is loaded only grows; the user's next turn begins with nothing loaded."""

    run = Grown()

    def open(self, facts: Facts) -> None:
        super().open(facts)
        self.turn()

    def turn(self) -> None:
        self._record(Message(Role.USER, "And now?"))
        self.run = Grown()
        self.step()

    def restart(self) -> None:
        self.run = Grown()
        super().restart()

    def step(self) -> None:
        if hasattr(self, "now"):
            self.since = run_start(self._messages())
        super().step()

    def load(self, skill: str) -> None:
        super().load(skill)
        self.run = self.run.merged([skill])

    def loaded(self) -> tuple[str, ...]:
        return self.run.names

    def _record(self, message: Message) -> None:
        super()._record(message)
        self.run = self.run.merged(message.loaded_skill)
