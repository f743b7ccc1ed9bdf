"""Trying one name after the other, and seeing what became of the lists meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import anyio

from pytest_invariants.hosts.mcp.kinds import KINDS
from pytest_invariants.hosts.mcp.lists import whole
from pytest_invariants.hosts.mcp.peer import Peer
from pytest_invariants.hosts.mcp.seen import WHOLE, Change, Listing, Reply, Trial
from pytest_invariants.hosts.mcp.trials import Plan

GRACE = 1.0
"""Seconds that a notice may come after the change that it tells of."""
ROUNDS = 20
ALIVE = 5.0
"""Seconds in which a ping is answered by a server that is still there."""
DEATHS = 4
"""As often as this a server may go while names are tried."""


@dataclass(slots=True)
class Trying:
    """What is still to be tried, and what became of the rest. `kinds` are the methods of the lists that there are."""

    plans: list[Plan]
    kinds: Collection[str]
    tell: Callable[[str], None]
    trials: list[Trial] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)

    async def go_on(self, peer: Peer) -> None:
        """Try one plan after the other, until there is none, or the server is gone; the rest is for a new connection.

        Around every call of a tool that does what it is there for, the lists are asked for again.
        """
        lists: Mapping[str, Listing] = {}
        while self.plans and not peer.closed:
            plan = self.plans[0]
            self.tell(f"{plan.kind.uses} {plan.name} ...")
            watched = plan.role == WHOLE and plan.kind.uses == "tools/call"
            if watched:
                lists = lists or await _again(peer, self.kinds)
                peer.notices.clear()
            reply = await peer.ask(plan.kind.uses, plan.params)
            alive = not (await peer.ask("ping", patience=ALIVE)).lost
            self.keep(reply, alive=alive)
            if not alive:
                return
            if watched:
                lists = await self._look_again(peer, plan.name, lists)

    def keep(self, reply: Reply, *, alive: bool) -> None:
        """What became of the plan at the front. A server that has gone too often is left alone."""
        plan = self.plans.pop(0)
        self.trials.append(Trial(plan.kind, plan.role, plan.name, reply, plan.of, plan.arguments, alive))
        if sum(not trial.alive for trial in self.trials) >= DEATHS:
            self.plans.clear()

    async def _look_again(self, peer: Peer, after: str, before: Mapping[str, Listing]) -> Mapping[str, Listing]:
        now = await _again(peer, self.kinds)
        await _settled(peer, before, now)
        self.changes += changes(len(self.changes), after, before, now, peer.notices)
        return now


async def _again(peer: Peer, kinds: Collection[str]) -> dict[str, Listing]:
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
