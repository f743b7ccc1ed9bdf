"""Trying one name after the other, and seeing what became of the lists meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import anyio

from pytest_invariants.hosts.mcp.kinds import KINDS
from pytest_invariants.hosts.mcp.lists import whole
from pytest_invariants.hosts.mcp.peer import Peer
from pytest_invariants.hosts.mcp.seen import WHOLE, Change, Listing, Trial
from pytest_invariants.hosts.mcp.trials import Plan

GRACE = 1.0
"""Seconds that a notice may come after the change that it tells of."""
ROUNDS = 20
ALIVE = 5.0
"""Seconds in which a ping is answered by a server that is still there."""
DEATHS = 4


async def try_each(
    peer: Peer,
    plans: list[Plan],
    trials: list[Trial],
    changed: list[Change],
    kinds: Iterable[str],
    tell: Callable[[str], None],
) -> None:
    """Take plans from the front of the list until there are none, or the server is gone; then the rest is for another.

    A server that has gone as often as `DEATHS` says is left alone: the list is emptied. Around every call of a tool that
    does what it is there for, the lists of these kinds are asked for again.
    """
    lists: Mapping[str, Listing] = {}
    while plans and not peer.closed:
        plan = plans.pop(0)
        tell(f"{plan.kind.uses} {plan.name} ...")
        watched = plan.role == WHOLE and plan.kind.uses == "tools/call"
        if watched:
            lists = lists or await _again(peer, kinds)
            peer.notices.clear()
        reply = await peer.ask(plan.kind.uses, plan.params)
        alive = not (await peer.ask("ping", patience=ALIVE)).lost
        trials.append(Trial(plan.kind, plan.role, plan.name, reply, plan.of, plan.arguments, alive))
        if not alive:
            gone = sum(not trial.alive for trial in trials)
            plans[:] = plans if gone < DEATHS else []
            return
        if watched:
            now = await _again(peer, kinds)
            await _settled(peer, lists, now)
            changed += changes(len(changed), plan.name, lists, now, peer.notices)
            lists = now


async def _again(peer: Peer, kinds: Iterable[str]) -> dict[str, Listing]:
    """The lists as they are now."""
    return {kind.lists: await whole(peer, kind) for kind in KINDS if kind.lists in kinds}


async def _settled(peer: Peer, before: Mapping[str, Listing], now: Mapping[str, Listing]) -> None:
    """Give the notice of a change that was seen the time to arrive."""
    due = {now[name].kind.notice for name in now if now[name].lines != before[name].lines}
    with anyio.move_on_after(GRACE):
        while not due <= set(peer.notices):
            await anyio.sleep(GRACE / ROUNDS)


def changes(
    step: int, after: str, before: Mapping[str, Listing], now: Mapping[str, Listing], notices: Sequence[str]
) -> list[Change]:
    """What became of each list that could be gone through both times."""
    return [
        Change(step, now[name].kind, after, before[name].lines, now[name].lines, notices.count(now[name].kind.notice))
        for name in now
        if name in before and not before[name].fault and not now[name].fault
    ]
