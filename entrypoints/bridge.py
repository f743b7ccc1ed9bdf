"""The near side of the bridge: another process gets facts of its own, written anew, and nothing else of this turn."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from entrypoints.turn import Provider, Turn
from skills.context import Identity
from skills.mcp_client import McpConnection

SERVER = "entrypoints.bridge_server"


@dataclass(frozen=True, slots=True)
class ChildFacts:
    """All that a child process is told. A field that is left out is the safe side: no category, no provider, nobody.

    `enabled` are the names of the child's skills, or None for all; `namespaces` the MCP servers that it starts itself.
    """

    home: str
    thread: str
    category: str | None = None
    provider: str | None = None
    tags: tuple[str, ...] = ()
    user: str | None = None
    tenant: str | None = None
    permissions: tuple[str, ...] = ()
    writing: tuple[str, ...] = ()
    enabled: tuple[str, ...] | None = None
    namespaces: tuple[str, ...] = ()

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> ChildFacts:
        """Read what `to_json` wrote.

        Raises:
            TypeError: a required field is missing, or there is one that nobody knows.
        """
        row: dict[str, Any] = json.loads(text)
        fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
        return cls(**fields)


def child_facts(
    turn: Turn,
    home: Path,
    provider: Provider,
    enabled: tuple[str, ...] | None = None,
    namespaces: tuple[str, ...] = (),
) -> ChildFacts:
    """The facts of a child that works for this turn with a provider of its own.

    The category is carried over by hand, and it is the one that this turn was allowed, so that the child's ceiling is
    what its parent may do; the provider is the child's, since its model is another.
    """
    who: Identity = turn.context.identity
    return ChildFacts(
        home=str(home),
        thread=turn.thread.id,
        category=turn.category,
        provider=provider.id,
        tags=provider.tags,
        user=who.user,
        tenant=who.tenant,
        permissions=tuple(sorted(who.permissions)),
        writing=tuple(sorted(turn.thread.writing)),
        enabled=enabled,
        namespaces=namespaces,
    )


def open_bridge(facts: ChildFacts) -> McpConnection:
    """A connection to a child process with these facts; entering it starts the process, leaving it ends it."""
    return McpConnection("bridge", SERVER, [facts.to_json()])
