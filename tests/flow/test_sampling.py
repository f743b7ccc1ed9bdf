"""Looking for a way around by following one path of several: never an alarm where all is well, and mostly found where it is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.judging.activation import Activation
from pytest_invariants.flow.judging.judging import Judge
from pytest_invariants.flow.machine import sampling
from pytest_invariants.flow.prover import Prover
from pytest_invariants.registry.model import Surface
from pytest_invariants.registry.reader import read
from pytest_invariants.verdict import Finding, Verdict

from tests.flow import specs
from tests.flow.test_suspension import prover_of

CASES = [case for case in specs.all_cases() if any("seal-consulted" in row for row in case.expect.values())]
PARTS = 8
"""The cases are checked in so many portions, side by side."""


def _found(prover: Prover, surface: Surface) -> Finding | None:
    """What attempts come to that do not know what following the whole surface gives."""

    def judge(activation: Activation) -> Finding:
        prover.m.root = str(surface.function)
        return Judge(prover.m, surface, [activation]).verdict()

    return sampling.way_around(prover.m, lambda: prover._activate(str(surface.function)), judge)


def _rows(case: Any, folder: Path) -> list[tuple[str, bool, Finding | None]]:
    """For each surface of a case the verdict that is right, whether there is a way on which nobody asks, and what the attempts found."""
    specs.write(case, folder)
    prover = Prover(read(folder / specs.REGISTRY, folder))
    surfaces = {surface.id: surface for surface in prover.registry.surfaces}
    rows = []
    for key, row in case.expect.items():
        right = specs.as_list(row.get("seal-consulted", []))
        if len(right) == 1 and key in surfaces and str(surfaces[key].function) in prover.targets:
            unasked = str(specs.as_list(row.get("reason", [""]))[0]) in ("never-reaches-seal", "path-without-seal")
            rows.append((right[0], unasked, _found(prover, surfaces[key])))
    return rows


@pytest.mark.parametrize("part", range(PARTS))
def test_attempts_find_ways_on_which_nobody_asks_and_raise_no_alarm(
    part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "ATTEMPTS", 6)
    alarms, found, unasked, asked = [], 0, 0, []
    for number, case in enumerate(CASES[part::PARTS]):
        for right, never, finding in _rows(case, tmp_path / str(number)):
            if right == "proved" and finding is not None:
                alarms.append((case.id, str(finding.at), finding.message))
            unasked += right == "refuted" and never
            found += right == "refuted" and never and finding is not None
            asked += [finding is not None] if right == "refuted" and not never else []
    assert alarms == []
    assert unasked > 8
    assert found >= 0.3 * unasked
    assert sum(asked) >= 0.3 * len(asked)


LARGE = """\
from agent.seal import sealed
from agent.store import STORE


def busy(skill, category, depth):
    for part in skill.categories:
{branches}
    return skill


def door(name, category):
    skill = STORE[name]
    if category == "finance":
        {way}
    if sealed(busy(skill, category, 0).categories, category):
        return None
    return busy(skill, category, 9).body
"""
BRANCHES = "\n".join(
    f"        if part == category + '{at}' and sealed(skill.categories, part):\n"
    f"            skill = STORE.get(part) or busy(skill, part, {at})"
    for at in range(40)
)


@pytest.mark.parametrize(
    ("way", "verdict"),
    [("return skill.body", Verdict.REFUTED), ("return None", Verdict.UNDECIDED)],
    ids=["open", "shut"],
)
def test_a_way_around_is_found_in_what_is_too_large(way: str, verdict: Verdict, tmp_path: Path) -> None:
    prover = prover_of(tmp_path, LARGE.format(branches=BRANCHES, way=way))
    surface = prover.registry.surfaces[0]
    assert not prover.activations[str(surface.function)].complete
    found = prover.consulted(surface)
    assert found.verdict is verdict
    if verdict is Verdict.REFUTED:
        assert found.at.path == "agent/door.py"
        assert any("finance" in step.note for step in found.trace)


TWO_ENDS = """\
from agent.seal import sealed
from agent.store import STORE


class Box:
    def __init__(self, given):
        if given:
            self.one = given
        else:
            self.other = given


def door(name, category):
    skill = STORE[name]
    if sealed(skill.categories, category):
        return None
    return skill.body
"""


@pytest.mark.parametrize("attempt", range(4))
def test_constructors_are_tried_on_all_paths_meanwhile(attempt: int, tmp_path: Path) -> None:
    machine = prover_of(tmp_path, TWO_ENDS).m
    machine._initial.clear()
    sampler = sampling.Sampler()
    sampler.begin(attempt)
    with sampling._following_one(machine, sampler, 1_000):
        fields = machine.constructed_fields(machine.classes["agent.door:Box"])
    assert sorted(fields) == ["one", "other"]


def test_choices_that_came_to_nothing_are_avoided() -> None:
    sampler = sampling.Sampler()
    states = {name: State() for name in ("blind", "open")}
    seen = []
    for attempt in range(6):
        sampler.begin(attempt)
        chosen = sampler.one(sorted(states), lambda name: states[name])
        seen += chosen
        if chosen == ["blind"]:
            sampler.came_to_nothing()
    assert seen.count("blind") <= 1
    assert seen.count("open") >= 5
