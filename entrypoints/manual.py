"""Surface: reading a skill's manual by name."""

from __future__ import annotations

from entrypoints.gate import open_skills, require_open
from entrypoints.refusal import Refused, unknown_text
from entrypoints.turn import Turn


def read_manual(turn: Turn, name: str) -> str:
    """The manual of an open skill. Reading it loads nothing.

    Raises:
        Refused: the skill is sealed here, or there is none of this name.
    """
    skill = turn.skills.find(name)
    if skill is None:
        raise Refused(unknown_text("skill", name, (known.name for known in open_skills(turn))))
    require_open(turn, skill)
    return skill.body
