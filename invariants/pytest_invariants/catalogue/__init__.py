"""The invariants, in the order in which they are asked and reported. A new one is added here by hand, never found."""

from __future__ import annotations

from pytest_invariants.catalogue.doors import seal_decides, surfaces_agree
from pytest_invariants.catalogue.model import Invariant

CATALOGUE: tuple[Invariant, ...] = (
    seal_decides.INVARIANT,
    surfaces_agree.INVARIANT,
)
