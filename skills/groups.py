"""Which skill a tool belongs to. The seal is asked about that skill, so a whole catalogue closes and opens at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from skills.model import Skill, Tool, Writing

CORE = Skill(name="(core)", description="", body="", writing=Writing.OPEN)
"""The group of the tools that no skill owns or claims."""

UNKNOWN = Skill(name="(unknown)", description="", body="", categories=("(the skill's facts are missing)",))
"""The group of tools whose skill cannot be found out. No thread can have its category: missing facts open nothing."""


@dataclass(frozen=True, slots=True)
class SkillIndex:
    """Skills and registered tools brought together, for one step.

    `skills` are in the loader's order; `groups` are the core, the skills and the tools of which too little is known.
    Each tool has exactly one group: `owners` gives it by the tool's name.
    """

    skills: Mapping[str, Skill]
    groups: tuple[Skill, ...]
    owners: Mapping[str, Skill]

    def find(self, name: str) -> Skill | None:
        """The skill of exactly this name."""
        return self.skills.get(name)

    def all(self) -> tuple[Skill, ...]:
        return tuple(self.skills.values())

    def group_of(self, tool_name: str) -> Skill | None:
        """The group of a registered tool, or None where there is no such tool."""
        return self.owners.get(tool_name)


def index_of(skills: Sequence[Skill] | None, tools: Sequence[Tool], withheld: Collection[str] = ()) -> SkillIndex:
    """Give each registered tool to its group; `skills` is None where no loader answered.

    Tools of the `withheld` namespaces have no group: their skill takes no part, and so nobody reaches them.

    A tool belongs to the skill whose module brought it, else to the one that claims its MCP namespace, else to `CORE`;
    to `UNKNOWN` where the owner is gone or nothing is known at all. A group's tools stand in the order of their names,
    those of this process first, however they were registered.
    """
    named = _Ownership(skills)
    members: dict[str, list[Tool]] = {}
    reachable = (tool for tool in tools if tool.namespace not in withheld)
    for tool in sorted(reachable, key=lambda tool: (tool.namespace or "", tool.name)):
        members.setdefault(named.group_of(tool), []).append(tool)
    groups = [replace(group, tools=tuple(members.get(group.name, ()))) for group in (CORE, *(skills or ()), UNKNOWN)]
    return SkillIndex(
        skills={group.name: group for group in groups[1:-1]},
        groups=tuple(groups),
        owners={tool.name: group for group in groups for tool in group.tools},
    )


class _Ownership:
    """Says by name to which group a tool belongs."""

    def __init__(self, skills: Sequence[Skill] | None) -> None:
        declared = tuple(skills or ())
        self._known = skills is not None
        self._names = {skill.name for skill in declared}
        self._owners = {tool.name: skill.name for skill in declared for tool in skill.tools}
        self._claims: dict[str | None, str] = {namespace: skill.name for skill in declared for namespace in skill.mcp}

    def group_of(self, tool: Tool) -> str:
        owner = self._owners.get(tool.name) or self._claims.get(tool.namespace) or tool.owner
        if owner is not None:
            return owner if owner in self._names else UNKNOWN.name
        if tool.namespace is not None and not self._known:
            return UNKNOWN.name
        return CORE.name
