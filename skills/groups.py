"""Which skill a tool belongs to. The seal is asked about that skill, so a whole catalogue closes and opens at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from skills.model import Skill, Tool, Writing

CORE = Skill(name="(core)", description="", body="", writing=Writing.OPEN)
"""The group of the tools that no skill owns or claims."""

UNKNOWN = Skill(name="(unknown)", description="", body="", categories=("(the skill's facts are missing)",))
"""The group of tools whose skill cannot be found out. No thread can have its category: missing facts open nothing."""


class SkillIndex:
    """Skills and registered tools brought together, for one step.

    `skills` is None where no loader answered. Each tool has exactly one group: the skill whose module brought it, else
    the skill that claims its MCP namespace, else `CORE`; `UNKNOWN` where the owner is gone or nothing is known at all.
    A group's tools stand in the order of their names, those of this process first, however they were registered.
    """

    def __init__(self, skills: Sequence[Skill] | None, tools: Sequence[Tool]) -> None:
        declared = tuple(skills or ())
        self._known = skills is not None
        self._names = {skill.name for skill in declared}
        self._owners = {tool.name: skill.name for skill in declared for tool in skill.tools}
        self._claims: dict[str | None, str] = {namespace: skill.name for skill in declared for namespace in skill.mcp}
        self._tools = {tool.name: tool for tool in sorted(tools, key=_rank)}
        self._skills = {skill.name: self._bound(skill) for skill in declared}
        self._core = self._bound(CORE)
        self._unknown = self._bound(UNKNOWN)

    def find(self, name: str) -> Skill | None:
        """The skill of exactly this name."""
        return self._skills.get(name)

    def all(self) -> tuple[Skill, ...]:
        """The skills, in the loader's order."""
        return tuple(self._skills.values())

    def groups(self) -> tuple[Skill, ...]:
        """Every group: the core, the skills, and the tools of which too little is known."""
        return (self._core, *self.all(), self._unknown)

    def group_of(self, tool_name: str) -> Skill | None:
        """The group of a registered tool, or None where there is no such tool."""
        tool = self._tools.get(tool_name)
        if tool is None:
            return None
        name = self._group_name(tool)
        if name == CORE.name:
            return self._core
        return self._skills.get(name, self._unknown)

    def _group_name(self, tool: Tool) -> str:
        owner = self._owners.get(tool.name) or self._claims.get(tool.namespace) or tool.owner
        if owner is not None:
            return owner if owner in self._names else UNKNOWN.name
        if tool.namespace is not None and not self._known:
            return UNKNOWN.name
        return CORE.name

    def _bound(self, skill: Skill) -> Skill:
        tools = tuple(tool for tool in self._tools.values() if self._group_name(tool) == skill.name)
        return replace(skill, tools=tools)


def _rank(tool: Tool) -> tuple[str, str]:
    return (tool.namespace or "", tool.name)
