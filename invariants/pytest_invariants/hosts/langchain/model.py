"""A chat model that answers with what stands in its script, and remembers what it was sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolCall
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field

Schema = dict[str, Any]
DONE = "done"


@dataclass(frozen=True, slots=True)
class Request:
    """What one call of the model was sent: the schemas of the tools, and the messages."""

    tools: tuple[Schema, ...]
    messages: tuple[BaseMessage, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools, in their order."""
        return tuple(schema["function"]["name"] for schema in self.tools)

    @property
    def prompt(self) -> str:
        """The text of the system messages."""
        return "\n".join(text_of(message) for message in self.messages if message.type == "system")


@dataclass(slots=True, repr=False)  # LangChain writes the representation of a model down before every call
class Tape:
    """What the model will answer: for each call the tool calls of the reply. Afterwards it only says that it is done."""

    replies: list[list[ToolCall]] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)


class ScriptedModel(BaseChatModel):
    """All copies of it (one for each table that is bound) play the same tape."""

    tape: Any
    bound: tuple[Schema, ...] = Field(default=(), repr=False)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Runnable[Any, AIMessage]:
        return self.model_copy(update={"bound": tuple(map(convert_to_openai_tool, tools))})

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **_: Any,
    ) -> ChatResult:
        del stop, run_manager
        self.tape.requests.append(Request(self.bound, tuple(messages)))
        calls = self.tape.replies.pop(0) if self.tape.replies else []
        message = AIMessage("" if calls else DONE, tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])


def text_of(message: BaseMessage) -> str:
    """All text of a message, whether its content is a string or a list of blocks."""
    if isinstance(message.content, str):
        return message.content
    blocks = (block if isinstance(block, str) else block.get("text", "") for block in message.content)
    return "\n".join(str(text) for text in blocks)
