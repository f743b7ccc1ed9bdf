"""What a conversation consists of, and what can be read off it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from uuid import uuid4


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SUMMARY = "summary"
    """Stands for messages that compaction took away."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as the model wrote it: the name need not be one that it was shown. `id` serves as idempotency key."""

    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    id: str = field(default_factory=lambda: uuid4().hex)

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> ToolCall:
        row = json.loads(text)
        return cls(row["name"], row["arguments"], row["id"])


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `loaded_skill` is the mark that a tool's result carries when skills were loaded by it.

    The mark is metadata: it is set by the agent alone, and no text that a model or a user writes can forge it.
    """

    role: Role
    text: str
    calls: tuple[ToolCall, ...] = ()
    tool: str | None = None
    loaded_skill: tuple[str, ...] = ()
    ran: bool = False
    """A tool ran for this result; a refusal has a result too."""

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Message:
        row = json.loads(text)
        return cls(
            role=Role(row["role"]),
            text=row["text"],
            calls=tuple(ToolCall(call["name"], call["arguments"], call["id"]) for call in row["calls"]),
            tool=row["tool"],
            loaded_skill=tuple(row["loaded_skill"]),
            ran=row["ran"],
        )


def loaded_skills(messages: Sequence[Message]) -> tuple[str, ...]:
    """The skills whose loading mark is in the messages, in the order of first appearance."""
    marks = (name for message in messages if message.role is Role.TOOL for name in message.loaded_skill)
    return tuple(dict.fromkeys(marks))


def run_start(messages: Sequence[Message]) -> int:
    """The place of the last question among the messages: where the run begins that answers it."""
    return max((place for place, message in enumerate(messages) if message.role is Role.USER), default=0)


def called_tools(messages: Sequence[Message]) -> tuple[str, ...]:
    """The tools that ran for a result in the messages, in the order of first appearance."""
    return tuple(dict.fromkeys(message.tool for message in messages if message.ran and message.tool is not None))
