"""Surface: loading skills, which opens their groups of tools. An order is carried out whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from entrypoints.gate import open_skills
from entrypoints.refusal import Refused, sealed_text, unknown_text
from entrypoints.turn import Turn
from skills.category_seal import skill_sealed_for
from skills.model import Schema


@dataclass(frozen=True, slots=True)
class Loaded:
    """One skill that an activation opens: its manual, and what its group offers in this session."""

    name: str
    manual: str
    tools: tuple[Schema, ...]


@dataclass(frozen=True, slots=True)
class Activation:
    """Either skills to open or problems, never both."""

    loaded: tuple[Loaded, ...] = ()
    problems: tuple[str, ...] = ()


def plan_activation(turn: Turn, names: Sequence[str]) -> Activation:
    """What loading these skills would open. One problem voids the order, whatever the other names are.

    The seal is asked before existence matters: a sealed name is never answered with a spelling suggestion.
    """
    loaded: list[Loaded] = []
    problems: list[str] = []
    for name in dict.fromkeys(names):
        skill = turn.skills.find(name)
        if skill is not None and skill_sealed_for(skill.categories, turn.category):
            problems.append(sealed_text(turn, skill))
        elif skill is None:
            problems.append(unknown_text("skill", name, (known.name for known in open_skills(turn))))
        else:
            offered = [tool.schema() for tool in skill.tools if skill.offers(tool, turn.thread.writing)]
            loaded.append(Loaded(skill.name, skill.body, tuple(offered)))
    return Activation(problems=tuple(problems)) if problems else Activation(loaded=tuple(loaded))


def activate(turn: Turn, names: Sequence[str]) -> tuple[Loaded, ...]:
    """Load skills.

    Raises:
        Refused: at least one name is sealed or unknown, or none was given; nothing is opened.
    """
    if not names:
        raise Refused("Say which skills to load: give at least one name.")
    plan = plan_activation(turn, names)
    if plan.problems:
        raise Refused("\n".join((*plan.problems, "Nothing was loaded.")))
    return plan.loaded
