"""Surface: calling a tool by its exact name, whether or not the model was shown it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from entrypoints.gate import open_groups, require_open
from entrypoints.refusal import Refused, closed_text, unknown_text
from entrypoints.turn import Turn
from skills.model import Skill
from skills.results import ToolResult


@dataclass(frozen=True, slots=True)
class Called:
    """A call that was carried out. `opened` are the skills whose group the call opened by itself."""

    result: ToolResult
    opened: tuple[str, ...]


def call_tool(turn: Turn, name: str, arguments: Mapping[str, object], key: str | None = None) -> Called:
    """Run a tool. A group that is not open yet is opened by the call; a sealed one is not, nor is a writing side.

    `key` is the idempotency key that a writing call needs.

    A tool that is only hidden until a manual has been read runs: masking saves the model from a mistake, the seal is
    what forbids.

    Raises:
        Refused: the tool's group is sealed here, its writing side is closed, or there is no such tool.
    """
    group = turn.skills.group_of(name)
    if group is None:
        known = (tool.name for skill in open_groups(turn) for tool in skill.tools)
        raise Refused(unknown_text("tool", name, known))
    require_open(turn, group)
    _require_side(turn, group, name)
    result = group.invoke(name, replace(turn.context, key=key), arguments)
    return Called(result, _opened(turn, group.name, name))


def _require_side(turn: Turn, group: Skill, name: str) -> None:
    tool = group.tool(name)
    if tool is not None and not group.offers(tool, turn.thread.writing):
        raise Refused(closed_text(group, name))


def _opened(turn: Turn, group: str, tool: str) -> tuple[str, ...]:
    """The core has nothing to open, and a resident tool needs nothing opened."""
    return (group,) if turn.skills.find(group) is not None and tool not in turn.resident else ()
