"""An order list seats the tools that it names, and the rest goes, by name, where its marker stands.

What it states
    The tools that an order list names take their seats, in its order; a seat may stay empty; all others stand, sorted
    by name, where the marker is. A list without the marker fails when the table is assembled, not later and not
    silently.

Why it matters
    The order is what keeps the bytes in front the same. Without a place for what the list does not name, a tool that
    is added tomorrow is lost, or lands anywhere.

A failing example
    ::

        return sorted(tools, key=lambda tool: order.index(tool.name) if tool.name in order else len(order))

    Refuted, `disagrees`: with the marker in front of `clock`, the rest comes behind it. Seats counted from the marker
    hold.

The repair
    Give the marker a seat like any other, sort by seat and then by name, and check the list when it is read.

Its limits
    Lists are made of the names that are in the table under the usual facts. Sorted means by code points, or without
    regard to case.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.agent import REFUSALS
from pytest_invariants.probe.answers import Fallen, Lacking, of_run
from pytest_invariants.probe.host import HostError
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.verdict import Reason

ID = "order-marker"
MARKER = "<unlisted-tools>"
ABSENT = "no-such-tool"
LEAST = 3
"""Tools that a table has to have, so that an order shows."""

Order = tuple[str, ...]


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("arranged")
    with session.stage() as stage:
        names = stage.agent.names("arranged", (MARKER,))
        if len(names) < LEAST:
            raise Lacking(f"the table has {len(names)} tools, too few for an order to show")
        orders = list(_orders(sorted(names)))
        for order in orders:
            _follow(stage, order, names)
        broken = [tuple(order[:1]) for order in orders[1:3]] + [()]
        for order in broken:
            _refuse(stage, order)
    return f"{len(orders)} order lists were followed, and {len(broken)} without the marker refused"


def _orders(names: list[str]) -> Iterator[Order]:
    first, second, *_, last = names
    yield (MARKER,)
    yield (last, MARKER)
    yield (second, first, MARKER)
    yield (MARKER, first)
    yield (last, MARKER, second, first)
    yield (ABSENT, second, MARKER, ABSENT + "-2", first)


def _follow(stage: Stage, order: Order, names: Order) -> None:
    got = stage.agent.names("arranged", order)
    wanted = [_seated(order, names, fold) for fold in (False, True)]
    if got not in wanted:
        place = next((at for at, pair in enumerate(zip(got, wanted[0], strict=False)) if pair[0] != pair[1]), len(got))
        there = f"`{got[place]}`" if place < len(got) else "nothing"
        due = f"`{wanted[0][place]}`" if place < len(wanted[0]) else "nothing"
        message = f"with the order {_listed(order)} place {place + 1} holds {there}, and {due} belongs there"
        remedy = "give the marker a seat like any other, and sort by seat and then by name"
        raise Fallen(Reason.DISAGREES, message, remedy, (*stage.script, f"the table is {', '.join(got)}"))


def _seated(order: Order, names: Order, fold: bool) -> Order:
    rest = sorted(set(names) - set(order), key=lambda name: (name.casefold() if fold else name, name))
    seats = ([name] if name != MARKER else rest for name in order if name == MARKER or name in names)
    return tuple(name for seat in seats for name in seat)


def _refuse(stage: Stage, order: Order) -> None:
    try:
        got = stage.agent.names("arranged", order)
    except HostError:
        raise
    except REFUSALS:
        return
    message = f"the order {_listed(order)} has no marker, and a table of {len(got)} tools is made with it"
    raise Fallen(Reason.FAILS_OPEN, message, "refuse a list without the marker when it is read", tuple(stage.script))


def _listed(order: Order) -> str:
    return f"[{', '.join(order)}]"


INVARIANT = Invariant(id=ID, family="table", scope=Scope.RUN, page=__doc__ or "", play=play)
