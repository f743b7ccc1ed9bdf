"""What a server declares is answered, and what it offers is declared.

What it states
    In its answer to `initialize` a server declares what it can do. Each list that belongs to a declared capability is
    answered (resource templates may be missing); `logging`, `completions` and `resources.subscribe` are answered where
    they are declared. A list that belongs to no declared capability is refused, or empty.

Why it matters
    A client asks for what is declared and for nothing else. What is offered and not declared is never seen by one
    client, and found by the next; what is declared and not answered makes a client fail on a server that is well.

A failing example
    ::

        server.capabilities = {"tools": {}}             # no prompts
        server.on("prompts/list", give_prompts)         # and yet there are three

    Refuted, `disagrees`: `prompts/list` gives 3 prompts, and the capability `prompts` is not declared.

The repair
    Derive the capabilities from the handlers that are registered, or take out the handlers that are not declared.

Its limits
    A capability that is declared and whose list is empty holds. Experimental capabilities and tasks are not asked.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_invariants.catalogue.model import Invariant, Scope, Serve
from pytest_invariants.hosts.mcp.kinds import KINDS, TEMPLATES, Kind
from pytest_invariants.hosts.mcp.seen import METHOD_NOT_FOUND, Reply, Seen
from pytest_invariants.probe.answers import Fallen
from pytest_invariants.verdict import RUN, Reason

ID = "capabilities-answer"
BESIDE = {"logging/setLevel": "logging", "completion/complete": "completions"}


def judge(seen: Seen, _method: str) -> str:
    for kind in KINDS:
        if seen.declares(kind):
            _answers(seen, kind)
        else:
            _offers_nothing(seen.asked.get(kind.lists, Reply()), kind)
    for method, capability in BESIDE.items():
        if capability in seen.capabilities:
            _there(method, capability, seen.asked[method])
    if "resources/subscribe" in seen.asked:
        _there("resources/subscribe", "resources.subscribe", seen.asked["resources/subscribe"])
    return f"declared and answered: {', '.join(seen.capabilities) or 'nothing'}"


def _answers(seen: Seen, kind: Kind) -> None:
    for reply in seen.listing(kind).replies[:1]:
        if kind is not TEMPLATES or reply.code != METHOD_NOT_FOUND:
            _there(kind.lists, kind.capability, reply)


def _there(method: str, capability: str, reply: Reply) -> None:
    """Arguments that make no sense may be refused; the method itself may not."""
    if reply.lost or reply.code == METHOD_NOT_FOUND:
        message = f"the capability `{capability}` is declared, and `{method}` is answered with {reply}"
        remedy = f"answer `{method}`, or do not declare `{capability}`"
        raise Fallen(Reason.SILENT if reply.lost else Reason.DISAGREES, message, remedy)


def _offers_nothing(reply: Reply, kind: Kind) -> None:
    items = (reply.result or {}).get(kind.key)
    if reply.lost:
        message = f"`{kind.lists}`, which belongs to no declared capability, gets {reply}"
        raise Fallen(Reason.SILENT, message, f"refuse it with error {METHOD_NOT_FOUND}")
    if isinstance(items, list) and items:
        names = kind.names(tuple(item for item in items if isinstance(item, Mapping)))
        message = f"`{kind.lists}` gives {', '.join(names[:5])}, and the capability `{kind.capability}` is not declared"
        raise Fallen(Reason.DISAGREES, message, f"declare `{kind.capability}`, or do not answer `{kind.lists}`")


INVARIANT = Invariant(id=ID, family="server", scope=Scope.RUN, page=__doc__ or "", serve=Serve((RUN,), judge))
