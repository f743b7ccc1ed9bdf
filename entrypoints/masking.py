"""What is hidden from a model until it has read the manual. Computed before every inference and kept for none."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from entrypoints.gate import open_skills
from entrypoints.turn import Turn
from skills.model import Skill


def masked_tools(skills: Sequence[Skill], loaded: Collection[str]) -> frozenset[str]:
    """All `tool-ids` of all enabled skills, less those of the loaded ones.

    A tool that several skills list is free as soon as one of them is loaded. A tool that none lists is never masked.
    """
    listed = {tool for skill in skills for tool in skill.tool_ids}
    freed = {tool for skill in skills if skill.name in loaded for tool in skill.tool_ids}
    return frozenset(listed - freed)


def masked_in(turn: Turn, loaded: Sequence[str]) -> frozenset[str]:
    """What is masked in this turn; a skill that was loaded and is sealed today frees nothing."""
    open_names = {skill.name for skill in open_skills(turn)}
    return masked_tools(turn.skills.all(), [name for name in loaded if name in open_names])
