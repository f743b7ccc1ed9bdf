"""A chat model that answers with what stands in its script, and remembers what it was sent."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from agentscope.credential import CredentialBase
from agentscope.message import Msg, TextBlock, ToolCallBlock
from agentscope.model import ChatModelBase, ChatResponse

Schema = dict[str, Any]
DONE = "done"
ROOM = 10**9
"""Tokens that the model takes, so that nothing is compressed by the way."""


@dataclass(frozen=True, slots=True)
class Request:
    """What one call of the model was sent: the schemas of the tools, and the messages."""

    tools: tuple[Schema, ...]
    messages: tuple[Msg, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools, in their order."""
        return tuple(schema["function"]["name"] for schema in self.tools)

    @property
    def prompt(self) -> str:
        """The text of the system messages."""
        return "\n".join(text_of(message) for message in self.messages if message.role == "system")


@dataclass(slots=True)
class Tape:
    """What the model will answer: for each call the tool calls of the reply. Afterwards it only says that it is done."""

    replies: list[list[ToolCallBlock]] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)


class ScriptedModel(ChatModelBase):
    """Plays a tape."""

    def __init__(self, tape: Tape) -> None:
        super().__init__(
            CredentialBase(), "scripted", self.Parameters(), stream=False, max_retries=0, context_size=ROOM
        )
        self.tape = tape
        self.formatter = SimpleNamespace(supported_input_media_types=[])

    async def _call_api(
        self, model_name: str, messages: list[Msg], tools: list[Schema] | None = None, *_: Any, **__: Any
    ) -> ChatResponse:
        del model_name
        self.tape.requests.append(Request(tuple(tools or ()), tuple(messages)))
        calls = self.tape.replies.pop(0) if self.tape.replies else []
        return ChatResponse(content=[*calls] or [TextBlock(text=DONE)], is_last=True)

    async def count_tokens(self, *_: Any, **__: Any) -> int:
        return 1


def text_of(message: Msg) -> str:
    """All text of a message."""
    return "\n".join(block.text for block in message.get_content_blocks("text"))
