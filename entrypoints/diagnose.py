"""Why a tool "is missing", looked for in the order of least effort: group, identity, schema, request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from entrypoints.messages import Message
from entrypoints.refusal import closed_text, sealed_text
from entrypoints.table import build_table
from entrypoints.turn import Turn
from skills.category_seal import skill_sealed_for
from skills.model import Skill, Tool
from skills.validation import schema_problem


class Stage(StrEnum):
    """Where to look, first things first."""

    GROUP = "active groups"
    IDENTITY = "identity"
    SCHEMA = "generated schema"
    SENT = "what the model was sent"


@dataclass(frozen=True, slots=True)
class Cause:
    stage: Stage
    text: str


def why_missing(turn: Turn, messages: Sequence[Message], name: str) -> Cause | None:
    """The first cause for which a tool cannot be used in this turn; None where it can."""
    group = turn.skills.group_of(name)
    tool = group.tool(name) if group is not None else None
    if group is None or tool is None:
        return Cause(Stage.GROUP, f"no tool named {name!r} is registered")
    return next(_causes(turn, messages, group, tool), None)


def _causes(turn: Turn, messages: Sequence[Message], group: Skill, tool: Tool) -> Iterator[Cause]:
    if skill_sealed_for(group.categories, turn.category):
        yield Cause(Stage.GROUP, sealed_text(turn, group))
    if not group.offers(tool, turn.thread.writing):
        yield Cause(Stage.GROUP, closed_text(group, tool.name))
    if tool.needs_identity and turn.context.identity.user is None:
        yield Cause(Stage.IDENTITY, f"{tool.name} needs to know the user, and nobody has been identified")
    problem = schema_problem(tool.parameters)
    if problem is not None:
        yield Cause(Stage.SCHEMA, f"the schema of {tool.name} is none: {problem}")
    if tool.name not in {schema.name for schema in build_table(turn, messages)}:
        yield Cause(Stage.SENT, f"{tool.name} was not in the request: load {group.name} or a skill that unlocks it")
