"""Where a model stands. This agent comes with scripted ones: a script plays the model's part, and all else is real."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from entrypoints.messages import Message, ToolCall
from entrypoints.turn import Provider
from skills.model import Schema


@dataclass(frozen=True, slots=True)
class Request:
    """What a provider is sent: the index in its system prompt, the table, the messages."""

    system: str
    tools: tuple[Schema, ...]
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model says, and what it calls. Without calls the turn is over."""

    text: str
    calls: tuple[ToolCall, ...] = ()


class ContentRefused(Exception):
    """The provider will not work with the content of this context."""


class Model(Protocol):
    @property
    def provider(self) -> Provider: ...

    @property
    def searches(self) -> bool:
        """Whether the model can work with a tool that finds tools."""
        ...

    def infer(self, request: Request) -> Reply:
        """Answer a request.

        Raises:
            ContentRefused: the provider turns the content down.
        """
        ...


class ScriptedModel:
    """Says its lines in order and keeps every request. A line that is `ContentRefused` is raised."""

    def __init__(
        self, provider: Provider, lines: Iterable[Reply | type[ContentRefused]], searches: bool = False
    ) -> None:
        self._provider = provider
        self._searches = searches
        self._lines = list(lines)
        self.requests: list[Request] = []

    @property
    def provider(self) -> Provider:
        return self._provider

    @property
    def searches(self) -> bool:
        return self._searches

    def infer(self, request: Request) -> Reply:
        line = self._lines[len(self.requests)]
        self.requests.append(request)
        if isinstance(line, Reply):
            return line
        raise line(self._provider.id)
