"""Surface: loading skills, which opens their groups of tools. An order is carried out whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from entrypoints.gate import open_skills, require_open
from entrypoints.refusal import Refused, unknown_text
from entrypoints.turn import Turn
from skills.model import Schema


@dataclass(frozen=True, slots=True)
class Loaded:
    """One skill that an activation opens: its manual, and what its group offers in this session."""

    name: str
    manual: str
    tools: tuple[Schema, ...]


def activate(turn: Turn, names: Sequence[str]) -> tuple[Loaded, ...]:
    """Load skills. One problem voids the order, whatever the other names are.

    Raises:
        Refused: at least one name is sealed or unknown, or none was given; nothing is opened.
    """
    if not names:
        raise Refused("Say which skills to load: give at least one name.")
    order = list(dict.fromkeys(names))
    problems = [text for name in order for text in _problems(turn, name)]
    if problems:
        raise Refused("\n".join((*problems, "Nothing was loaded.")))
    return tuple(_opened(turn, name) for name in order)


def _problems(turn: Turn, name: str) -> list[str]:
    try:
        _opened(turn, name)
    except Refused as refusal:
        return [str(refusal)]
    return []


def _opened(turn: Turn, name: str) -> Loaded:
    """One skill of an order.

    A sealed skill is found before anything is said about spelling, so its name is never answered with a suggestion.
    """
    skill = turn.skills.find(name)
    if skill is None:
        raise Refused(unknown_text("skill", name, (known.name for known in open_skills(turn))))
    require_open(turn, skill)
    return Loaded(skill.name, skill.body, skill.schemas(turn.thread.writing))
