"""What one skill file alone cannot show to be wrong: claims that clash, and tools to unlock that are not there."""

from __future__ import annotations

from collections.abc import Sequence

from skills.model import Availability, Skill, Tool, Writing
from skills.problems import Problem, SkillFileError


def check_skills(skills: Sequence[Skill], tools: Sequence[Tool]) -> None:
    """Compare the skills with each other and with the registered tools.

    Raises:
        SkillFileError: a namespace has two claimants, `tool-ids` names a tool that is not an enabled MCP tool, or a
            resident skill keeps its writing tools closed.
    """
    problems = [*_double_claims(skills), *_tool_ids(skills, tools), *_closed_residents(skills)]
    if problems:
        raise SkillFileError(problems)


def _double_claims(skills: Sequence[Skill]) -> list[Problem]:
    claimants: dict[str, str] = {}
    problems: list[Problem] = []
    for skill in skills:
        for namespace in skill.mcp:
            first = claimants.setdefault(namespace, skill.name)
            if first != skill.name:
                problems.append(
                    _problem(skill, f"mcp: {namespace} is claimed by {first} already: one skill a namespace")
                )
    return problems


def _tool_ids(skills: Sequence[Skill], tools: Sequence[Tool]) -> list[Problem]:
    """Tools of this process cannot be hidden: the loader tool itself is one of them."""
    served = {tool.name for tool in tools if tool.namespace is not None}
    return [
        _problem(skill, f"tool-ids: {name} is not an enabled MCP tool: only such tools can wait for a manual")
        for skill in skills
        for name in skill.tool_ids
        if name not in served
    ]


def _closed_residents(skills: Sequence[Skill]) -> list[Problem]:
    """What is in every request cannot wait for a session to open it."""
    return [
        _problem(skill, "writing: its resident tools write: say writing: open, or make the skill deferred")
        for skill in skills
        if skill.availability is Availability.RESIDENT and skill.writing is Writing.CLOSED
        if any(tool.writes for tool in skill.tools)
    ]


def _problem(skill: Skill, message: str) -> Problem:
    return Problem(f"{skill.name}/SKILL.md", 1, message)
