"""child-bounded: each of the three policies, with an honest child and with those that have too much or too little."""

from __future__ import annotations

import pytest
from pytest_invariants.catalogue.doors.child_bounded import INVARIANT
from pytest_invariants.probe.host import Facts, Host, Outcome
from pytest_invariants.verdict import Finding, Reason, Verdict

from tests.catalogue import small
from tests.catalogue.small import CATEGORIES, Small, finding_of
from tests.probe.samples import seal


class Parent(Small):
    """Its children work for the same thread."""

    category: str | None
    parent: Parent | None = None

    def child_category(self) -> str | None:
        return self.category

    def spawn_child(self) -> Host:
        child = type(self)()
        child.parent = self
        child.category = self.child_category()
        return child


class Worker(Parent):
    """Its children work in a category of their own."""

    def child_category(self) -> str | None:
        return "bank"


class Both(Worker):
    """A child asks for itself and for its parent."""

    def closed(self, skill: str) -> bool:
        return super().closed(skill) or (self.parent is not None and self.parent.closed(skill))


class AsksForTheParent(Worker):
    def closed(self, skill: str) -> bool:
        return self.parent.closed(skill) if self.parent else super().closed(skill)


class AllOrNothing(Both):
    """One no to the parent closes the whole child."""

    def closed(self, skill: str) -> bool:
        return super().closed(skill) or (self.parent is not None and any(map(self.parent.closed, self.skills)))


class NeverAsks(Parent):
    def closed(self, skill: str) -> bool:
        return self.parent is None and super().closed(skill)


class Inherits(Worker):
    """What the parent had when it was spawned goes over to the child."""

    def spawn_child(self) -> Host:
        child = super().spawn_child()
        assert isinstance(child, Inherits)
        child.opened = [skill for skill in self.skills if not self.closed(skill)]
        return child

    def closed(self, skill: str) -> bool:
        return super().closed(skill) and skill not in getattr(self, "opened", ())


class Narrow(Parent):
    """A child does less, by its own choice."""

    def activate(self, *names: str) -> Outcome:
        return super().activate(*names) if self.parent is None or names == ("ledger",) else Outcome(False)


class Silent(Parent):
    def activate(self, *names: str) -> Outcome:
        return super().activate(*names) if self.parent is None else Outcome(False)

    def index(self) -> list[str]:
        return [skill for skill in self.skills if self.parent is None and not self.closed(skill)]


class OnlyIndex(Host):
    """A child with fewer surfaces than its parent."""

    skills = Small.skills
    parent: Parent

    def open(self, facts: Facts) -> None:
        raise NotImplementedError

    def index(self) -> list[str]:
        return [skill for skill in self.skills if not small.sealed(CATEGORIES[skill], self.parent.category)]

    def seal_arguments(self, skill: str) -> dict[str, object]:
        return dict(self.parent.seal_arguments(skill))


class FewerSurfaces(Parent):
    def spawn_child(self) -> Host:
        child = OnlyIndex()
        child.parent = self
        return child


def found(host: type[Host], mode: str | None) -> Finding:
    return finding_of(INVARIANT, host, policies={"child": mode} if mode else {})


@pytest.mark.parametrize(
    ("mode", "host"),
    [
        ("ceiling", Parent),
        ("ceiling", Narrow),
        ("ceiling", FewerSurfaces),
        ("ceiling", Both),
        ("independent", Worker),
        ("intersection", Both),
    ],
)
def test_an_honest_child_holds(mode: str, host: type[Host]) -> None:
    finding = found(host, mode)
    assert finding.verdict is Verdict.HELD, finding


@pytest.mark.parametrize(
    ("mode", "host", "reason", "said"),
    [
        ("ceiling", Worker, Reason.LEAKED, "lists `payroll`, and its parent does not"),
        ("ceiling", NeverAsks, Reason.LEAKED, "though the seal says no to everything"),
        ("ceiling", Inherits, Reason.LEAKED, "though the seal says no to everything"),
        ("ceiling", Silent, Reason.NOT_SHOWN, "a child shows nothing at all"),
        ("independent", AsksForTheParent, Reason.DISAGREES, "which the policy `child: independent` gives it"),
        ("independent", Both, Reason.DISAGREES, "asked with thread_category='office'"),
        ("independent", Inherits, Reason.LEAKED, "of a child lists `ledger`"),
        ("independent", NeverAsks, Reason.LEAKED, "though the seal says no to everything"),
        (
            "intersection",
            Worker,
            Reason.LEAKED,
            "though the seal says no to ledger asked with thread_category='office'",
        ),
        ("intersection", AsksForTheParent, Reason.LEAKED, "asked with thread_category='bank' and yes to the rest"),
        ("intersection", AllOrNothing, Reason.DISAGREES, "of a child does not list `notes`, `payroll`"),
    ],
)
def test_a_mutant_falls(mode: str, host: type[Host], reason: Reason, said: str) -> None:
    finding = found(host, mode)
    assert (finding.verdict, finding.reason) == (Verdict.REFUTED, reason), finding
    assert said in finding.message
    assert finding.trace[0].note.startswith("an agent opens with category")


class Unsealed(Parent):
    """The own seal closes nothing to anybody."""

    def closed(self, skill: str) -> bool:
        return lenient(CATEGORIES[skill], self.category)


def lenient(categories: tuple[str, ...], thread_category: str | None) -> bool:
    return False


@pytest.mark.parametrize(
    ("mode", "host", "said"),
    [
        (None, Parent, "declares no policy `child`"),
        ("ceiling", Small, "the host has no `spawn_child`"),
        ("independent", Parent, "name the same principal"),
        ("intersection", Parent, "name the same principal"),
    ],
)
def test_what_cannot_be_told_is_not_examined(mode: str | None, host: type[Host], said: str) -> None:
    finding = found(host, mode)
    assert finding.verdict is Verdict.UNEXAMINED, finding
    assert said in finding.message


def test_a_ceiling_that_is_never_reached_is_not_examined() -> None:
    finding = finding_of(INVARIANT, Unsealed, policies={"child": "ceiling"}, row=seal(f"{__name__}:lenient"))
    assert finding.verdict is Verdict.UNEXAMINED, finding
    assert "closes nothing to the parent" in finding.message
