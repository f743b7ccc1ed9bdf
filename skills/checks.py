"""What one skill file alone cannot show to be wrong: claims that clash, and tools to unlock that are not there."""

from __future__ import annotations

from collections.abc import Sequence

from skills.model import Skill, Tool
from skills.problems import Problem, SkillFileError


def check_skills(skills: Sequence[Skill], tools: Sequence[Tool]) -> None:
    """Compare the skills with each other and with the registered tools.

    Raises:
        SkillFileError: a namespace has two claimants, or `tool-ids` names a tool that is not an enabled MCP tool.
    """
    problems = [*_double_claims(skills), *_tool_ids(skills, tools)]
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


def _problem(skill: Skill, message: str) -> Problem:
    return Problem(f"{skill.name}/SKILL.md", 1, message)
