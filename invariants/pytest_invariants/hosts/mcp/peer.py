"""One end of a connection: sends requests, matches answers to them, and keeps all else that arrives."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import anyio
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from mcp_types import (
    METHOD_NOT_FOUND,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

from pytest_invariants.hosts.mcp.seen import Reply

CLOSED = "the server closed the connection"
STRAYS = 20
"""How many odd messages are kept."""


class Incoming(Protocol):
    """What a transport receives: messages, and what it could not read as one."""

    def __aiter__(self) -> AsyncIterator[SessionMessage | Exception]: ...


class Outgoing(Protocol):
    """Where a transport takes messages."""

    async def send(self, item: SessionMessage, /) -> None: ...


@dataclass(slots=True)
class _Waiting:
    done: anyio.Event = field(default_factory=anyio.Event)
    reply: Reply = field(default_factory=lambda: Reply(lost=CLOSED))


class Peer:
    """Answers are kept as the objects that came over the wire; nothing is corrected and nothing is filled in."""

    def __init__(
        self,
        read: Incoming,
        write: Outgoing,
        patience: float,
    ) -> None:
        self._read, self._write, self._patience = read, write, patience
        self._waiting: dict[int, _Waiting] = {}
        self._asked = 0
        self._headers: dict[str, str] = {}
        self.closed = False
        self.notices: list[str] = []
        self.strays: list[str] = []

    def speak(self, version: str) -> None:
        """Say with every message which revision was agreed on; over HTTP it is a header."""
        self._headers[MCP_PROTOCOL_VERSION_HEADER] = version

    async def ask(self, method: str, params: Mapping[str, Any] | None = None, patience: float | None = None) -> Reply:
        """Send one request and wait for its answer, as long as patience lasts (seconds; never longer than the usual)."""
        if self.closed:
            return Reply(lost=CLOSED)
        limit = self._patience if patience is None else min(patience, self._patience)
        self._asked += 1
        number, waiting = self._asked, _Waiting()
        self._waiting[number] = waiting
        request = JSONRPCRequest(jsonrpc="2.0", id=number, method=method, params=dict(params or {}))
        with anyio.move_on_after(limit) as scope:
            await self._send(request)
            await waiting.done.wait()
        if scope.cancelled_caught:
            await self.tell("notifications/cancelled", {"requestId": number})
            return Reply(lost=f"no answer within {limit:g} s")
        return waiting.reply

    async def tell(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Send a notification, which nobody answers; a server that does not read is not waited for."""
        given = None if params is None else dict(params)
        with anyio.move_on_after(self._patience):
            await self._send(JSONRPCNotification(jsonrpc="2.0", method=method, params=given))

    async def listen(self) -> None:
        """Receive until the connection ends; to be run beside the requests."""
        try:
            async for message in self._read:
                await self._receive(message)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            pass
        finally:
            self.closed = True
            for waiting in self._waiting.values():
                waiting.done.set()

    async def _send(self, message: JSONRPCMessage) -> None:
        try:
            metadata = ClientMessageMetadata(headers=dict(self._headers))
            await self._write.send(SessionMessage(message, metadata))
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            self.closed = True
            for waiting in self._waiting.values():
                waiting.done.set()

    async def _receive(self, message: SessionMessage | Exception) -> None:
        if isinstance(message, Exception):
            self._stray(_line_of(message))
            return
        match message.message:
            case JSONRPCResponse(id=number, result=result):
                self._answered(number, Reply(result=result))
            case JSONRPCError(id=number, error=error):
                self._answered(number, Reply(code=error.code, message=error.message))
            case JSONRPCNotification(method=method):
                self.notices.append(method)
            case JSONRPCRequest(id=number, method=method):
                await self._serve(number, method)

    async def _serve(self, number: int | str, method: str) -> None:
        """Answer what a server asks of its client: it offers nothing but to be there."""
        if method == "ping":
            await self._send(JSONRPCResponse(jsonrpc="2.0", id=number, result={}))
        else:
            error = ErrorData(code=METHOD_NOT_FOUND, message=f"this client does not offer {method}")
            await self._send(JSONRPCError(jsonrpc="2.0", id=number, error=error))

    def _answered(self, number: int | str | None, reply: Reply) -> None:
        waiting = self._waiting.get(number) if isinstance(number, int) else None
        if waiting is None:
            self._stray(f"an answer to request {number!r}, which was never sent: {reply}")
        elif waiting.done.is_set():
            self._stray(f"a second answer to request {number!r}: {reply}")
        else:
            waiting.reply = reply
            waiting.done.set()

    def _stray(self, text: str) -> None:
        if len(self.strays) < STRAYS:
            self.strays.append(text)


def _line_of(error: Exception) -> str:
    """The line that could not be read as a message, where the transport tells it."""
    details = getattr(error, "errors", None)
    given = details()[0].get("input") if callable(details) and details() else None
    return f"{given!r:.200}" if isinstance(given, str) else f"{given if given is not None else error!s:.200}"
