"""loaded-grows, loaded-follows-history and tail-only."""

from __future__ import annotations

import pytest
from pytest_invariants.catalogue.table import loaded_follows_history, loaded_grows, tail_only
from pytest_invariants.probe.host import Facts, Host
from pytest_invariants.verdict import Reason

from tests.catalogue.shop import CORE, HELD, LACKING, Shop, falls, judged, outcome

FALLS = falls(Reason.AGAINST_POLICY)
GROWS = {"loaded": "grows", "compaction": "keeps"}


class ForgetsOnResume(Shop):
    def resume(self, fresh: bool) -> None:
        self.messages = [] if fresh else self.messages
        self.step()


class SecondRecord(Shop):
    """Keeps a record of its own, which compaction does not reach."""

    def open(self, facts: Facts) -> None:
        self.record: list[str] = []
        super().open(facts)

    def load(self, skill: str) -> None:
        self.record.append(skill)

    def loaded(self) -> list[str]:
        return list(dict.fromkeys(self.record))


class OnlyTwo(Shop):
    def loaded(self) -> list[str]:
        return super().loaded()[-2:]


class Twice(Shop):
    def loaded(self) -> list[str]:
        return list(self.messages)


class Sorted(Shop):
    def loaded(self) -> list[str]:
        return sorted(super().loaded())


class LoadsMore(Shop):
    def load(self, skill: str) -> None:
        self.messages += [skill, "payroll"]


class NeverLoads(Shop):
    def load(self, skill: str) -> None:
        return None


class AllLoaded(Shop):
    """Honest, and shows nothing: all is loaded from the start, and compaction keeps it."""

    def open(self, facts: Facts) -> None:
        super().open(facts)
        self.messages = list(self.skills)

    def compact(self) -> None:
        return None


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (Shop, HELD),
        (ForgetsOnResume, FALLS),
        (SecondRecord, FALLS),
        (OnlyTwo, FALLS),
        (Twice, FALLS),
        (Sorted, FALLS),
        (LoadsMore, FALLS),
        (NeverLoads, falls(Reason.NOT_SHOWN)),
    ],
)
def test_what_is_loaded_follows_the_history(host: type[Host], expected: object) -> None:
    assert outcome(loaded_follows_history.INVARIANT, host) == expected


def test_compaction_that_keeps_is_declared() -> None:
    assert outcome(loaded_follows_history.INVARIANT, SecondRecord, compaction="keeps") == HELD
    assert outcome(loaded_follows_history.INVARIANT, Shop, compaction="keeps") == FALLS
    assert outcome(loaded_follows_history.INVARIANT, AllLoaded, compaction="keeps") == LACKING


def test_the_script_says_what_was_lost_and_when() -> None:
    finding = judged(loaded_follows_history.INVARIANT, ForgetsOnResume)
    assert "no longer count as loaded after the thread is resumed from what was stored" in finding.message
    assert "loaded: ledger, notes, payroll" in [step.note for step in finding.trace]


class Growing(Shop):
    """Honest: within a run it only grows; a new turn begins light."""

    def open(self, facts: Facts) -> None:
        self.run: tuple[str, ...] = ()
        super().open(facts)

    def load(self, skill: str) -> None:
        self.run = tuple(dict.fromkeys((*self.run, skill)))

    def turn(self) -> None:
        self.run = ()
        self.step()

    def loaded(self) -> list[str]:
        return list(self.run)


class Unloads(Growing):
    """Takes the oldest away when a third one comes."""

    def load(self, skill: str) -> None:
        super().load(skill)
        self.run = self.run[-2:]


class LastFirst(Growing):
    def load(self, skill: str) -> None:
        self.run = tuple(dict.fromkeys((skill, *self.run)))


class ShrinksOnCompaction(Growing):
    def compact(self) -> None:
        self.run = ()


class ShrinksOnDrop(Growing):
    def drop(self) -> None:
        super().drop()
        self.run = self.run[:1]


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (Growing, HELD),
        (Unloads, FALLS),
        (LastFirst, FALLS),
        (ShrinksOnCompaction, FALLS),
        (ShrinksOnDrop, FALLS),
    ],
)
def test_what_is_loaded_grows(host: type[Host], expected: object) -> None:
    assert outcome(loaded_grows.INVARIANT, host, **GROWS) == expected


def test_a_set_that_grows_may_be_declared_to_begin_anew_after_compaction() -> None:
    resets = {"loaded": "grows", "compaction": "resets"}
    assert outcome(loaded_grows.INVARIANT, ShrinksOnCompaction, **resets) == HELD
    assert outcome(loaded_grows.INVARIANT, Growing, **resets) == FALLS


def test_each_is_asked_only_of_those_who_declare_it() -> None:
    assert outcome(loaded_grows.INVARIANT, Shop) == LACKING
    assert outcome(loaded_follows_history.INVARIANT, Growing, **GROWS) == LACKING
    assert outcome(loaded_grows.INVARIANT, Shop, loaded="") == LACKING


class SortsAll(Shop):
    def wanted(self) -> list[str]:
        return sorted(super().wanted())


class PutsInFront(Shop):
    def wanted(self) -> list[str]:
        return list(dict.fromkeys((*reversed(super().wanted()),)))


class Counts(Shop):
    """A description tells how much is loaded."""

    def describe(self, name: str) -> str:
        return f"A tool among {len(self.messages)}."


class LastLoadedFirst(Shop):
    def loaded(self) -> list[str]:
        return list(reversed(super().loaded()))


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (Shop, HELD),
        (Growing, HELD),
        (SortsAll, falls(Reason.MOVED)),
        (PutsInFront, falls(Reason.MOVED)),
        (Counts, falls(Reason.MOVED)),
        (LastLoadedFirst, falls(Reason.MOVED)),
        (NeverLoads, LACKING),
    ],
)
def test_what_is_new_stands_behind(host: type[Host], expected: object) -> None:
    assert outcome(tail_only.INVARIANT, host) == expected


def test_the_place_is_named() -> None:
    message = judged(tail_only.INVARIANT, SortsAll).message
    assert "loading `ledger` moves what was there: `load_skill` stood at place" in message


class BuiltinFirst(Shop):
    """Honest in the other way: its own by name, then those of servers by name, none deferred."""

    def wanted(self) -> list[str]:
        own = [name for name in super().wanted() if name in self.core()]
        return [*sorted(own), *sorted(set(self.tools) - set(self.core()))]


class OneList(BuiltinFirst):
    def wanted(self) -> list[str]:
        return sorted(super().wanted())


class Announces(BuiltinFirst):
    def describe(self, name: str) -> str:
        return f"One of {len(self.tools)} tools." if name in CORE else super().describe(name)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (BuiltinFirst, HELD),
        (OneList, falls(Reason.MOVED)),
        (Announces, falls(Reason.MOVED)),
        (Shop, falls(Reason.MOVED)),
    ],
)
def test_the_agents_own_stand_in_front(host: type[Host], expected: object) -> None:
    assert outcome(tail_only.INVARIANT, host, order="builtin-first") == expected


def test_an_order_list_and_no_word_are_no_promise_to_append() -> None:
    assert outcome(tail_only.INVARIANT, SortsAll, order="listed") == LACKING
    assert outcome(tail_only.INVARIANT, SortsAll, order="") == LACKING
