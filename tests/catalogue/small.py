"""An agent small enough for a test: three skills, a seal, a listing and an order. Mutants override one method."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pytest_invariants.catalogue.model import Invariant
from pytest_invariants.probe.host import Facts, Host, Listing, Outcome
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.registry.model import Manner, Registry
from pytest_invariants.verdict import Finding

from tests.probe.samples import registry, seal

CATEGORIES = {"ledger": ("office",), "notes": ("home",), "payroll": ("office", "bank")}
SURFACES = {"index": Manner.BROWSE, "activate": Manner.NAMED}


def sealed(categories: tuple[str, ...], thread_category: str | None) -> bool:
    return bool(categories) and thread_category not in categories


class Small(Host):
    """Honest."""

    skills = tuple(CATEGORIES)
    facts = (Facts(category="office"), Facts(category="home"))

    def open(self, facts: Facts) -> None:
        self.category = facts.category

    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        return {"categories": list(CATEGORIES[skill]), "thread_category": self.category}

    def closed(self, skill: str) -> bool:
        return sealed(CATEGORIES[skill], self.category)

    def index(self) -> list[str] | Listing:
        return [skill for skill in self.skills if not self.closed(skill)]

    def activate(self, *names: str) -> Outcome:
        for name in names:
            if name not in self.skills:
                return Outcome(False, f"there is no skill {name}")
            if self.closed(name):
                return Outcome(False, f"{name} is sealed")
        return Outcome(True, "opened")


def small_registry(host: type[Host], module: str = "tests.catalogue.small", **more: object) -> Registry:
    surfaces = more.pop("surfaces", SURFACES)
    row = more.pop("row", None) or seal(f"{module}:sealed")
    reference = f"{host.__module__}:{host.__qualname__}"
    return registry(Path(__file__).parents[2], row, surfaces, reference, **more)  # type: ignore[arg-type]


def finding_of(invariant: Invariant, host: type[Host], surface: str | None = None, **more: object) -> Finding:
    """What the probe half of an invariant finds for one agent."""
    rows = small_registry(host, **more)
    assert invariant.play is not None
    row = next((each for each in rows.surfaces if each.id == surface), None)
    assert (row is None) is (surface is None)
    return invariant.play(ProbeSession(rows), row)
