"""What is said to a named request that is turned down: the truth, from one place."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from entrypoints.turn import Turn
from skills.category_seal import skill_sealed_for
from skills.model import Skill


class Refused(Exception):
    """A named request that is turned down; the text is for the model to read."""


def sealed_text(turn: Turn, skill: Skill) -> str:
    """Why a skill is sealed here: which half does not qualify, with the four values that decide it."""
    return (
        f"{skill.name} is sealed in this thread: {' and '.join(_failing_halves(turn, skill))}. "
        f"Provider: {turn.provider.id or 'none'}. Its tags: {_listed(turn.provider.tags)}. "
        f"Categories required: {_listed(skill.categories)}. This thread's category: {turn.thread.category or 'none'}."
    )


def closed_text(skill: Skill, tool: str) -> str:
    """Why a writing tool is not there: its group is open, and the side on which it stands is not."""
    return f"{tool} writes, and this session has not opened the writing side of {skill.name}: the user has to open it."


def unknown_text(kind: str, name: str, visible: Iterable[str]) -> str:
    """Nothing has this name. Spelling is suggested from what may be seen here, so a sealed name never shows up."""
    close = difflib.get_close_matches(name, sorted(visible), 1)
    return f"There is no {kind} named {name!r}." + (f" Did you mean {close[0]!r}?" if close else "")


def _failing_halves(turn: Turn, skill: Skill) -> list[str]:
    """The seal itself is asked for each half alone, so this page can never disagree with it."""
    wrong_thread = skill_sealed_for(skill.categories, turn.thread.category)
    no_tag = all(skill_sealed_for(skill.categories, tag) for tag in turn.provider.tags)
    halves: list[str] = []
    if no_tag or not wrong_thread:
        halves.append("the model's provider lacks the tag")
    if wrong_thread:
        halves.append("the thread is of the wrong category")
    return halves


def _listed(values: Iterable[str]) -> str:
    return ", ".join(values) or "none"
