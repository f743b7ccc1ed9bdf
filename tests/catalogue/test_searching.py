"""search-iff-deferred and search-fills-slots."""

from __future__ import annotations

import pytest
from pytest_invariants.catalogue.table import search_fills_slots, search_iff_deferred
from pytest_invariants.probe.host import Host
from pytest_invariants.verdict import Reason

from tests.catalogue.shop import HELD, LACKING, OWN, Shop, falls, judged, outcome

FALLS = falls(Reason.DISAGREES)


class AlwaysThere(Shop):
    """The search tool is shown also where nothing can be found."""

    def routed(self):  # type: ignore[no-untyped-def]
        router = super().routed()
        return type(router)(tuple(dict.fromkeys((*router.visible, "tool_search"))), router.searchable, router.tools)


class NeverThere(Shop):
    def table(self) -> list[dict[str, object]]:
        return [entry for entry in super().table() if entry["name"] != "tool_search"]


class DefersWhatIsShown(Shop):
    def searchable(self) -> list[str]:
        return [*super().searchable(), "clock"] if self.searches else []


class FindsWhatIsShown(Shop):
    def search(self, query: str, limit: int) -> list[str]:
        return [*super().search(query, limit), "clock"]


class LosesOne(Shop):
    def search(self, query: str, limit: int) -> list[str]:
        return [name for name in super().search(query, limit) if name != "bank_pay"]


class DefersNothing(Shop):
    searches = False  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (Shop, HELD),
        (AlwaysThere, FALLS),
        (NeverThere, FALLS),
        (DefersWhatIsShown, FALLS),
        (FindsWhatIsShown, FALLS),
        (LosesOne, FALLS),
        (DefersNothing, LACKING),
    ],
)
def test_a_search_is_there_if_there_is_something_to_find(host: type[Host], expected: object) -> None:
    assert outcome(search_iff_deferred.INVARIANT, host) == expected


def test_both_directions_are_told_apart() -> None:
    lost, idle = (judged(search_iff_deferred.INVARIANT, host).message for host in (NeverThere, AlwaysThere))
    assert "`tool_search` is not in the table, and nobody finds `bank_balance`, `bank_pay`" in lost
    assert "`tool_search` is in the table and no tool is deferred, with no category" in idle


class CutsFirst(Shop):
    """The best hits are cut off before what is sealed is left out."""

    def search(self, query: str, limit: int) -> list[str]:
        every = [name for name in self.tools if name in self.router.searchable or name in sum(OWN.values(), ())]
        closed = {tool for skill in self.skills if self.closed(skill) for tool in OWN[skill]}
        return [name for name in self.ranked(query, every)[:limit] if name not in closed]


class Leaks(Shop):
    def search(self, query: str, limit: int) -> list[str]:
        return self.ranked(query, [name for name in self.tools if name not in self.wanted()])[:limit]


class IgnoresTheLimit(Shop):
    def search(self, query: str, limit: int) -> list[str]:
        return super().search(query, 100)


class NothingRanks(Shop):
    """No tool of a skill is deferred."""

    def deferred(self) -> tuple[str, ...]:
        return tuple(name for name in super().deferred() if name.startswith("bank"))


class NobodysTools(Shop):
    own_tools = None  # type: ignore[assignment]

    def wanted(self) -> list[str]:
        return list(self.first())


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (Shop, HELD),
        (CutsFirst, falls(Reason.STARVED)),
        (Leaks, falls(Reason.LEAKED)),
        (IgnoresTheLimit, falls(Reason.STARVED)),
        (NothingRanks, LACKING),
        (NobodysTools, LACKING),
    ],
)
def test_a_search_fills_its_places(host: type[Host], expected: object) -> None:
    assert outcome(search_fills_slots.INVARIANT, host) == expected


def test_the_places_are_counted() -> None:
    finding = judged(search_fills_slots.INVARIANT, CutsFirst)
    words = "a search with limit 3 finds 2 tools, and 4 allowed ones match, while the seal says no to ledger"
    assert words in finding.message
