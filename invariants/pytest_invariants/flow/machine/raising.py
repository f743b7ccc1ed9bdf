"""Exceptions on their way that are alike."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.outcomes import Raised
from pytest_invariants.flow.machine.merging import join

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def joined(m: Analysis, raised: list[Raised]) -> list[Raised]:
    """Those of one class and value, joined."""
    groups: dict[object, list[Raised]] = {}
    for one in raised:
        groups.setdefault((one.cls, one.refusal, one.by_seal, one.value), []).append(one)
    return [replace(group[0], state=join(m, [one.state for one in group])) for group in groups.values()]


__all__ = ["joined"]
