"""The ways in which surfaces ask the seal: for one skill, for all of them, and for tools by name."""

from __future__ import annotations

from collections.abc import Iterable

from entrypoints.refusal import Refused, sealed_text
from entrypoints.turn import Turn
from skills.category_seal import skill_sealed_for
from skills.model import Schema, Skill


def require_open(turn: Turn, skill: Skill) -> None:
    """Come back only for a skill that is open in this turn.

    Raises:
        Refused: it is sealed; the text says why.
    """
    if skill_sealed_for(skill.categories, turn.category):
        raise Refused(sealed_text(turn, skill))


def open_groups(turn: Turn) -> list[Skill]:
    """Every group that is open in this turn: the core and the skills, in the index's order."""
    return [skill for skill in turn.skills.groups if not skill_sealed_for(skill.categories, turn.category)]


def open_skills(turn: Turn) -> list[Skill]:
    """The skills that are open in this turn, in the loader's order."""
    return [skill for skill in turn.skills.all() if not skill_sealed_for(skill.categories, turn.category)]


def open_schemas(turn: Turn, names: Iterable[str]) -> tuple[Schema, ...]:
    """The schemas of the named tools whose group is open, in the order of the names. The rest is left out silently."""
    schemas = {
        schema.name: schema
        for skill in turn.skills.groups
        if not skill_sealed_for(skill.categories, turn.category)
        for schema in skill.schemas(turn.thread.writing)
    }
    return tuple(schemas[name] for name in names if name in schemas)
