"""In which order tools came to be there: with the skill that brought them, or by a call that has to stay callable.

A table that follows this order only grows at its end, whatever is loaded or called next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from entrypoints.messages import Message, Role
from entrypoints.rescan import rescan
from entrypoints.turn import Turn


def arrivals(turn: Turn, loaded: Sequence[str], messages: Sequence[Message], since: int = 0) -> Iterator[str]:
    """The names of the tools that are there by loading or by history; some of them more than once.

    Skills are loaded by the marks from message `since` on. Those without a mark left come first, in their own order.
    """
    marked = {name for message in messages[since:] for name in message.loaded_skill if message.role is Role.TOOL}
    yield from unlocked(turn, [name for name in loaded if name not in marked])
    called = {schema.name for schema in rescan(turn, messages)} - waiting(turn)
    for number, message in enumerate(messages):
        if number >= since and message.role is Role.TOOL:
            yield from unlocked(turn, [name for name in message.loaded_skill if name in loaded])
        if message.tool in called:
            yield message.tool


def unlocked(turn: Turn, names: Sequence[str]) -> Iterator[str]:
    """What these skills bring, in the order of the names."""
    for name in names:
        skill = turn.skills.find(name)
        if skill is not None:
            yield from (tool.name for tool in skill.tools)
            yield from skill.tool_ids


def waiting(turn: Turn) -> set[str]:
    """The tools that come with a manual and by no other way."""
    return {name for skill in turn.skills.all() for name in skill.tool_ids}
