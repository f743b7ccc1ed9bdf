"""paths-agree, central-holds, resident-own-tools and reason-given."""

from __future__ import annotations

import pytest
from pytest_invariants.catalogue.residency import central_holds, paths_agree, reason_given, resident_own_tools
from pytest_invariants.probe.host import Facts, Host
from pytest_invariants.registry.model import Reference, Residency
from pytest_invariants.verdict import Finding, Reason, Verdict

from tests.catalogue.small import Small, finding_of
from tests.probe.samples import AT

CENTRAL = frozenset({"clock", "load_skill"})
EMPTY: frozenset[str] = frozenset()
OWN = {"notes": {"note_add"}}
NAMESPACE = {"bank__pay", "bank__list"}


def with_loader() -> frozenset[str]:
    return CENTRAL | {"note_add"}


async def without_loader() -> list[str]:
    return sorted(with_loader())


def central_only() -> frozenset[str]:
    return CENTRAL


def residency(*, central: str | None = "CENTRAL", **paths: str) -> Residency:
    names = {path: Reference(__name__, name) for path, name in paths.items()}
    return Residency(None if central is None else Reference(__name__, central), names, AT)


class Resident(Small):
    """Honest: the union of the list and the own tools of the resident skill."""

    def open(self, facts: Facts) -> None:
        super().open(facts)
        self.with_loader = facts.with_loader
        self.path = facts.path
        self.extra: set[str] = set()

    def resident(self) -> set[str]:
        return CENTRAL.union(OWN["notes"]) | self.extra

    def resident_skills(self) -> list[str]:
        return ["notes"]

    def own_tools(self, skill: str) -> set[str]:
        return OWN[skill]

    def parts(self, skill: str) -> set[str]:
        return OWN[skill] | NAMESPACE

    def reload(self) -> None:
        self.extra = set()

    def declare_resident(self, reason: str | None) -> None:
        if reason is None or not reason.strip():
            raise ValueError("availability_reason says why the skill has to be in every request")


class LosesOne(Resident):
    """Without a loader the skill's own tools are not looked up."""

    def resident(self) -> set[str]:
        return super().resident() if self.with_loader else set(CENTRAL)


class LosesOneLater(Resident):
    def reload(self) -> None:
        self.extra = {"note_find"} if self.with_loader else set()


class NothingResident(Resident):
    def resident(self) -> set[str]:
        return set()


class ThirdPath(Resident):
    def resident(self) -> set[str]:
        return super().resident() - ({"clock"} if self.path == "bridge" else set())


class TakesAway(Resident):
    """What is declared replaces the list."""

    def resident(self) -> set[str]:
        return set(OWN["notes"])


class AddsNamespaces(Resident):
    def resident(self) -> set[str]:
        return super().resident() | NAMESPACE


class ForgetsOwn(Resident):
    def resident(self) -> set[str]:
        return set(CENTRAL)


class NoSkillResident(Resident):
    def resident_skills(self) -> list[str]:
        return []


def outcome(finding: Finding) -> tuple[Verdict, Reason | None]:
    return finding.verdict, finding.reason


@pytest.mark.parametrize(
    ("host", "paths", "verdict", "reason"),
    [
        (Resident, None, Verdict.HELD, None),
        (LosesOne, None, Verdict.REFUTED, Reason.DISAGREES),
        (LosesOneLater, None, Verdict.REFUTED, Reason.DISAGREES),
        (NothingResident, None, Verdict.REFUTED, Reason.NOT_SHOWN),
        (ThirdPath, None, Verdict.HELD, None),
        (ThirdPath, residency(loader="with_loader", bridge="with_loader"), Verdict.REFUTED, Reason.DISAGREES),
        (Small, None, Verdict.UNEXAMINED, None),
        (Small, residency(loader="with_loader", loaderless="without_loader"), Verdict.HELD, None),
        (Small, residency(loader="with_loader", loaderless="central_only"), Verdict.REFUTED, Reason.DISAGREES),
    ],
)
def test_paths_agree(host: type[Host], paths: Residency | None, verdict: Verdict, reason: Reason | None) -> None:
    assert outcome(finding_of(paths_agree.INVARIANT, host, residency=paths)) == (verdict, reason)


def test_the_lost_tool_and_the_moment_are_named() -> None:
    finding = finding_of(paths_agree.INVARIANT, LosesOneLater)
    assert "`note_find` is resident on `loader` and not on `loaderless`" in finding.message
    assert "after reloading" in finding.message


@pytest.mark.parametrize(
    ("host", "rows", "verdict", "reason"),
    [
        (Resident, residency(), Verdict.HELD, None),
        (TakesAway, residency(), Verdict.REFUTED, Reason.DISAGREES),
        (Resident, residency(central=None), Verdict.UNEXAMINED, None),
        (Resident, None, Verdict.UNEXAMINED, None),
        (Resident, residency(central="EMPTY"), Verdict.REFUTED, Reason.NOT_SHOWN),
        (Resident, residency(central="no_such_list"), Verdict.REFUTED, Reason.HARNESS),
        (Small, residency(), Verdict.UNEXAMINED, None),
        (Small, residency(loader="with_loader"), Verdict.HELD, None),
    ],
)
def test_the_central_list_holds(
    host: type[Host], rows: Residency | None, verdict: Verdict, reason: Reason | None
) -> None:
    assert outcome(finding_of(central_holds.INVARIANT, host, residency=rows)) == (verdict, reason)


@pytest.mark.parametrize("rows", [residency(), None])
@pytest.mark.parametrize(
    ("host", "verdict", "reason"),
    [
        (Resident, Verdict.HELD, None),
        (AddsNamespaces, Verdict.REFUTED, Reason.DISAGREES),
        (ForgetsOwn, Verdict.REFUTED, Reason.DISAGREES),
        (Small, Verdict.UNEXAMINED, None),
        (NoSkillResident, Verdict.UNEXAMINED, None),
    ],
)
def test_a_resident_skill_adds_its_own_tools(
    host: type[Host], verdict: Verdict, reason: Reason | None, rows: Residency | None
) -> None:
    more = {} if host is NoSkillResident else {"residency": rows}
    assert outcome(finding_of(resident_own_tools.INVARIANT, host, **more)) == (verdict, reason)


class TakesBlank(Resident):
    def declare_resident(self, reason: str | None) -> None:
        if not reason:
            raise ValueError("say why")


class TakesNone(Resident):
    def declare_resident(self, reason: str | None) -> None:
        if reason is not None and not reason.strip():
            raise ValueError("say why")


class SaysNothing(Resident):
    def declare_resident(self, reason: str | None) -> None:
        if reason is None or not reason.strip():
            raise ValueError


class TakesNoReason(Resident):
    def declare_resident(self, reason: str | None) -> None:
        raise ValueError("never")


@pytest.mark.parametrize(
    ("host", "verdict", "reason"),
    [
        (Resident, Verdict.HELD, None),
        (TakesBlank, Verdict.REFUTED, Reason.FAILS_OPEN),
        (TakesNone, Verdict.REFUTED, Reason.FAILS_OPEN),
        (SaysNothing, Verdict.REFUTED, Reason.NOT_SHOWN),
        (TakesNoReason, Verdict.REFUTED, Reason.NOT_SHOWN),
        (Small, Verdict.UNEXAMINED, None),
    ],
)
def test_a_reason_is_given(host: type[Host], verdict: Verdict, reason: Reason | None) -> None:
    assert outcome(finding_of(reason_given.INVARIANT, host)) == (verdict, reason)
