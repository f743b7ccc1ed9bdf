"""`seal-sole` in the forms that people write: each way to replace the seal or to decide beside it, and honest twins."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.flow.prover import Prover
from pytest_invariants.registry.reader import read
from pytest_invariants.verdict import Finding, Reason, Verdict

SEAL = "def sealed(categories, category):\n    return bool(categories) and category not in categories\n"
STORE = """\
from dataclasses import dataclass


@dataclass
class Skill:
    name: str
    categories: tuple = ()
    body: str = ""


@dataclass
class Page:
    categories: tuple = ()


STORE = {"a": Skill("a")}
"""
DOOR = """\
from agent import seal
from agent.seal import sealed
from agent.store import STORE, Skill


def door(name, category):
    skill = STORE[name]
    if sealed(skill.categories, category):
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
  principal: [category]
  state: ["agent.store:Skill.categories"]
capabilities: [{of: "agent.store:Skill.body", grant: value}]
surfaces: {door: {function: "agent.door:door", manner: named}}
"""


def prover(root: Path, more: str = "", registry: str = REGISTRY) -> Prover:
    """Of an agent with one guarded door, and with more code behind it in the same module."""
    files = {
        "agent/__init__.py": "", "agent/seal.py": SEAL, "agent/store.py": STORE, "agent/door.py": f"{DOOR}\n\n{more}",
        "entrypoints/registry.yaml": registry, "pyproject.toml": "",
    }  # fmt: skip
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return Prover(read(root / "entrypoints" / "registry.yaml"))


def sole(root: Path, more: str) -> Finding:
    return prover(root, more).sole()


REPLACED = {
    "an attribute of its module": "def f():\n    seal.sealed = print\n",
    "an annotated attribute": "def f():\n    seal.sealed: object = print\n",
    "setattr": "def f():\n    setattr(seal, 'sealed', print)\n",
    "the importer's own name": "def f():\n    global sealed\n    sealed = print\n",
    "globals": "def f():\n    globals()['sealed'] = print\n",
    "vars of a module": "import agent.door\n\n\ndef f():\n    vars()['sealed'] = print\n",
    "a module's dictionary": "def f():\n    seal.__dict__['sealed'] = print\n",
    "its code": "def f():\n    sealed.__code__ = print.__code__\n",
    "its code, through the module": "def f():\n    seal.sealed.__code__ = print.__code__\n",
    "a patch by its name": "from unittest.mock import patch\n\n\ndef f():\n    patch('agent.seal.sealed', print)\n",
    "a patch of the import": "from unittest.mock import patch\n\n\ndef f():\n    patch('agent.door.sealed', print)\n",
    "a patch of the object": "from unittest.mock import patch\n\n\ndef f():\n    patch.object(seal, 'sealed', print)\n",
    "sys.modules": "import sys\n\n\ndef f():\n    sys.modules['agent.seal'].sealed = print\n",
}
LEFT_ALONE = {
    "another attribute": "def f():\n    seal.other = print\n",
    "a local of its name": "def f(sealed):\n    sealed = sealed or print\n    return sealed\n",
    "setattr of another module": "import json\n\n\ndef f():\n    setattr(json, 'sealed', print)\n",
    "setattr of an instance": "def f():\n    setattr(Skill('x'), 'sealed', print)\n",
    "a dictionary": "def f():\n    kept = {}\n    kept['sealed'] = print\n    return kept\n",
    "the code of another function": "def f():\n    door.__code__ = print.__code__\n",
    "a patch of something else": "from unittest.mock import patch\n\n\ndef f():\n    patch('agent.door.STORE', {})\n",
    "an annotation": "def f():\n    sealed: object\n",
}


@pytest.mark.parametrize("more", REPLACED.values(), ids=REPLACED)
def test_whoever_replaces_the_seal_is_found(tmp_path: Path, more: str) -> None:
    finding = sole(tmp_path, more)
    assert (finding.verdict, finding.reason) == (Verdict.REFUTED, Reason.SEAL_REBOUND), finding
    assert finding.at is not None
    assert finding.at.path == "agent/door.py"


@pytest.mark.parametrize("more", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_what_leaves_it_alone_is_not(tmp_path: Path, more: str) -> None:
    assert sole(tmp_path, more).verdict is Verdict.PROVED


HEAD = "def shown(skill: Skill, category):\n"
DECIDES = {
    "if": "    if category in skill.categories:\n        return skill.body\n",
    "while": "    while category in skill.categories:\n        return skill.body\n",
    "assert": "    assert category in skill.categories\n    return skill.body\n",
    "a walrus": "    if (held := skill.categories) and category in held:\n        return skill.body\n",
    "a test that is kept": "    open = category in skill.categories\n    if open:\n        return skill.body\n",
    "a conditional": "    return skill.body if category in skill.categories else None\n",
    "a comprehension": "    return [one.body for one in STORE.values() if category in one.categories]\n",
    "getattr": "    if category in getattr(skill, 'categories'):\n        return skill.body\n",
    "a match": "    match skill.categories:\n        case ():\n            return skill.body\n",
    "a class pattern": "    match skill:\n        case Skill(categories=held) if category in held:\n            return skill.body\n",
    "a set's method": "    if set(skill.categories).isdisjoint([category]):\n        return skill.body\n",
    "a call of any": "    if any(one == category for one in skill.categories):\n        return skill.body\n",
    "a verdict that is returned": "    return category in skill.categories\n",
}
LOOKS_ONLY = {
    "it is shown": "    return ', '.join(skill.categories)\n",
    "it is asked about": "    return not sealed(skill.categories, category)\n",
    "it makes a text": "    said = 'all' if not skill.categories else 'some'\n    return said\n",
    "it is logged where it is there": "    if skill.categories:\n        print(skill.categories)\n",
    "it is copied": "    return Skill(skill.name, tuple(skill.categories))\n",
    "it is another class's": "    page = Page()\n    return skill.name if category in page.categories else None\n",
}


@pytest.mark.parametrize("body", DECIDES.values(), ids=DECIDES)
def test_whoever_decides_beside_the_seal_is_found(tmp_path: Path, body: str) -> None:
    finding = sole(tmp_path, HEAD + body)
    assert finding.verdict is Verdict.REFUTED, finding
    assert finding.reason in (Reason.SECOND_READER, Reason.LOOK_ALIKE)


@pytest.mark.parametrize("body", LOOKS_ONLY.values(), ids=LOOKS_ONLY)
def test_who_only_looks_is_not(tmp_path: Path, body: str) -> None:
    head = "from agent.store import Page\n\n\n" + HEAD
    assert sole(tmp_path, head + body).verdict is Verdict.PROVED


MISSING = {
    "a relation of nothing": (
        'relations: [{of: "agent.store:gone", key: name}]',
        "`agent.store:gone` is not in the code",
        "name a function of the code roots",
    ),
    "a relation without its parameter": (
        'relations: [{of: "agent.seal:sealed", key: name}]',
        "`agent.seal:sealed` has no parameter `name`",
        "one of: categories, category",
    ),
}


@pytest.mark.parametrize(("row", "message", "remedy"), MISSING.values(), ids=MISSING)
def test_a_row_that_names_nothing_is_a_mistake_of_the_registry(
    tmp_path: Path, row: str, message: str, remedy: str
) -> None:
    (problem,) = prover(tmp_path, registry=f"{REGISTRY}{row}\n").problems
    assert (problem.message, problem.remedy) == (message, remedy)
    assert problem.at.path == "entrypoints/registry.yaml"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("agent.seal:sealed\n", "agent.seal:gone\n", "the seal `agent.seal:gone` is not in the code"),
        ("sealed\n  subject", '{is: "agent.seal:OPEN"}\n  subject', "the value `agent.seal:OPEN` that allows is not"),
        ("agent.store:Skill.body", "agent.stor:Skill.body", "the module of the capability `agent.stor:Skill.body` is"),
        ("agent.store:Skill.body", "agent.store:Skill.text", "`agent.store:Skill.text`"),
    ],
)
def test_a_registry_that_does_not_fit_the_code_proves_nothing(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in REGISTRY
    made = prover(tmp_path, registry=REGISTRY.replace(old, new))
    assert [message in problem.message for problem in made.problems] == [True]
    finding = made.sole()
    assert (finding.verdict, finding.reason) == (Verdict.UNDECIDED, Reason.HARNESS)
    assert message in finding.message
