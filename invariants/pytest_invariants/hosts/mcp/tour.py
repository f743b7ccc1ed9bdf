"""The tour of a server: which connections are made, and what is asked on each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import anyio
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS

from pytest_invariants.hosts.mcp.connection import Connection, Line, connected, handshake, opened
from pytest_invariants.hosts.mcp.kinds import KINDS, RESOURCES, TOOLS, Object
from pytest_invariants.hosts.mcp.lists import listings
from pytest_invariants.hosts.mcp.peer import Peer
from pytest_invariants.hosts.mcp.seen import ODD_METHOD, ODD_VERSION, Change, Reply, Seen, Trial, Visit
from pytest_invariants.hosts.mcp.target import ServerError, Target
from pytest_invariants.hosts.mcp.trials import Call, allowed_calls, harmless_uses, unknown_names
from pytest_invariants.hosts.mcp.trying import Trying, changes

PATIENCE = 30.0
"""Seconds that one answer may take, unless the user says otherwise."""
NO_PROMPT = {"type": "ref/prompt", "name": "no_such_prompt_7c1e"}
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Choice:
    """What the user allows: which tools are called, and whether anything that is listed is used without being told."""

    calls: tuple[Call, ...] = ()
    lists_only: bool = False
    patience: float = PATIENCE


@dataclass(slots=True)
class _Tour:
    """What is gathered on the way."""

    target: Target
    choice: Choice
    visits: list[Visit] = field(default_factory=list)
    trials: list[Trial] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    strays: list[str] = field(default_factory=list)
    asked: dict[str, Reply] = field(default_factory=dict)

    async def on(self, use: Callable[[Connection], Awaitable[None]], seed: int = 0) -> None:
        """Use one connection, and keep what came over it that nobody asked for."""

        async def used(connection: Connection) -> None:
            await use(connection)
            self.strays += connection.peer.strays

        await connected(self.target, used, self.choice.patience, seed)

    def seen(self) -> Seen:
        called = {trial.name for trial in self.trials if trial.kind is TOOLS}
        tools = self.visits[0].first.get(TOOLS.lists)
        return Seen(
            target=str(self.target),
            starts=self.target.starts,
            visits=tuple(self.visits),
            trials=tuple(self.trials),
            changes=tuple(self.changes),
            untried=tuple(name for name in (tools.names if tools else ()) if name not in called),
            strays=tuple(dict.fromkeys(self.strays)),
            asked=self.asked,
            revisions=KNOWN_PROTOCOL_VERSIONS,
        )


def look_at(target: Target, choice: Choice, tell: Tell = lambda _: None) -> Seen:
    """Connect to a server several times and write down what it answers.

    Three connections ask for every list twice; over standard streams each is a process of its own, with another hash
    seed. Then names that nothing has are tried, and what the server offers as far as `choice` allows. `tell` hears
    what is being done. Raises ServerError where the server cannot be used at all.
    """
    return anyio.run(_look_at, target, choice, tell)


async def _look_at(target: Target, choice: Choice, tell: Tell) -> Seen:
    tour = _Tour(target, choice)
    place = "process" if target.starts else "session"
    for seed, word in enumerate(("first", "second", "third")):
        tell(f"the lists of the {word} {place} ...")
        await tour.on(_visit(tour, f"the {word} {place}"), seed)
    tell("single questions ...")
    await tour.on(_questions(tour))
    tour.asked["version"] = await opened(target, _odd_version, choice.patience, 0)
    await _trials(tour, tell)
    return tour.seen()


def _visit(tour: _Tour, title: str) -> Callable[[Connection], Awaitable[None]]:
    async def visit(connection: Connection) -> None:
        peer, capabilities = connection.peer, capabilities_of(connection.greeting)
        first = await listings(peer, capabilities)
        second = await listings(peer, capabilities)
        tour.visits.append(Visit(title, connection.greeting, first, second))
        tour.changes += changes(len(tour.changes), "", first, second, peer.notices)

    return visit


def _questions(tour: _Tour) -> Callable[[Connection], Awaitable[None]]:
    """Single requests: what is always there, what is never there, and what the server declares or does not."""

    async def ask(connection: Connection) -> None:
        peer, capabilities = connection.peer, capabilities_of(connection.greeting)
        wanted: list[tuple[str, Object]] = [("ping", {}), (ODD_METHOD, {})]
        wanted += [(kind.lists, {}) for kind in KINDS if kind.capability not in capabilities]
        resources = tour.visits[0].first.get(RESOURCES.lists)
        if resources and resources.names and _subscribes(capabilities):
            address = {"uri": resources.names[0]}
            wanted += [("resources/subscribe", address), ("resources/unsubscribe", address)]
        wanted += [
            ("logging/setLevel", {"level": "warning"}),
            ("completion/complete", {"ref": NO_PROMPT, "argument": {"name": "none", "value": ""}}),
        ]
        for method, params in wanted:
            tour.asked[method] = await peer.ask(method, params)

    return ask


async def _odd_version(peer: Peer, _line: Line) -> Reply:
    """What a server says to a client that speaks a version which never was."""
    return await peer.ask("initialize", handshake(ODD_VERSION))


async def _trials(tour: _Tour, tell: Tell) -> None:
    """Each trial in turn; where one ends the connection, the rest goes on over a new one."""
    first = tour.visits[0].first
    plans = [*unknown_names(first)]
    plans += () if tour.choice.lists_only else harmless_uses(first)
    plans += allowed_calls(tour.choice.calls)
    trying = Trying(plans, first, tell, tour.trials, tour.changes)
    while trying.plans:
        try:
            await tour.on(lambda connection: trying.go_on(connection.peer))
        except ServerError as error:
            trying.keep(Reply(lost=str(error).partition("\n")[0]), alive=False)


def _subscribes(capabilities: Object) -> bool:
    declared = capabilities.get(RESOURCES.capability)
    return isinstance(declared, dict) and declared.get("subscribe") is True


def capabilities_of(greeting: Object) -> Object:
    """What the server declares."""
    found = greeting.get("capabilities")
    return found if isinstance(found, dict) else {}
