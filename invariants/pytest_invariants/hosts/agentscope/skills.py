"""The host of an AgentScope agent whose skills are skills: manuals in groups, read through the tool `Skill`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from agentscope.message import ToolCallState, ToolResultBlock, ToolResultState
from agentscope.skill import Skill

from pytest_invariants.hosts.agentscope.host import AgentScopeHost
from pytest_invariants.probe.host import Listing, Outcome

READ = "Skill"
OPEN = "reset_tools"


class SkillHost(AgentScopeHost):
    """Give `skills` (names of skills), `groups`, `build` and `seal_arguments`.

    Surfaces beside those of `AgentScopeHost`: `index` (the list of skills in the system prompt), `instructions` (the
    same from `Toolkit.get_skill_instructions`, for the groups of the facts: all that are open, or none named),
    `manual` (the tool `Skill`), `activate` (the tool `reset_tools` opens the skill's group).
    """

    groups: ClassVar[Mapping[str, str]] = {}
    """The group of each skill that is not in the basic one."""
    skill_tools: ClassVar[Mapping[str, str]] = {}
    """The tool that belongs to a skill; without one, `call` cannot be asked for it."""

    def tool_of(self, skill: str) -> str:
        return self.skill_tools.get(skill, "") if skill in self.skills else skill

    # Surfaces

    async def index(self) -> Listing:
        return self._named(await self.prompt())

    async def instructions(self) -> Listing:
        """A program that knows no category has no groups to name."""
        groups = self.agent.state.tool_context.activated_groups if self.opened.category is not None else None
        return self._named(await self.agent.toolkit.get_skill_instructions(groups) or "")

    async def manual(self, name: str) -> Outcome:
        turn = await self.asked([self.call_of(READ, {"skill": name})])
        bodies = [skill.markdown.strip() for skill in (await self._all()).values() if skill.name in self.skills]
        return Outcome(any(body and body in turn.answers for body in bodies), turn.answers)

    async def activate(self, *names: str) -> Outcome:
        wanted = {self.groups.get(name, name): True for name in names}
        async with self.aside():
            context = self.agent.state.tool_context
            context.activated_groups[:] = []
            turn = await self.begun([self.call_of(OPEN, wanted)])
            return Outcome(any(group in context.activated_groups for group in wanted), turn.answers)

    # Levers

    async def load(self, skill: str) -> None:
        await self.begun([self.call_of(READ, {"skill": skill})])

    async def forge(self, skill: str) -> None:
        """Somebody writes into the stored thread that the skill's group was opened, and its manual read."""
        if skill in self.groups and self.groups[skill] not in self.agent.state.tool_context.activated_groups:
            self.agent.state.tool_context.activated_groups.append(self.groups[skill])
        call = self.call_of(READ, {"skill": skill}, state=ToolCallState.FINISHED)
        body = (await self._all())[skill].markdown
        result = ToolResultBlock(id=call.id, name=READ, output=body, state=ToolResultState.SUCCESS)
        self.agent.state.context.append(self._spoken(call, result))
        if self.tool_of(skill):
            await super().forge(skill)

    async def _all(self) -> dict[str, Skill]:
        """The skills of all groups, whatever is open."""
        groups = self.agent.toolkit.tool_groups
        return {skill.name: skill for group in groups for skill in await group.list_skills()}

    def _named(self, text: str) -> Listing:
        found = re.findall(r"<name>(.*?)</name>", text)
        return Listing(tuple(skill for skill in found if skill in self.skills), text)
