"""One end of a connection, over streams in memory: what a server may do beside answering."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse
from pytest_invariants.hosts.mcp.peer import CLOSED, Peer
from pytest_invariants.hosts.mcp.seen import Reply

Serve = Callable[[Any, Any], Awaitable[None]]
"""Gets what the client sends, and a way to send to it."""


def talk(serve: Serve, use: Callable[[Peer], Awaitable[None]], patience: float = 5) -> Peer:
    """Let a client and a server talk until `use` is done; the client."""

    async def both() -> Peer:
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](10)
        to_server, from_client = anyio.create_memory_object_stream[SessionMessage](10)
        peer = Peer(from_server, to_server, patience)
        with to_client, from_server, to_server, from_client:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(peer.listen)
                tasks.start_soon(serve, from_client, to_client)
                await use(peer)
                tasks.cancel_scope.cancel()
        return peer

    return anyio.run(both)


def answer(number: Any, result: dict[str, Any]) -> SessionMessage:
    return SessionMessage(JSONRPCResponse(jsonrpc="2.0", id=number, result=result))


def test_requests_of_the_server_are_answered_and_nothing_is_offered() -> None:
    heard: list[Any] = []

    async def serve(received: Any, sender: Any) -> None:
        asked = (await received.receive()).message
        for number, method in (("a", "ping"), ("b", "sampling/createMessage")):
            await sender.send(SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=number, method=method)))
            heard.append((await received.receive()).message)
        await sender.send(answer(asked.id, {"done": True}))

    async def use(peer: Peer) -> None:
        assert await peer.ask("tools/list") == Reply(result={"done": True})

    peer = talk(serve, use)
    pong, refusal = heard
    assert isinstance(pong, JSONRPCResponse)
    assert (pong.id, pong.result) == ("a", {})
    assert isinstance(refusal, JSONRPCError)
    assert (refusal.id, refusal.error.code) == ("b", -32601)
    assert refusal.error.message == "this client does not offer sampling/createMessage"
    assert peer.strays == []


def test_notices_are_counted_and_what_nobody_asked_for_is_kept() -> None:
    async def serve(received: Any, sender: Any) -> None:
        asked = (await received.receive()).message
        notice = JSONRPCNotification(jsonrpc="2.0", method="notifications/tools/list_changed")
        await sender.send(SessionMessage(notice))
        await sender.send(ValueError("what is this"))
        await sender.send(answer("1", {}))
        await sender.send(answer(asked.id, {}))
        await sender.send(answer(asked.id, {}))

    async def use(peer: Peer) -> None:
        assert (await peer.ask("ping")).granted
        await anyio.wait_all_tasks_blocked()

    peer = talk(serve, use)
    assert peer.notices == ["notifications/tools/list_changed"]
    assert peer.strays == [
        "what is this",
        "an answer to request '1', which was never sent: a result",
        "a second answer to request 1: a result",
    ]


def test_only_so_many_odd_messages_are_kept() -> None:
    async def serve(received: Any, sender: Any) -> None:
        asked = (await received.receive()).message
        for number in range(100):
            await sender.send(ValueError(f"line {number}"))
        await sender.send(answer(asked.id, {}))

    async def use(peer: Peer) -> None:
        await peer.ask("ping")

    assert len(talk(serve, use).strays) == 20


def test_a_request_that_is_not_answered_is_called_off() -> None:
    heard: list[Any] = []

    async def serve(received: Any, _sender: Any) -> None:
        async for message in received:
            heard.append(message.message)

    async def use(peer: Peer) -> None:
        reply = await peer.ask("tools/call", {"name": "slow"})
        assert reply == Reply(lost="no answer within 0.05 s")
        assert (reply.granted, reply.refused) == (False, False)

    talk(serve, use, patience=0.05)
    request, cancelled = heard
    assert (cancelled.method, cancelled.params) == ("notifications/cancelled", {"requestId": request.id})


def test_a_connection_that_ends_answers_what_waits_and_all_that_follows() -> None:
    async def serve(received: Any, sender: Any) -> None:
        await received.receive()
        await sender.aclose()

    async def use(peer: Peer) -> None:
        assert await peer.ask("ping") == Reply(lost=CLOSED)
        assert peer.closed
        assert await peer.ask("ping") == Reply(lost=CLOSED)

    talk(serve, use)


def test_a_server_that_does_not_listen_any_more_is_gone() -> None:
    async def serve(received: Any, _sender: Any) -> None:
        await received.aclose()
        await anyio.sleep_forever()

    async def use(peer: Peer) -> None:
        await anyio.wait_all_tasks_blocked()
        assert await peer.ask("ping") == Reply(lost=CLOSED)
        assert peer.closed

    talk(serve, use)


def test_the_agreed_revision_goes_with_every_message() -> None:
    headers: list[Any] = []

    async def serve(received: Any, sender: Any) -> None:
        async for message in received:
            headers.append(message.metadata.headers)
            await sender.send(answer(message.message.id, {}))

    async def use(peer: Peer) -> None:
        await peer.ask("initialize")
        peer.speak("2025-11-25")
        await peer.ask("ping")

    talk(serve, use)
    assert headers == [{}, {"mcp-protocol-version": "2025-11-25"}]
