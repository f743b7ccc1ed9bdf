"""Surface: the model asks what there is. It answers with what is open, and is silent about the rest."""

from __future__ import annotations

from dataclasses import dataclass

from entrypoints.gate import open_skills
from entrypoints.turn import Turn


@dataclass(frozen=True, slots=True)
class SkillCard:
    """What a listing says of a skill."""

    name: str
    description: str
    tools: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}: {self.description} [{', '.join(self.tools)}]"


def introspect(turn: Turn) -> tuple[SkillCard, ...]:
    """A card for every open skill, in the loader's order."""
    return tuple(
        SkillCard(skill.name, skill.description, tuple(tool.name for tool in skill.tools))
        for skill in open_skills(turn)
    )
