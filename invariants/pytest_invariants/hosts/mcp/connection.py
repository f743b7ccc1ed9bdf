"""Opening a connection, using it, and closing it so that nothing is left: no process, no session, no open file."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from io import TextIOWrapper
from typing import Any, TextIO, TypeVar

import anyio
import httpx2
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types.version import LATEST_HANDSHAKE_VERSION

from pytest_invariants import __version__
from pytest_invariants.hosts.mcp.kinds import Object
from pytest_invariants.hosts.mcp.peer import CLOSED, Incoming, Outgoing, Peer
from pytest_invariants.hosts.mcp.seen import Reply
from pytest_invariants.hosts.mcp.target import ServerError, Target

Result = TypeVar("Result")
Streams = tuple[Incoming, Outgoing]
TAIL = 12
"""Lines of what a server said on standard error that are shown when it could not be used."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A peer that has introduced itself, and what the server answered to that."""

    peer: Peer
    greeting: Object


@dataclass(slots=True)
class Line:
    """What is known of the transport beside its messages: HTTP statuses, and standard error."""

    errors: TextIO
    statuses: list[int] = field(default_factory=list)

    def tail(self) -> str:
        self.errors.seek(0)
        lines = self.errors.read().strip().splitlines()[-TAIL:]
        return "".join(f"\n    | {line}" for line in lines)


def handshake(version: str = LATEST_HANDSHAKE_VERSION) -> Mapping[str, Any]:
    """What a client says to introduce itself: it has no capabilities of its own."""
    client = {"name": "pytest-invariants", "version": __version__}
    return {"protocolVersion": version, "capabilities": {}, "clientInfo": client}


async def opened(target: Target, use: Callable[[Peer, Line], Awaitable[Result]], patience: float, seed: int) -> Result:
    """Open a connection, say nothing on it, and return what `use` makes of it. Raises ServerError where it fails.

    `seed` is the hash seed of a server that is a Python process. An error's text ends with what the server said on
    standard error.
    """
    with _quiet(), tempfile.TemporaryFile() as file, TextIOWrapper(file, encoding="utf-8", errors="replace") as errors:
        line, results, problem = Line(errors), list[Result](), ""
        try:
            async with _transport(target, line, seed) as (read, write), anyio.create_task_group() as tasks:
                peer = Peer(read, write, patience)
                tasks.start_soon(peer.listen)
                try:
                    results.append(await use(peer, line))
                except ServerError as error:
                    problem = str(error)
                tasks.cancel_scope.cancel()
        except* (OSError, httpx2.HTTPError) as group:
            problem = f"the connection fails: {_innermost(group)}; see that the server runs and listens there"
        if problem:
            raise ServerError(f"{target}: {problem}{line.tail()}")
        return results[0]


async def connected(
    target: Target, use: Callable[[Connection], Awaitable[Result]], patience: float, seed: int = 0
) -> Result:
    """Connect, introduce ourselves, and return what `use` makes of the connection.

    Raises ServerError where the server cannot be used.
    """

    async def introduced(peer: Peer, line: Line) -> Result:
        reply = await peer.ask("initialize", handshake())
        problem = _problem(reply, peer, line, patience)
        if problem:
            raise ServerError(problem)
        greeting = reply.result or {}
        peer.speak(str(greeting["protocolVersion"]))
        await peer.tell("notifications/initialized")
        return await use(Connection(peer, greeting))

    return await opened(target, introduced, patience, seed)


@asynccontextmanager
async def _transport(target: Target, line: Line, seed: int) -> AsyncIterator[Streams]:
    if target.starts:
        environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
        server = StdioServerParameters(command=target.command[0], args=list(target.command[1:]), env=environment)
        async with stdio_client(server, line.errors) as streams:
            yield streams
        return

    async def note(response: httpx2.Response) -> None:
        line.statuses.append(response.status_code)

    async with (
        httpx2.AsyncClient(headers=dict(target.headers), timeout=None, event_hooks={"response": [note]}) as client,
        streamable_http_client(target.url, http_client=client) as streams,
    ):
        yield streams


def _problem(reply: Reply, peer: Peer, line: Line, patience: float) -> str:
    """Why the server cannot be used, and what to do; nothing where it introduced itself."""
    if reply.result is not None:
        version = reply.result.get("protocolVersion")
        return "" if isinstance(version, str) else "answers `initialize` without `protocolVersion`; add it"
    status = next((status for status in line.statuses if status >= 300), None)
    if status is not None:
        return f"answers `initialize` with HTTP {status}; {REMEDIES.get(status, OTHER)}"
    if reply.code is not None and "content type" in reply.message:
        return f"answers `initialize` with neither JSON nor an event stream; {REMEDIES[404]}"
    if reply.code is not None:
        return f"refuses `initialize` with {reply}; let it speak {LATEST_HANDSHAKE_VERSION} or an earlier revision"
    wrote = f" and wrote {peer.strays[0]}, which is no message of MCP," if peer.strays else ""
    if reply.lost == CLOSED:
        return f"ended{wrote} before it answered `initialize`; run the command by itself to see why"
    hint = (
        "let it write nothing but messages to standard output"
        if wrote
        else "one that is installed first may take longer: give it more with --timeout SECONDS"
    )
    return f"started{wrote} and did not answer `initialize` within {patience:g} s; {hint}"


REMEDIES = {
    301: "it has moved; use the address that it leads to",
    302: "it leads elsewhere, perhaps to a page for signing in; use the address of the endpoint",
    307: "it leads elsewhere; use the address that it leads to",
    308: "it has moved; use the address that it leads to",
    401: "name who you are with --header 'Authorization: Bearer ...'",
    403: "it knows who you are and does not let you in; use other credentials with --header",
    404: "nothing is served at this path; the path of the endpoint is often /mcp",
    405: "this address takes no POST, so it is no endpoint of streamable HTTP; the path is often /mcp",
    406: "the server does not accept JSON and event streams; it may speak an older transport",
}
OTHER = "see the server's own log"


def _innermost(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__


@contextmanager
def _quiet() -> Iterator[None]:
    """The client logs what goes wrong, with tracebacks; here it is what the report tells."""
    log = logging.getLogger("mcp")
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        log.setLevel(level)
