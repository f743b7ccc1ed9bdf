"""What a host or a registry lacks for one invariant is said by name, and nothing is held because of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from pytest_invariants.catalogue import CATALOGUE
from pytest_invariants.catalogue.model import Scope
from pytest_invariants.probe.growth import LEVERS
from pytest_invariants.probe.host import Facts, Host, Outcome
from pytest_invariants.registry.model import Manner, Reference, Residency, Surface
from pytest_invariants.verdict import Verdict

from tests.catalogue.desk import Desk
from tests.catalogue.shop import POLICIES, Shop
from tests.catalogue.small import Small, finding_of
from tests.catalogue.test_residency import Resident
from tests.probe.samples import AT

INVARIANTS = {invariant.id: invariant for invariant in CATALOGUE}


class Mute(Small):
    """It does not say what the seal is asked about."""

    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        return {}

    def parts(self, skill: str) -> list[str]:
        return [skill]

    def reach(self, part: str) -> Outcome:
        return self.activate(part)

    def forge(self, skill: str) -> None:
        """There is no history."""


class Bare(Host):
    """It opens, and that is all."""

    skills = Small.skills

    def open(self, facts: Facts) -> None:
        """There is nothing to open."""


class Still(Shop):
    """Nothing can be done to it."""


for _lever, _ in LEVERS:
    setattr(Still, _lever, None)


class WithoutParts(Resident):
    parts = None  # type: ignore[assignment]


class ReadsOnly(Desk):
    def writers(self) -> tuple[str, ...]:
        return ()


def wants(facts: Facts) -> frozenset[str]:
    raise AssertionError("it is not called without its facts")


def no_more() -> frozenset[str]:
    return frozenset()


NO_LIST = Residency(None, {"one": Reference(__name__, "no_more")}, AT)
NOT_SAID = "`seal_arguments` do not say what the seal is asked about"


@dataclass(frozen=True)
class Case:
    """One question, and what has to be said of it."""

    invariant: str
    host: type[Host]
    said: str
    surface: str | None = None
    more: Mapping[str, object] = field(default_factory=dict)


CASES = [
    Case("aliases-sealed", Mute, NOT_SAID, "activate"),
    Case("refusal-truthful", Mute, NOT_SAID, "activate", {"policies": {"refusal": "truthful"}}),
    Case("group-sealed", Mute, NOT_SAID),
    Case("order-whole", Mute, "do not tell at least two skills apart", "activate"),
    Case("browse-silent", Small, "a surface that is asked by name may explain", "activate"),
    Case("facts-missing-seal", Bare, "the host has no method for any surface"),
    Case("mask-follows-policy", Still, "no lever that could change what is loaded", None, {"policies": POLICIES}),
    Case("resident-own-tools", WithoutParts, "foreign tools cannot be told", None, {"residency": NO_LIST}),
    Case("write-once", ReadsOnly, "the host's `writers` names no tool"),
    Case(
        "table-snapshot",
        Small,
        "wants` wants arguments; give the host a method `seen` that calls it",
        None,
        {"snapshots": {"seen": Reference(__name__, "wants")}},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.invariant)
def test_what_is_lacking_is_said(case: Case) -> None:
    finding = finding_of(INVARIANTS[case.invariant], case.host, case.surface, **case.more)
    assert finding.verdict is Verdict.UNEXAMINED, finding
    assert case.said in finding.message


@pytest.mark.parametrize("id", ["seal-consulted", "seal-sole"])
def test_a_proof_is_asked_of_what_it_is_about(id: str) -> None:
    invariant = INVARIANTS[id]
    surface = Surface("a", Reference("a", "b"), Manner.NAMED, AT)
    assert invariant.prove is not None
    with pytest.raises(ValueError, match=f"{id} is asked of"):
        invariant.prove(None, None if invariant.scope is Scope.SURFACE else surface)  # type: ignore[arg-type]
