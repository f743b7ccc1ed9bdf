"""Surfaces that a method makes: what they close over is what their maker had, and their receiver is their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytest_invariants.flow.domain.values import Const
from pytest_invariants.flow.judging.finding import target_of
from pytest_invariants.flow.machine.imports import member
from pytest_invariants.flow.prover import Prover
from pytest_invariants.registry.reader import read
from pytest_invariants.verdict import Reason, Verdict

from tests.fuzz import agents
from tests.selftest.agents import SEALS, STORE

DOORS = """\
from outside import Tool

from agent.seal import sealed
from agent.store import STORE


class Desk:
    def __init__(self, rules=None, others=None):
        self.rules = list(rules or [])
        self.others = list(others or [])
        self.tool = self.make_door()

    def make_door(self):
        def door(name):
            skill = STORE.get(name)
            if skill is None or sealed(skill.categories, {asked}):
                return None
            return skill.body

        return Tool(door, name="door")


class Shelf:
    rules: list

    def look(self, name):
        skill = STORE.get(name)
        if skill is None or sealed(skill.categories, self.rules):
            return None
        return skill.body
"""
REGISTRY = """\
version: 1
code: [agent]
seal:
  function: agent.seal:sealed
  verdict: sealed
  subject: [categories]
  principal: {category: "agent.doors:Desk.rules"}
  state: ["agent.store:Skill.categories"]
capabilities:
  - {of: "agent.store:Skill.body", grant: value}
surfaces:
  door: {function: "agent.doors:Desk.make_door.<locals>.door", manner: named}
  look: {function: "agent.doors:Shelf.look", manner: named}
"""


def prover(root: Path, asked: str) -> Prover:
    files = {
        "agent/__init__.py": "",
        "agent/seal.py": SEALS["sealed"],
        "agent/store.py": STORE,
        "agent/doors.py": DOORS.replace("{asked}", asked),
        "entrypoints/registry.yaml": REGISTRY,
    }
    agents.write(root, files)
    return Prover(read(root / "entrypoints" / "registry.yaml", root))


def verdict(made: Prover, name: str) -> tuple[Verdict, Reason | None]:
    found = made.consulted(next(surface for surface in made.registry.surfaces if surface.id == name))
    return found.verdict, found.reason


def test_what_the_constructor_made_is_the_principal_that_was_declared(tmp_path: Path) -> None:
    assert verdict(prover(tmp_path, "self.rules"), "door") == (Verdict.PROVED, None)


@pytest.mark.parametrize("asked", ["self.others", "['hr']", "list(STORE.all())", "name"])
def test_something_else_of_the_same_making_is_not(tmp_path: Path, asked: str) -> None:
    found, reason = verdict(prover(tmp_path, asked), "door")
    assert (found, reason) in (
        (Verdict.REFUTED, Reason.WRONG_PRINCIPAL),
        (Verdict.REFUTED, Reason.CONSTANT_PRINCIPAL),
        (Verdict.UNDECIDED, Reason.OPAQUE_CALLABLE),
    )


def test_what_is_bound_anew_is_no_longer_what_the_constructor_made(tmp_path: Path) -> None:
    text = "old) if [old := self.rules, setattr(self, 'rules', [])] else sealed(skill.categories, self.rules"
    assert verdict(prover(tmp_path, text), "door")[0] is not Verdict.PROVED


def test_each_surface_has_a_receiver_of_its_own_class(tmp_path: Path) -> None:
    """The rules of a shelf are not those of a desk, whichever of the two was looked at last."""
    made = prover(tmp_path, "self.rules")
    assert verdict(made, "look") == (Verdict.REFUTED, Reason.WRONG_PRINCIPAL)
    assert verdict(made, "door") == (Verdict.PROVED, None)


def test_what_a_maker_hands_out_does_not_run_while_it_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does what it took count for whatever comes next."""
    made = prover(tmp_path, "self.rules")
    followed: list[str] = []
    tick = type(made.m).tick

    def ticked(m: Any) -> None:
        followed.extend(info.name for info in m.stack[-1:])
        tick(m)

    monkeypatch.setattr(type(made.m), "tick", ticked)
    assert made.targets["agent.doors:Desk.make_door.<locals>.door"].start is not None
    assert "make_door" in followed
    assert "door" not in followed
    assert made.m.steps == 0


LOOPING = """\
from agent.seal import sealed
from agent.store import STORE


class Desk:
    rules: list

    def make_door(self, kinds):
        allowed = later = False
        for _ in kinds:
            if later:
                allowed = True
            later = True

        def door(name):
            skill = STORE.get(name)
            if skill is None or not allowed and sealed(skill.categories, self.rules):
                return None
            return skill.body

        return door
"""


def test_what_a_later_round_of_the_maker_sets_is_seen(tmp_path: Path) -> None:
    made = prover(tmp_path, "self.rules")
    (tmp_path / "agent" / "doors.py").write_text(LOOPING, encoding="utf-8")
    rows = made.registry.path.read_text(encoding="utf-8").split("  look:")[0]
    made.registry.path.write_text(rows, encoding="utf-8")
    looping = Prover(read(made.registry.path, tmp_path))
    assert verdict(looping, "door")[0] is not Verdict.PROVED
    honest = LOOPING.replace("allowed = True", "allowed = False")
    (tmp_path / "agent" / "doors.py").write_text(honest, encoding="utf-8")
    assert verdict(Prover(read(made.registry.path, tmp_path)), "door")[0] is Verdict.PROVED


def test_what_was_run_before_is_no_burden(tmp_path: Path) -> None:
    """A surface that took all steps leaves enough for finding the next one."""
    made = prover(tmp_path, "self.rules")
    made.m.steps = made.m.step_limit + 1
    reference = made.registry.surfaces[0].function
    assert target_of(made.m, reference) is not None


def test_a_lazy_name_is_found_whatever_was_run_before(tmp_path: Path) -> None:
    made = prover(tmp_path, "self.rules")
    lazy = "KNOWN = {'door': 1}\n\n\ndef __getattr__(name):\n    if name == 'door':\n        return 7\n    raise AttributeError(name)\n"
    (tmp_path / "agent" / "lazy.py").write_text(lazy, encoding="utf-8")
    made = Prover(read(made.registry.path, tmp_path))
    made.m.steps = made.m.step_limit + 1
    found = member(made.m, "agent.lazy", "door", made.m.world)
    assert isinstance(found, Const)
    assert found.value == 7
    assert made.m.steps == made.m.step_limit + 1
