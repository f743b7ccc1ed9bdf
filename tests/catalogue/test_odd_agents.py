"""Agents that are honest in unusual ways, and the mutants beside them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import lru_cache

import pytest
from pytest_invariants.catalogue.doors import browse_silent, group_sealed, order_whole, refusal_truthful, seal_decides
from pytest_invariants.catalogue.doors import surfaces_agree as agree
from pytest_invariants.catalogue.table import table_stable
from pytest_invariants.probe.host import Facts, Host, Outcome
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.registry.model import Cache, Manner, Reference, VerdictKind
from pytest_invariants.verdict import Finding, Reason, Verdict

from tests.catalogue import small
from tests.catalogue.small import CATEGORIES, Small, finding_of, small_registry
from tests.probe.samples import AT, seal


@lru_cache
def remembered(skill: str, category: str | None) -> bool:
    return small.sealed(CATEGORIES[skill], category)


class Caching(Small):
    """Right, as the key holds the subject and the principal."""

    def closed(self, skill: str) -> bool:
        return remembered(skill, self.category)


def cached(*references: str) -> Finding:
    rows = small_registry(Caching)
    declared = tuple(Cache(Reference(__name__, name), ("subject", "principal"), AT) for name in references)
    session = ProbeSession(replace(rows, caches=declared))
    assert seal_decides.INVARIANT.play is not None
    return seal_decides.INVARIANT.play(session, rows.surfaces[1])


def test_a_cache_is_right_where_it_is_declared() -> None:
    assert cached("remembered").verdict is Verdict.HELD
    remembered.cache_clear()
    assert cached().reason is Reason.STALE_VERDICT
    remembered.cache_clear()


class Bridge(Small):
    """One surface that lists and acts."""

    def bridge(self, *names: str) -> object:
        return self.activate(*names) if names else self.index()


class BridgeLists(Bridge):
    def bridge(self, *names: str) -> object:
        return self.activate(*names) if names else list(self.skills)


class BridgeActs(Bridge):
    def bridge(self, *names: str) -> object:
        return Outcome(True) if names else self.index()


@pytest.mark.parametrize(
    ("host", "reason"), [(Bridge, None), (BridgeLists, Reason.LEAKED), (BridgeActs, Reason.LEAKED)]
)
def test_a_surface_of_both_manners_answers_twice(host: type[Host], reason: Reason | None) -> None:
    more = {"surfaces": {"bridge": Manner.BOTH}}
    assert finding_of(seal_decides.INVARIANT, host, "bridge", **more).reason is reason


def test_hidden_but_callable_excuses_the_call_and_not_the_list() -> None:
    more = {"surfaces": {"bridge": Manner.BOTH}, "hidden": ("bridge",)}
    assert finding_of(seal_decides.INVARIANT, BridgeActs, "bridge", **more).verdict is Verdict.HELD
    assert finding_of(seal_decides.INVARIANT, BridgeLists, "bridge", **more).reason is Reason.LEAKED


class ClosedEarly(Small):
    """Does not even open while anything is sealed."""

    def open(self, facts: Facts) -> None:
        super().open(facts)
        if all(self.closed(skill) for skill in self.skills):
            raise PermissionError("nothing to do here")

    def parts(self, skill: str) -> list[str]:
        return [f"{skill}_run"]

    def reach(self, part: str) -> Outcome:
        return self.activate(part.removesuffix("_run"))

    def restart(self) -> None:
        self.open(Facts(category=self.category))


def test_an_agent_that_does_not_open_lets_nothing_out() -> None:
    assert finding_of(seal_decides.INVARIANT, ClosedEarly, "activate").verdict is Verdict.HELD
    assert finding_of(seal_decides.INVARIANT, ClosedEarly, "index", policies={"table": "per-step"}).passes
    assert finding_of(agree.INVARIANT, ClosedEarly).verdict is Verdict.HELD
    assert finding_of(browse_silent.INVARIANT, ClosedEarly, "index", policies={"table": "per-step"}).passes
    assert finding_of(group_sealed.INVARIANT, ClosedEarly, policies={"table": "per-step"}).passes
    assert finding_of(order_whole.INVARIANT, ClosedEarly, "activate", policies={"table": "per-step"}).passes


class NeverPends(Small):
    def pend(self, skill: str) -> None:
        self.pending = skill

    def approve(self) -> Outcome:
        return Outcome(False, "there is nothing to approve")


class ChildIsNoHost(Small):
    def spawn_child(self) -> str:
        return "a child"


@pytest.mark.parametrize(("host", "reason"), [(NeverPends, Reason.NOT_SHOWN), (ChildIsNoHost, Reason.HARNESS)])
def test_levers_that_do_nothing_are_found_out(host: type[Host], reason: Reason) -> None:
    assert finding_of(agree.INVARIANT, host).reason is reason


class BrokenLever(Small):
    def reload(self) -> None:
        raise OSError("the folder is gone")


def test_a_lever_that_breaks_where_all_is_allowed_is_the_hosts_fault() -> None:
    finding = finding_of(agree.INVARIANT, BrokenLever)
    assert finding.reason is Reason.HARNESS
    assert "`BrokenLever.reload` raised OSError: the folder is gone" in finding.message


@contextlib.asynccontextmanager
async def admitted(categories: tuple[str, ...], thread_category: str | None) -> AsyncIterator[None]:
    if categories and thread_category not in categories:
        raise PermissionError(categories)
    yield


class Admits(Small):
    async def lets(self, skill: str) -> bool:
        try:
            async with admitted(CATEGORIES[skill], self.category):
                return True
        except PermissionError:
            return False

    async def index(self) -> list[str]:  # type: ignore[override]
        return [skill for skill in self.skills if await self.lets(skill)]

    async def activate(self, *names: str) -> Outcome:  # type: ignore[override]
        return Outcome(await self.lets(names[0]))


def test_a_seal_that_is_entered_asynchronously() -> None:
    row = seal(f"{__name__}:admitted", VerdictKind.ENTERS)
    assert finding_of(seal_decides.INVARIANT, Admits, "index", row=row).verdict is Verdict.HELD
    assert finding_of(seal_decides.INVARIANT, Admits, "activate", row=row).verdict is Verdict.HELD


class NamesTheUnknown(Small):
    """What is unknown is told apart by the host, which has a name for it."""

    def unknown(self) -> str:
        return "zebra"

    def activate(self, *names: str) -> Outcome:
        assert names != ("no-such-skill",)
        return super().activate(*names)


def test_the_host_may_name_what_is_unknown() -> None:
    assert finding_of(refusal_truthful.INVARIANT, NamesTheUnknown, "activate", policies={"refusal": "truthful"}).passes
    assert finding_of(order_whole.INVARIANT, NamesTheUnknown, "activate").passes


class Leaky(Small):
    def activate(self, *names: str) -> Outcome:
        return Outcome(names[0] in self.skills)


def test_what_leaks_has_no_refusal_to_read() -> None:
    finding = finding_of(refusal_truthful.INVARIANT, Leaky, "activate", policies={"refusal": "truthful"})
    assert finding.reason is Reason.LEAKED


class Leaves(Small):
    """Takes its process down."""

    def open(self, facts: Facts) -> None:
        os._exit(3)

    def table(self) -> list[object]:
        return []


class SometimesClosed(Small):
    """Opens only under one of its facts."""

    def open(self, facts: Facts) -> None:
        super().open(facts)
        if facts.category == "home":
            raise OSError("no home")

    def table(self) -> list[object]:
        return []


@pytest.mark.parametrize(("host", "reason"), [(Leaves, Reason.HARNESS), (SometimesClosed, Reason.NOT_SHOWN)])
def test_processes_that_do_not_answer(host: type[Host], reason: Reason) -> None:
    assert finding_of(table_stable.INVARIANT, host).reason is reason
