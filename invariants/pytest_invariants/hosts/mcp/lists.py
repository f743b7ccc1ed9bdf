"""Going through a list, page by page, to its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_invariants.hosts.mcp.kinds import KINDS, Kind, Object
from pytest_invariants.hosts.mcp.peer import Peer
from pytest_invariants.hosts.mcp.seen import Listing, Reply

PAGES = 500
"""Pages after which a list counts as endless."""


async def listings(peer: Peer, capabilities: Object) -> dict[str, Listing]:
    """Every list of a kind that the server declares, by the method that gives it."""
    return {kind.lists: await whole(peer, kind) for kind in KINDS if kind.capability in capabilities}


async def whole(peer: Peer, kind: Kind) -> Listing:
    """One list. What is wrong with a page ends it, and is its `fault`."""
    items: list[Object] = []
    replies: list[Reply] = []
    cursors: set[str] = set()
    cursor: Any = None
    fault = ""
    while not fault:
        replies.append(await peer.ask(kind.lists, {} if cursor is None else {"cursor": cursor}))
        page, fault = _page(replies[-1], kind)
        items += page
        cursor = (replies[-1].result or {}).get("nextCursor")
        if cursor is None or fault:
            break
        fault = _wrong(cursor, cursors, len(replies))
        cursors.add(str(cursor))
    return Listing(kind, tuple(items), len(replies), tuple(replies), fault)


def _page(reply: Reply, kind: Kind) -> tuple[list[Object], str]:
    if reply.result is None:
        return [], f"{kind.lists} is answered with {reply}"
    items = reply.result.get(kind.key)
    if not isinstance(items, list):
        return [], f"{kind.lists} is answered without a list `{kind.key}`"
    good = [item for item in items if isinstance(item, Mapping) and isinstance(item.get(kind.id), str)]
    fault = "" if len(good) == len(items) else f"{kind.lists} gives an item without a `{kind.id}`"
    return good, fault


def _wrong(cursor: object, before: set[str], pages: int) -> str:
    if not isinstance(cursor, str):
        return f"`nextCursor` is {cursor!r:.40}, which is no string"
    if not cursor:
        return "`nextCursor` is an empty string, which is a cursor like any other; at the end it has to be left out"
    if cursor in before:
        return f"the pages go in a circle: the cursor {cursor!r:.60} comes a second time"
    return f"there is no end after {pages} pages" if pages >= PAGES else ""
