"""Looking for a way around by following one path of several: never an alarm where all is well, and mostly found where it is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytest_invariants.flow import sampling
from pytest_invariants.flow.activation import Activation
from pytest_invariants.flow.judging import Judge
from pytest_invariants.flow.prover import Prover
from pytest_invariants.registry.model import Surface
from pytest_invariants.registry.reader import read
from pytest_invariants.verdict import Finding

from tests.flow import specs

CASES = [case for case in specs.all_cases() if any("seal-consulted" in row for row in case.expect.values())]
PARTS = 8
"""The cases are checked in so many portions, side by side."""


def _found(prover: Prover, surface: Surface) -> Finding | None:
    """What attempts come to that do not know what following the whole surface gives."""

    def judge(activation: Activation) -> Finding:
        prover.m.root = str(surface.function)
        return Judge(prover.m, surface, [activation]).verdict()

    return sampling.way_around(prover.m, lambda: prover._activate(str(surface.function)), judge)


def _rows(case: Any, folder: Path) -> list[tuple[str, Finding | None]]:
    """For each surface of a case the verdict that is right, and what the attempts found."""
    specs.write(case, folder)
    prover = Prover(read(folder / specs.REGISTRY, folder))
    surfaces = {surface.id: surface for surface in prover.registry.surfaces}
    rows = []
    for key, row in case.expect.items():
        right = specs.as_list(row.get("seal-consulted", []))
        if len(right) == 1 and key in surfaces and str(surfaces[key].function) in prover.targets:
            rows.append((right[0], _found(prover, surfaces[key])))
    return rows


@pytest.mark.parametrize("part", range(PARTS))
def test_attempts_find_what_falls_and_nothing_else(part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "ATTEMPTS", 6)
    alarms, found, fell = [], 0, 0
    for number, case in enumerate(CASES[part::PARTS]):
        for right, finding in _rows(case, tmp_path / str(number)):
            if right == "proved" and finding is not None:
                alarms.append((case.id, str(finding.at), finding.message))
            fell += right == "refuted"
            found += right == "refuted" and finding is not None
    assert alarms == []
    assert found > 0.6 * fell
    assert fell > 20
