"""The host through which the harness runs this repository's own agent."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pytest_invariants import Facts, Host, Listing, Outcome

from entrypoints.activate import activate
from entrypoints.agent import Agent
from entrypoints.approval import approve
from entrypoints.bridge import child_facts
from entrypoints.bridge_server import bridge_call, bridge_tools, child_turn
from entrypoints.direct_call import call_tool
from entrypoints.dispatch import dispatch
from entrypoints.index import render_index
from entrypoints.introspect import introspect
from entrypoints.manual import read_manual
from entrypoints.messages import Message, ToolCall
from entrypoints.refusal import Refused
from entrypoints.rescan import rescan
from entrypoints.step import freeze
from entrypoints.table import build_table
from entrypoints.tool_search import search_tools
from entrypoints.turn import Provider, Turn
from skills.frontmatter import parse_skill
from skills.loader import SkillLoader, skills_in_force
from skills.model import Availability, Schema, Skill, Tool
from skills.residency import resident_names
from tests.agent.traced import traced_agent
from tests.agent.world import SEALED_SKILLS, TRUSTED, calling, fresh_key, loading, sample

DESK = Facts("finance", TRUSTED.id, TRUSTED.tags)


class ReferenceHost(Host):
    """Everything happens in one thread, in which every skill has been loaded and a tool of each has been called."""

    skills = ("notes", *SEALED_SKILLS)
    facts = (DESK, replace(DESK, with_loader=False), Facts())

    opened: Facts
    folder: tempfile.TemporaryDirectory[str]
    ran: list[str]
    loader: SkillLoader
    agent: Agent
    served: list[Tool]
    waiting: ToolCall
    now: Turn

    def open(self, facts: Facts) -> None:
        self.opened = facts
        self.folder = tempfile.TemporaryDirectory()
        self.ran = []
        self.restart()
        thread = self.agent.history.open_thread("probe", facts.category)
        self.agent.history.open_writing(thread, *self.skills)
        self.step()
        used = [calling(self._skill(name).tools[0].name) for name in self.skills]
        self.agent.history.append(thread, loading(*self.skills), *used)

    def close(self) -> None:
        self.folder.cleanup()

    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        return {"categories": self._skill(skill).categories, "thread_category": self.now.category}

    # Surfaces

    def index(self) -> Listing:
        text = render_index(self.now)
        return Listing(tuple(line.removeprefix("- ").partition(":")[0] for line in text.splitlines()), text)

    def introspect(self) -> Listing:
        cards = introspect(self.now)
        return Listing(tuple(card.name for card in cards), repr(cards))

    def manual(self, name: str) -> Outcome:
        text = read_manual(self.now, name)
        return Outcome(text == self._skill(name).body, text)

    def activate(self, *names: str) -> Outcome:
        loaded = activate(self.now, names)
        return Outcome(bool(loaded), "\n".join(skill.manual for skill in loaded))

    def direct_call(self, name: str) -> Outcome:
        return self.reach(self._skill(name).tools[0].name)

    def rescan(self) -> Listing:
        return self._listing(rescan(self.now, self._messages()))

    def bridge_tools(self) -> Listing:
        return self._listing(bridge_tools(self._child()))

    def bridge_call(self, name: str) -> Outcome:
        child, tool = self._child(), self._skill(name).tools[0]
        return self._ran(lambda: bridge_call(child, tool.name, sample(tool.parameters), fresh_key()).message)

    def tool_search(self) -> Listing:
        names = [tool.name for skill in self.now.skills.all() for tool in skill.tools]
        return self._listing(search_tools(self.now, " ".join(names).replace("_", " "), names, limit=1000))

    def surface_table(self) -> Listing:
        return self._listing(build_table(self.now, self._messages()))

    def frozen_step(self) -> Listing:
        return self._listing(freeze(self.now, self.skills, self._messages()).router.visible)

    def dispatch(self, name: str) -> Outcome:
        tool = self._skill(name).tools[0]
        frozen = freeze(self.now, (), self._messages())
        call = ToolCall(tool.name, sample(tool.parameters))
        return self._ran(lambda: dispatch(frozen, call).text)

    def approval(self, name: str) -> Outcome:
        self.pend(name)
        return self.approve()

    # Levers

    def pend(self, skill: str) -> None:
        tool = self._skill(skill).tools[0]
        self.waiting = ToolCall(tool.name, sample(tool.parameters))
        self.agent.history.hold(self.now.thread, self.waiting)

    def approve(self) -> Outcome:
        step = freeze(self.now, (), self._messages())
        return self._ran(lambda: approve(step, self.agent.history, self.waiting.id).text)

    def step(self) -> None:
        thread = self.agent.history.thread("probe")
        loader = self.loader if self.opened.with_loader else None
        self.now = self.agent.turn(thread, Provider(self.opened.provider, self.opened.tags), loader)

    turn = step

    def load(self, skill: str) -> None:
        activate(self.now, [skill])
        self.agent.history.append(self.now.thread, loading(skill))

    def compact(self) -> None:
        self.agent.history.compact(self.now.thread, keep=0, summary="What was said before.")

    def resume(self, fresh: bool) -> None:
        if fresh:
            self.restart()
        self.step()

    def reload(self) -> None:
        self.loader.reload()
        self.step()

    def restart(self) -> None:
        self.loader = SkillLoader()
        self.agent = traced_agent(Path(self.folder.name), self.loader, self.ran, self.opened.order)
        self.served = [tool for tool in self.agent.registry.tools() if tool.namespace == "warehouse"]
        self.step()

    def drop(self) -> None:
        self.agent.registry.drop_namespace("warehouse")
        self.step()

    def connect(self) -> None:
        self.drop()
        self.agent.registry.register(*self.served)
        self.step()

    # Facts

    def table(self) -> list[dict[str, object]]:
        return [schema.to_json() for schema in build_table(self.now, self._messages())]

    def resident(self) -> frozenset[str]:
        return resident_names(skills_in_force(self.agent.loader if self.opened.with_loader else None, None))

    def resident_skills(self) -> list[str]:
        return [skill.name for skill in self.now.skills.all() if skill.availability is Availability.RESIDENT]

    def own_tools(self, skill: str) -> list[str]:
        return [tool.name for tool in self._skill(skill).tools if tool.namespace is None]

    def parts(self, skill: str) -> list[str]:
        return [f"{skill}/SKILL.md", *(tool.name for tool in self._skill(skill).tools)]

    def reach(self, part: str) -> Outcome:
        name, slash, _ = part.partition("/")
        return self.manual(name) if slash else self._ran(lambda: self._called(part))

    def declare_resident(self, reason: str | None) -> None:
        said = [] if reason is None else [f"availability_reason: {json.dumps(reason)}"]
        header = ["---", "name: probe", "description: A probe.", "availability: resident", *said, "---"]
        parse_skill("\n".join(header).encode(), "probe/SKILL.md")

    def refusal_facts(self, skill: str) -> list[str]:
        facts = (self.opened.provider, self.opened.category, *self.opened.tags, *self._skill(skill).categories)
        return [fact for fact in facts if fact is not None]

    def spawn_child(self) -> ReferenceHost:
        child = ChildHost()
        child.opened, child.folder, child.ran, child.loader = self.opened, self.folder, self.ran, self.loader
        child.agent, child.served, child.now = self.agent, self.served, self._child()
        return child

    def _skill(self, name: str) -> Skill:
        skill = self.now.skills.find(name)
        if skill is None:
            raise KeyError(name)
        return skill

    def _messages(self) -> tuple[Message, ...]:
        return self.agent.history.messages(self.now.thread)

    def _listing(self, schemas: Sequence[Schema]) -> Listing:
        groups = (self.now.skills.group_of(schema.name) for schema in schemas)
        return Listing(tuple(dict.fromkeys(group.name for group in groups if group is not None)), repr(schemas))

    def _child(self) -> Turn:
        """The turn of a child process, from nothing but its facts; made in this process, where the seal is swapped."""
        return child_turn(self.agent, child_facts(self.now, Path(self.folder.name), self.now.provider))

    def _called(self, tool: str) -> str:
        found = next(known for known in self.agent.registry.tools() if known.name == tool)
        return call_tool(self.now, tool, sample(found.parameters), fresh_key()).result.message

    def _ran(self, call: Callable[[], str]) -> Outcome:
        """What has run has run, also where the call is refused afterwards."""
        before = len(self.ran)
        try:
            text = call()
        except Refused as refusal:
            text = str(refusal)
        return Outcome(len(self.ran) > before, text)


class ChildHost(ReferenceHost):
    """A child's view of its parent's agent, which is not the child's to close."""

    def close(self) -> None:
        return None
