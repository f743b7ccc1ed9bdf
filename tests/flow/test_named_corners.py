"""What a registry may name: each kind of surface and of capability, guarded and not, and what is not there."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.flow.judging.finding import look_up
from pytest_invariants.flow.prover import Prover
from pytest_invariants.registry.model import Reference
from pytest_invariants.registry.reader import read
from pytest_invariants.verdict import Verdict

from tests.flow.test_sole_forms import REGISTRY, SEAL, STORE

HEAD = """\
from dataclasses import dataclass

from agent.seal import sealed
from agent.store import STORE, Skill


"""
GUARD = "if sealed(skill.categories, category):\n{indent}    return None\n{indent}"
SURFACES = {
    "a class with a call": (
        "agent.door:Door",
        "class Door:\n    def __call__(self, name, category):\n        skill = STORE[name]\n        GUARD8return skill.body\n",
    ),
    "an object with a call": (
        "agent.door:door",
        "class Door:\n    def __call__(self, name, category):\n        skill = STORE[name]\n        GUARD8return skill.body\n"
        "\n\ndoor = Door()\n",
    ),
    "a static method": (
        "agent.door:Door.open",
        "class Door:\n    @staticmethod\n    def open(name, category):\n        skill = STORE[name]\n        GUARD8return skill.body\n",
    ),
    "a class method": (
        "agent.door:Door.open",
        "class Door:\n    @classmethod\n    def open(cls, name, category):\n        skill = STORE[name]\n        GUARD8return skill.body\n",
    ),
    "an inherited method": (
        "agent.door:Heir.open",
        "class Door:\n    def open(self, name, category):\n        skill = STORE[name]\n        GUARD8return skill.body\n\n\n"
        "class Heir(Door):\n    pass\n",
    ),
    "a mixin": (
        "agent.door:DoorMixin.open",
        "class DoorMixin:\n    def open(self, name, category):\n        skill = self.get(name)\n        GUARD8return skill.body\n\n\n"
        "class Heir(DoorMixin):\n    def get(self, name):\n        return STORE[name]\n",
    ),
    "a mixin that says whose": (
        "agent.door:Part.open",
        'class Part:\n    def open(self: "Heir", name, category):\n        skill = self.get(name)\n        GUARD8return skill.body\n\n\n'
        "class Heir(Part):\n    def get(self, name):\n        return STORE[name]\n",
    ),
    "a function within one": (
        "agent.door:make.<locals>.door",
        "def make():\n    def door(name, category):\n        skill = STORE[name]\n        GUARD8return skill.body\n\n    return door\n",
    ),
    "a function within a factory": (
        "agent.door:make.<locals>.door",
        "def make(kept):\n    def door(name, category):\n        skill = kept[name]\n        GUARD8return skill.body\n"
        "\n    return door\n\n\n"
        "door = make(STORE)\n",
    ),
    "a lambda": (
        "agent.door:door",
        "door = lambda name, category: None if sealed(STORE[name].categories, category) else STORE[name].body\n",
    ),
}
UNDECIDED = frozenset({"an object with a call"})
"""With the guard as well: whose call it is, only a class says."""
CAPABILITIES = {
    "a property": (
        "agent.door:Page.text",
        "value",
        "class Page(Skill):\n    @property\n    def text(self):\n        return self.name\n\n\nPAGES = {'a': Page('a')}\n\n\n"
        "def door(name, category):\n    skill = PAGES[name]\n    GUARD4return skill.text\n",
    ),
    "a function": (
        "agent.door:run",
        "call",
        "def run(name):\n    print(name)\n\n\ndef door(name, category):\n    skill = STORE[name]\n    GUARD4return run(skill.name)\n",
    ),
    "a coroutine": (
        "agent.door:run",
        "call",
        "async def run(name):\n    print(name)\n\n\nasync def door(name, category):\n    skill = STORE[name]\n"
        "    GUARD4return await run(skill.name)\n",
    ),
    "a function that is first given nothing": (
        "agent.door:run",
        "call",
        "def run(how, name):\n    print(name)\n\n\ndef door(name, category):\n    skill = STORE[name]\n"
        "    GUARD4return run(None, skill.name)\n",
    ),
    "a method that an heir overrides": (
        "agent.door:Tool.run",
        "call",
        "class Tool:\n    def run(self, name):\n        print(name)\n\n\nclass Heir(Tool):\n"
        "    def run(self, name):\n        print(name, 1)\n\n\n"
        "def door(name, category):\n    skill = STORE[name]\n    GUARD4return Heir().run(skill.name)\n",
    ),
    "a method that an heir leaves": (
        "agent.door:Tool.run",
        "call",
        "class Tool:\n    def run(self, name):\n        print(name)\n\n\nclass Heir(Tool):\n    more = 1\n\n\n"
        "def door(name, category):\n    skill = STORE[name]\n    GUARD4return Heir().run(skill.name)\n",
    ),
    "a field that is set": (
        "agent.door:Page.text",
        "value",
        "class Page(Skill):\n    def __post_init__(self):\n        self.text = ''\n\n\nPAGES = {'a': Page('a')}\n\n\n"
        "def door(name, category):\n    skill = PAGES[name]\n    GUARD4return skill.text\n",
    ),
}


def prover(root: Path, door: str, registry: str) -> Prover:
    files = {
        "agent/__init__.py": "", "agent/seal.py": SEAL, "agent/store.py": STORE, "agent/door.py": HEAD + door,
        "entrypoints/registry.yaml": registry, "pyproject.toml": "",
    }  # fmt: skip
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return Prover(read(root / "entrypoints" / "registry.yaml"))


def verdict(prover: Prover) -> Verdict:
    assert not prover.problems
    return prover.consulted(prover.registry.surfaces[0]).verdict


def guarded(text: str, guard: bool) -> str:
    for width in (4, 8):
        text = text.replace(f"GUARD{width}", GUARD.replace("{indent}", " " * width) if guard else "")
    return text if guard else text.replace("None if sealed(STORE[name].categories, category) else ", "")


@pytest.mark.parametrize("form", SURFACES)
def test_each_kind_of_surface(tmp_path: Path, form: str) -> None:
    named, text = SURFACES[form]
    registry = REGISTRY.replace("agent.door:door", named)
    good = Verdict.UNDECIDED if form in UNDECIDED else Verdict.PROVED
    assert verdict(prover(tmp_path, guarded(text, True), registry)) is good
    assert verdict(prover(tmp_path, guarded(text, False), registry)) in (Verdict.REFUTED, Verdict.UNDECIDED)


@pytest.mark.parametrize("form", CAPABILITIES)
def test_each_kind_of_capability(tmp_path: Path, form: str) -> None:
    named, grant, text = CAPABILITIES[form]
    registry = REGISTRY.replace("agent.store:Skill.body", named).replace("grant: value", f"grant: {grant}")
    assert verdict(prover(tmp_path, guarded(text, True), registry)) is Verdict.PROVED
    assert verdict(prover(tmp_path, guarded(text, False), registry)) is Verdict.REFUTED


DOOR = guarded("def door(name, category):\n    skill = STORE[name]\n    GUARD4return skill.body\n", True)


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("agent.store:Skill.body", "agent.store:Skill.bodi", "agent.store:Skill.bodi"),
        ("agent.store:Skill.body", "agent.shop:Skill.body", "agent.shop:Skill.body"),
        ("agent.seal:sealed", "agent.seal:seeled", "agent.seal:seeled"),
        ("verdict: sealed", 'verdict: {is: "agent.seal:OPEN"}', "agent.seal:OPEN"),
    ],
)
def test_what_is_not_there_is_said_with_a_remedy(tmp_path: Path, old: str, new: str, named: str) -> None:
    (problem,) = prover(tmp_path, DOOR, REGISTRY.replace(old, new)).problems
    assert named in problem.message
    assert problem.remedy


@pytest.mark.parametrize(
    "named",
    [
        "agent.door:Skill",
        "agent.door:other",
        "agent.door:door.<locals>.inner",
        "agent.door:other.<locals>.inner",
        "agent.door:HEAD",
    ],
)
def test_a_surface_that_cannot_be_called_is_refuted(tmp_path: Path, named: str) -> None:
    of = prover(tmp_path, f"{DOOR}\n\nHEAD = 1\n", REGISTRY.replace("agent.door:door", named))
    assert of.consulted(of.registry.surfaces[0]).verdict is not Verdict.PROVED
    assert of.registered(of.registry.surfaces[0]).verdict is Verdict.REFUTED


def test_a_module_is_no_value(tmp_path: Path) -> None:
    m = prover(tmp_path, DOOR, REGISTRY).m
    assert look_up(m, Reference("agent.door", "")) is None
    assert look_up(m, Reference("agent.door", "door")) is not None
    assert look_up(m, Reference("agent.door", "Skill.body.more")) is None
