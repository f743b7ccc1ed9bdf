"""A host for one's own agent is short. This one runs the agent of this repository: two lists, two orders, a lever."""

from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_invariants import Facts, Host, Outcome

from entrypoints import activate, index, introspect, manual
from entrypoints.agent import open_agent
from entrypoints.turn import Provider
from skills.loader import SkillLoader


class ShortHost(Host):
    skills = ("ledger", "payroll", "notes")
    facts = (Facts("finance", "trusted", ("finance", "hr")), Facts("hr", "trusted", ("finance", "hr")))

    def open(self, facts: Facts) -> None:
        self.provider, self.home = Provider(facts.provider, facts.tags), TemporaryDirectory()
        self.agent = open_agent(Path(self.home.name), SkillLoader(enabled=self.skills))
        self.thread = self.agent.history.open_thread("a thread", facts.category)
        self.step()

    def close(self) -> None:
        self.home.cleanup()

    def seal_arguments(self, skill: str) -> dict[str, object]:
        return {"categories": self.now.skills.skills[skill].categories, "thread_category": self.now.category}

    def index(self) -> list[str]:
        return [line.removeprefix("- ").partition(":")[0] for line in index.render_index(self.now).splitlines()]

    def introspect(self) -> list[str]:
        return [card.name for card in introspect.introspect(self.now)]

    def manual(self, name: str) -> Outcome:
        return Outcome(bool(manual.read_manual(self.now, name)))

    def activate(self, *names: str) -> Outcome:
        return Outcome(bool(activate.activate(self.now, names)))

    def step(self) -> None:
        self.now = self.agent.turn(self.thread, self.provider)
