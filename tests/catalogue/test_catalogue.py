"""The list of invariants is complete and ordered by hand, and each has its page."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import pytest_invariants.catalogue as package
from pytest_invariants.catalogue import CATALOGUE
from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.registry.model import Manner, Reference, Surface

from tests.probe.samples import AT

ROOT = Path(package.__file__).parent
MODULES = sorted(path for path in ROOT.glob("*/*.py") if path.name != "__init__.py")
SECTIONS = ["What it states", "Why it matters", "A failing example", "The repair", "Its limits"]


def named(invariant: Invariant) -> str:
    return invariant.id


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_every_file_is_one_invariant_of_the_list(path: Path) -> None:
    module = import_module(f"pytest_invariants.catalogue.{path.parent.name}.{path.stem}")
    invariant = module.INVARIANT
    assert invariant in CATALOGUE
    assert (invariant.id, invariant.family) == (path.stem.replace("_", "-"), path.parent.name)
    assert invariant.page == module.__doc__


def test_nothing_is_listed_twice_or_comes_from_elsewhere() -> None:
    assert len({invariant.id for invariant in CATALOGUE}) == len(CATALOGUE) == len(MODULES)


@pytest.mark.parametrize("invariant", CATALOGUE, ids=named)
def test_every_page_has_its_sections(invariant: Invariant) -> None:
    lines = invariant.page.splitlines()
    assert invariant.summary.endswith(".")
    assert len(invariant.summary) < 120
    assert [line for line in lines if line in SECTIONS] == SECTIONS


@pytest.mark.parametrize("invariant", CATALOGUE, ids=named)
def test_every_invariant_can_be_asked(invariant: Invariant) -> None:
    assert invariant.prove or invariant.play or invariant.serve


@pytest.mark.parametrize(
    ("scope", "asked_of", "manner", "suits"),
    [
        (Scope.SURFACE, None, Manner.NAMED, True),
        (Scope.SURFACE, Manner.NAMED, Manner.NAMED, True),
        (Scope.SURFACE, Manner.NAMED, Manner.BOTH, True),
        (Scope.SURFACE, Manner.NAMED, Manner.BROWSE, False),
        (Scope.SURFACE, None, None, False),
        (Scope.RUN, None, None, True),
        (Scope.RUN, None, Manner.NAMED, False),
    ],
)
def test_what_an_invariant_is_asked_of(
    scope: Scope, asked_of: Manner | None, manner: Manner | None, suits: bool
) -> None:
    surface = None if manner is None else Surface("a", Reference("a", "b"), manner, AT)
    assert Invariant("one", "doors", scope, "One.", manner=asked_of).suits(surface) is suits


def test_the_catalogue_loads_without_the_test_machinery() -> None:
    """The command that only reads starts without Hypothesis, syrupy and pytest."""
    code = (
        "import sys, pytest_invariants.catalogue as c; "
        "print([m for m in ('hypothesis', 'syrupy', 'pytest') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
