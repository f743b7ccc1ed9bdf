"""The connection itself keeps the protocol: it is introduced, answers a ping, and refuses what it does not know.

What it states
    The answer to `initialize` names the server, its version and a revision of the protocol that exists. A ping is
    answered. A method that nothing has is refused with error -32601. A client that offers a revision which never was
    hears one that exists, or an error.

Why it matters
    These are the requests that every client sends before it looks at any tool. A server that answers an unknown method
    with a result, or not at all, makes a client wait, or believe that something was done.

A failing example
    ::

        async def handle(request):
            handler = HANDLERS.get(request.method, lambda _: {})       # silence looks friendly
            return result(request.id, handler(request.params))

    Refuted, `malformed`: `invariants/no-such-method` is answered with a result.

The repair
    Answer what is not known with error -32601, and a revision that is not known with the newest one that is.

Its limits
    The handshake of the revisions up to 2025-11-25 is spoken. Requests before `initialize` are not tried.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_invariants.catalogue.model import Invariant, Scope, Serve
from pytest_invariants.hosts.mcp.kinds import Object
from pytest_invariants.hosts.mcp.seen import METHOD_NOT_FOUND, ODD_METHOD, ODD_VERSION, Reply, Seen
from pytest_invariants.probe.answers import Fallen
from pytest_invariants.verdict import RUN, Reason

ID = "protocol-kept"


def judge(seen: Seen, _method: str) -> str:
    _introduced(seen)
    ping, unknown, odd = seen.asked["ping"], seen.asked[ODD_METHOD], seen.asked["version"]
    if ping.result is None:
        raise _fallen(ping, f"a ping is answered with {ping}", "answer `ping` with an empty result")
    if unknown.code != METHOD_NOT_FOUND:
        message = f"`{ODD_METHOD}`, which nothing has, is answered with {unknown}"
        raise _fallen(unknown, message, f"refuse it with error {METHOD_NOT_FOUND}")
    if odd.lost:
        message = f"a client that offers the revision {ODD_VERSION} gets {odd}"
        raise _fallen(odd, message, "answer with a revision that the server speaks, or with an error")
    if odd.result is not None:
        _revision(seen, odd.result, f" to a client that offers {ODD_VERSION}")
    return f"revision {seen.greeting['protocolVersion']} is spoken; a ping and an unknown method are answered rightly"


def _introduced(seen: Seen) -> None:
    _revision(seen, seen.greeting, "")
    info = seen.greeting.get("serverInfo")
    for key in ("name", "version"):
        if not isinstance(info, Mapping) or not isinstance(info.get(key), str):
            message = f"`initialize` is answered without `serverInfo.{key}`"
            raise Fallen(Reason.MALFORMED, message, "name the server and its version")


def _revision(seen: Seen, greeting: Object, whom: str) -> None:
    version = greeting.get("protocolVersion")
    if version not in seen.revisions:
        message = f"`initialize` is answered with the revision {version!r:.40}{whom}, which is none that is known"
        raise Fallen(Reason.MALFORMED, message, f"answer with one that is: {', '.join(seen.revisions)}")


def _fallen(reply: Reply, message: str, remedy: str) -> Fallen:
    return Fallen(Reason.SILENT if reply.lost else Reason.MALFORMED, message, remedy)


INVARIANT = Invariant(id=ID, family="server", scope=Scope.RUN, page=__doc__ or "", serve=Serve((RUN,), judge))
