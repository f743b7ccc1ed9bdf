"""The part of the host that looks at the table: one frozen step at a time, and what is called and found in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from pytest_invariants import Facts, Host, Outcome

from entrypoints.agent import Agent
from entrypoints.dispatch import dispatch
from entrypoints.introspect import introspect
from entrypoints.messages import Message, ToolCall, loaded_skills
from entrypoints.ordering import OrderList
from entrypoints.prompt import system_prompt
from entrypoints.sources import REVIEWER, WORKING_MODEL, Asker, Environment, Profile
from entrypoints.step import AS_LOADED, SEARCH, Assembly, Step, freeze
from entrypoints.table import fingerprint
from entrypoints.tool_search import search_tools
from entrypoints.turn import Provider, Turn
from skills.loader import SkillLoader
from skills.model import Schema, Skill, Tool
from skills.registry import ToolRegistry
from tests.agent.traced import Mark, traced
from tests.agent.world import plain_tool, sample

MACHINE = Environment({"git status": "clean"}, has_images=True)


class TablesHost(Host):
    """The step is frozen when it begins. A model searches where its provider is known.

    `assembly` is how the session puts its tables together, `since` the message at which the run began.
    """

    assembly: Assembly = AS_LOADED
    since = 0

    opened: Facts
    agent: Agent
    loader: SkillLoader | None
    ran: list[Mark]
    known: dict[str, Tool]
    now: Turn
    frozen: Step

    def step(self) -> None:
        self.now = self._turn(WORKING_MODEL)
        self.frozen = self._freeze(self.now)

    def table(self) -> list[dict[str, object]]:
        return _schemas(self.frozen)

    def call(self, tool: str) -> Outcome:
        return self._carried_out(self.frozen, tool)

    def call_together(self, *tools: str) -> list[Outcome]:
        with ThreadPoolExecutor(len(tools)) as pool:
            return list(pool.map(self._carried_out, [self.frozen] * len(tools), tools))

    def executable(self) -> frozenset[str]:
        return self.frozen.router.executable

    def searchable(self) -> frozenset[str]:
        return self.frozen.router.searchable

    def search(self, query: str, limit: int) -> list[str]:
        hits = search_tools(self.frozen.turn, query, self.frozen.router.searchable, limit)
        return [hit.name for hit in hits]

    def search_tool(self) -> str:
        return SEARCH

    def loaded(self) -> tuple[str, ...]:
        return loaded_skills(self._messages())

    def owners(self) -> dict[str, list[str]]:
        owners: dict[str, list[str]] = {}
        for skill in self.now.skills.all():
            for tool in skill.tool_ids:
                owners.setdefault(tool, []).append(skill.name)
        return owners

    def core(self) -> list[str]:
        return [tool.name for tool in self.agent.registry.tools() if tool.namespace is None]

    def prompt(self) -> str:
        return system_prompt(self.frozen)

    def fingerprint(self) -> str:
        return fingerprint(self.frozen.router.visible)

    def remove_tool(self, tool: str) -> None:
        self.agent.registry.drop(tool)

    def add_tool(self, tool: str) -> None:
        self.agent.registry.register(self.known[tool])

    def serve(self, server: str, *tools: str) -> None:
        self.agent.connect([traced(plain_tool(name, server), self.ran, f"{server}/{name}") for name in tools])

    def arranged(self, order: Sequence[str]) -> list[str]:
        step = self._freeze(self.now, Assembly(order=OrderList(tuple(order))))
        return [schema.name for schema in step.router.visible]

    def identities(self) -> dict[str, list[str]]:
        return {REVIEWER: ["exec_command", "write_stdin", "view_image"]}

    def table_for(self, label: str | None) -> list[dict[str, object]]:
        asker = Asker(label, Profile.MANAGED, MACHINE)
        return _schemas(self._freeze(self._turn(asker), asker=asker))

    def break_sources(self) -> None:
        self.loader = BrokenLoader()
        self.agent = replace(self.agent, loader=self.loader, registry=BrokenRegistry())

    def learn(self) -> None:
        """Keep every tool as it is registered; where nobody loads skills, theirs are put in by hand, without an owner."""
        loader = self.loader if self.loader is not None else SkillLoader()
        own = [tool for skill in loader.all() for tool in skill.tools]
        by_hand = [traced(replace(tool, owner=None), self.ran) for tool in own]
        self.known = {tool.name: tool for tool in (*by_hand, *self.agent.registry.tools())}

    def _turn(self, asker: Asker) -> Turn:
        thread = self.agent.history.thread("probe")
        provider = Provider(self.opened.provider, self.opened.tags)
        if asker.reviews:
            return self.agent.review(thread, asker, provider)
        return self.agent.turn(thread, provider, self.loader if self.opened.with_loader else None)

    def _freeze(self, turn: Turn, assembly: Assembly | None = None, asker: Asker = WORKING_MODEL) -> Step:
        searches = turn.provider.id is not None
        how = self.assembly if assembly is None else assembly
        return freeze(turn, self.loaded(), self._messages(), searches, how, asker, self.since)

    def _carried_out(self, step: Step, tool: str) -> Outcome:
        """The call and its record, as a session does both; whether the tool's function began, or the session answered."""
        before = len(self.ran)
        message = dispatch(step, ToolCall(tool, self._arguments(step, tool)))
        self._record(message)
        ran = any(mark == tool or "/" in mark for mark in self.ran[before:])
        return Outcome(ran or _answered(step, message), message.text)

    def _record(self, message: Message) -> None:
        self.agent.history.append(self.now.thread, message)

    def _arguments(self, step: Step, tool: str) -> Mapping[str, object]:
        searched = next(iter(sorted(step.router.searchable)), "anything")
        own = {
            "load_skill": {"names": ["notes"]},
            "read_manual": {"name": "notes"},
            SEARCH: {"text": searched.replace("_", " ")},
        }
        group = step.turn.skills.group_of(tool)
        found = group.tool(tool) if group is not None else None
        return own.get(tool) or ({} if found is None else sample(found.parameters))

    def _messages(self) -> tuple[Message, ...]:
        return self.agent.history.messages(self.now.thread)


class BrokenRegistry(ToolRegistry):
    """Nobody may look at the registered tools."""

    def tools(self) -> tuple[Tool, ...]:
        raise AssertionError("the registered tools were walked")


class BrokenLoader(SkillLoader):
    """Nobody may look at the skills."""

    def all(self) -> tuple[Skill, ...]:
        raise AssertionError("the skills were walked")


def _schemas(step: Step) -> list[dict[str, object]]:
    shown: tuple[Schema, ...] = step.router.visible
    return [schema.to_json() for schema in shown]


def _answered(step: Step, message: Message) -> bool:
    """Whether a tool of the session gave what it is for: a skill, a manual, cards, or hits."""
    notes = step.turn.skills.find("notes")
    match message.tool:
        case "load_skill":
            return bool(message.loaded_skill)
        case "read_manual":
            return notes is not None and message.text == notes.body
        case "introspect":
            return message.text == "\n".join(map(str, introspect(step.turn)))
    return message.tool == SEARCH and any(message.text.startswith(f"{name}: ") for name in step.router.searchable)
