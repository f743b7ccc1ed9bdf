"""The part of the host that calls tools: the agent as it stands, with its contract, and what lies behind it watched."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pytest_invariants import Answer, Effect, Host

from entrypoints.agent import Agent, open_agent
from entrypoints.core_tools import OF_THE_SESSION
from entrypoints.dispatch import dispatch
from entrypoints.messages import ToolCall
from entrypoints.step import Step, freeze
from skills.context import NOBODY, Identity
from skills.loader import SkillLoader
from skills.model import Tool, Writing
from skills.registry import ToolRegistry
from tests.agent.downstream import Downstream, WatchfulGuard
from tests.agent.world import ALL_WRITING, SHOP, TRUSTED, WAREHOUSE, sample

USERS = ("ann", "bob")
NUMBER = "A-100234"
VERBS = WAREHOUSE[:: len(WAREHOUSE) // 4]
"""Of the warehouse's tools one for each verb: the others differ in nothing but the thing."""


class Desk:
    """One session of an agent whose tools keep their contract. The home outlives it: a new desk is a restart."""

    def __init__(self, home: Path, downstream: Downstream) -> None:
        agent = open_agent(home, SkillLoader(), (*SHOP, *VERBS))
        tools = [downstream.before(tool) for tool in agent.registry.tools() if tool.name not in OF_THE_SESSION]
        store = replace(agent.store, durable=False)
        guard = WatchfulGuard(downstream)
        self.agent: Agent = replace(agent, registry=ToolRegistry(tools), store=store, guard=guard)

    def tool(self, name: str) -> Tool:
        return next(tool for tool in self.agent.registry.tools() if tool.name == name)

    def furnish(self) -> None:
        """Rows of two users, so that a read of the wrong ones is seen."""
        for user in USERS:
            self.agent.store.add("profiles", {"user": user, "name": user})
            self.agent.store.add("orders", {"user": user, "number": NUMBER})


class CallsHost(Host):
    """Its agent is another one than that of the surfaces, whose tools do nothing but leave their names."""

    folder: tempfile.TemporaryDirectory[str]
    downstream: Downstream
    desk: Desk
    session: int
    user: str | None

    def furnish(self) -> None:
        """Make everything ready; nothing is opened before a call is made."""
        self.downstream = Downstream()
        self.session = 0
        self.user = USERS[0]

    def tools(self) -> list[dict[str, object]]:
        step = self._frozen()
        groups = step.turn.skills.groups
        found = {tool.name: tool for group in groups for tool in group.tools}
        return [tool.schema().to_json() for name, tool in found.items() if name in step.router.executable]

    def invoke(self, tool: str, arguments: Mapping[str, object], key: str | None) -> Answer:
        message = dispatch(self._frozen(), ToolCall(tool, arguments, key or ""))
        if not message.ran:
            return Answer(False, message.text, "REFUSED")
        row = json.loads(message.text)
        return Answer(row["success"], row["message"], row["code"])

    def effects(self) -> list[Effect]:
        return self.downstream.effects

    def sample(self, tool: str) -> dict[str, object]:
        return sample(self._opened().tool(tool).parameters)

    def writers(self) -> list[str]:
        return [tool.name for tool in self._opened().agent.registry.tools() if tool.writes]

    def open_from_start(self) -> list[str]:
        groups = self._frozen().turn.skills.groups
        return [tool.name for group in groups if group.writing is Writing.OPEN for tool in group.tools if tool.writes]

    def begin(self) -> None:
        self.session += 1

    def open_writing(self, tool: str) -> None:
        group = self._frozen().turn.skills.group_of(tool)
        history = self._opened().agent.history
        history.open_writing(history.thread(self._thread), *([] if group is None else [group.name]))

    def sign_in(self, user: str | None) -> None:
        self.user = user

    def fail(self, tool: str, error: Exception) -> None:
        self.downstream.errors[tool] = error

    def hang(self, tool: str) -> None:
        self.downstream.hanging.add(tool)

    def release(self) -> None:
        self.downstream.release()

    def leave(self) -> None:
        """The desk is not there any more; what it kept is."""
        self.__dict__.pop("desk", None)

    @property
    def _thread(self) -> str:
        return f"calls-{self.session}"

    def _opened(self) -> Desk:
        if "desk" not in self.__dict__:
            home = Path(self.folder.name, "calls")
            begins = not home.exists()
            self.desk = Desk(home, self.downstream)
            if begins:
                self.desk.furnish()
                history = self.desk.agent.history
                history.open_writing(history.open_thread(self._thread, "finance"), *ALL_WRITING)
        return self.desk

    def _frozen(self) -> Step:
        agent = self._opened().agent
        who = NOBODY if self.user is None else Identity(self.user)
        return freeze(agent.turn(agent.history.thread(self._thread), TRUSTED, identity=who), (), ())
