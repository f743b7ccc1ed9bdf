"""Surface: the list of skills in the system prompt. It lists what is open, and is silent about the rest."""

from __future__ import annotations

from entrypoints.turn import Turn
from skills.category_seal import skill_sealed_for


def render_index(turn: Turn) -> str:
    """One line a skill, in the loader's order."""
    return "\n".join(
        f"- {skill.name}: {skill.description}"
        for skill in turn.skills.all()
        if not skill_sealed_for(skill.categories, turn.category)
    )
