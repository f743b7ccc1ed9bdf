"""Rarer ways in which a body gets out of a door, with code of their own beside it: with the guard never an alarm, without it
never a proof."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.flow.prover import Prover
from pytest_invariants.registry.reader import read
from pytest_invariants.verdict import Verdict

from tests.flow.test_carrier_forms import GUARD, STORE
from tests.flow.test_sole_forms import REGISTRY, SEAL

HEAD = """\
import asyncio
import copy
import dataclasses
import functools
import importlib
from collections import defaultdict
from typing import cast

from agent.seal import sealed
from agent.store import STORE, Box, Shelf, Skill, Upper
"""
DOOR = """

def door(name, category):
    skill = STORE[name]
"""
FORMS: dict[str, tuple[str, str]] = {
    "vars of nothing": ("", "return vars()['skill'].body"),
    "an attribute of a computed name": (
        "",
        "box = Shelf(None)\n    setattr(box, name, skill)\n    return box.skill.body",
    ),
    "a global of a computed name": ("LAST = None\n", "globals()[name] = skill\n    return LAST.body"),
    "setdefault in vars": (
        "",
        "box = Shelf(None)\n    vars(box).setdefault('skill', skill)\n    return box.skill.body",
    ),
    "set in vars": ("", "box = Shelf(None)\n    vars(box)['skill'] = skill\n    return box.skill.body"),
    "update of vars by keyword": (
        "",
        "box = Shelf(None)\n    vars(box).update(skill=skill)\n    return box.skill.body",
    ),
    "update of vars": ("", "box = Shelf(None)\n    vars(box).update({'skill': skill})\n    return box.skill.body"),
    "update of vars by pairs": (
        "",
        "box = Shelf(None)\n    vars(box).update(zip(['skill'], [skill]))\n    return box.skill.body",
    ),
    "exec into a dictionary": ("", "kept = {}\n    exec('x = 1', kept)\n    return skill.body"),
    "exec into an object": ("", "box = Shelf(None)\n    exec('x = 1', vars(box))\n    return skill.body"),
    "exec": ("", "exec('held = skill.body')\n    return skill.body"),
    "an import from outside": ("", "importlib.import_module('json')\n    return skill.body"),
    "a cast": ("", "other = cast(Shelf, name)\n    return [other.skill, skill.body]"),
    "a copy of a local": ("", "one = Shelf(skill)\n    return copy.copy(one).skill.body"),
    "its fields set anew": ("", "one = Skill('x')\n    one.__init__('y', (), skill.body)\n    return one.body"),
    "an unknown thing set anew": ("", "name.__init__(skill)\n    return skill.body"),
    "a static method as a value": ("", "give = staticmethod(lambda one: one.body)\n    return give(skill)"),
    "one of two functions": (
        "import os\n\nif os.name:\n    def give(one):\n        return one.body\nelse:\n    def give(one):\n        return [one.body]\n",
        "return give(skill)",
    ),
    "a static method of the parent": (
        "class Base:\n    @staticmethod\n    def give(one):\n        return one.body\n\n\n"
        "class Heir(Base):\n    def give(self, one):\n        return super().give(one)\n",
        "return Heir().give(skill)",
    ),
    "a static method of an instance": (
        "class Base:\n    @staticmethod\n    def give(one):\n        return one.body\n",
        "return Base().give(skill)",
    ),
    "a chain of forty": (
        "def give0(one):\n    return one.body\n\n\n"
        + "\n\n".join(f"def give{n}(one):\n    return give{n - 1}(one)\n" for n in range(1, 40)),
        "return give39(skill)",
    ),
    "a count at import": (
        "def deep(n):\n    return deep(n - 1) if n else 0\n\n\nDEEP = deep(9)\n",
        "return skill.body",
    ),
    "a long count": (
        "def deep(n, one):\n    return deep(n + 1, one) if n < 60 else one.body\n",
        "return deep(0, skill)",
    ),
    "a tuple that a library gets": ("import json\n", "json.dumps((1, name))\n    return skill.body"),
    "a tuple that a framework gets": ("from elsewhere import note\n", "note((1, 'x'))\n    return skill.body"),
    "a tuple has no append": ("", "kept = (1,)\n    kept.append(skill)\n    return skill.body"),
    "a tuple has no extend": ("", "kept = (1,)\n    kept.extend([skill])\n    return skill.body"),
    "a tuple has no clear": ("", "kept = (1,)\n    kept.clear()\n    return skill.body"),
    "a tuple has no sort": ("", "kept = (1,)\n    kept.sort()\n    return skill.body"),
    "a tuple has no pop": ("", "kept = (skill,)\n    return kept.pop().body"),
    "a union by its method": ("", "return {1}.union([skill.body])"),
    "a union of three": ("", "return set().union([1], [skill.body])"),
    "reversed words": ("", "return [skill.body for _ in reversed(name)]"),
    "its own iterator": (
        "class Each:\n    def __init__(self, one):\n        self.one = one\n\n    def __iter__(self):\n        return self\n\n"
        "    def __next__(self):\n        return self.one.body\n",
        "return list(Each(skill))",
    ),
    "a default dictionary without a maker": (
        "",
        "kept = defaultdict()\n    kept['x'] = skill\n    return kept['x'].body",
    ),
    "any of a generator": ("def each(one):\n    yield one\n", "return skill.body if any(each(skill)) else None"),
    "all of a generator": ("def each(one):\n    yield one\n", "return skill.body if all(each(skill)) else None"),
    "not of another class": ("", "one = Shelf(skill)\n    return 1 if isinstance(one, Box) else one.skill.body"),
    "perhaps of an heir": (
        "def of(shelf: Shelf, one):\n    return 1 if isinstance(shelf, Upper) else one.body\n",
        "return of(STORE.get('shelf'), skill)",
    ),
    "None is of no class": ("", "return 1 if isinstance(None, Skill) else skill.body"),
    "a type of a text": ("", "return [type(name), skill.body]"),
    "type": ("", "return [type(skill), skill.body]"),
    "a nothing called": ("", "if not name:\n        None()\n    return skill.body"),
    "a module as a name": ("import agent.store as shop\n", "return shop.STORE[skill.name].body"),
    "a star": ("from agent.store import *\n", "return STORE[skill.name].body"),
    "a star of outside": ("from elsewhere import *\n", "return skill.body"),
    "a deleted attribute": ("", "box = Shelf(skill)\n    del box.skill\n    return skill.body"),
    "a deleted item of another": ("", "box = Box()\n    del name[0]\n    return skill.body"),
    "a hundred numbers": ("", f"kept = {list(range(100))}\n    return [kept, skill.body]"),
    "a tuple of a hundred numbers": ("", f"kept = {tuple(range(100))}\n    return [kept, skill.body]"),
    "other than": (
        "class Same:\n    def __eq__(self, other):\n        return True\n",
        "return 1 if Same() != name else skill.body",
    ),
    "a class with a metaclass": (
        "class Meta(type):\n    def __call__(cls, one):\n        return one.body\n\n\nclass Made(metaclass=Meta):\n    pass\n",
        "return Made(skill)",
    ),
    "a class with options": (
        "class Base:\n    def __init_subclass__(cls, kind):\n        pass\n\n\nclass Made(Base, kind='x'):\n    body = 1\n",
        "return [Made.body, skill.body]",
    ),
    "a setter": (
        "class Kept:\n    @property\n    def held(self):\n        return self._held\n\n"
        "    @held.setter\n    def held(self, one):\n        self._held = one\n",
        "kept = Kept()\n    kept.held = skill\n    return kept.held.body",
    ),
    "another getter": (
        "class Kept:\n    def __init__(self, one):\n        self.one = one\n\n    @property\n    def held(self):\n        return 1\n\n"
        "    @held.getter\n    def held(self):\n        return self.one.body\n",
        "return Kept(skill).held",
    ),
    "a descriptor that is a class": (
        "class Outer:\n    class Inner:\n        def __init__(self, one):\n            self.one = one\n",
        "return Outer.Inner(skill).one.body",
    ),
    "optional": (
        "from typing import Optional, Union\n\n\ndef of(one: Optional[Skill], other: Union[Skill, int, None]):\n"
        "    return one.body if one else other\n",
        "return of(skill, None)",
    ),
    "a literal": (
        "from typing import Literal\n\n\ndef of(one, mode: Literal['a', 'b']):\n    return one.body if mode == 'a' else [one.body]\n",
        "return of(skill, 'a')",
    ),
    "itself typed by a text": (
        "def of(one: 'Skill', other: 'list[Skill] | int'):\n    return one.body\n",
        "return of(skill, 1)",
    ),
}


def verdict(root: Path, top: str, body: str, registry: str = REGISTRY) -> Verdict:
    files = {
        "agent/__init__.py": "", "agent/seal.py": SEAL, "agent/store.py": STORE, "entrypoints/registry.yaml": registry,
        "agent/door.py": f"{HEAD}\n\n{top}{DOOR}{body}", "pyproject.toml": "",
    }  # fmt: skip
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    prover = Prover(read(root / "entrypoints" / "registry.yaml"))
    return prover.consulted(prover.registry.surfaces[0]).verdict


UNDECIDED = frozenset(
    {
        "update of vars by pairs",
        "exec into an object",
        "a chain of forty",
        "a global of a computed name",
    }
)
"""With the guard as well: what the prover does not follow may have let something out, or have replaced the guard."""


@pytest.mark.parametrize("form", FORMS)
def test_with_the_guard_a_rare_form_is_no_alarm(tmp_path: Path, form: str) -> None:
    top, body = FORMS[form]
    found = verdict(tmp_path, top, f"{GUARD}    {body}\n")
    assert found is (Verdict.UNDECIDED if form in UNDECIDED else Verdict.PROVED)


@pytest.mark.parametrize("form", FORMS)
def test_without_the_guard_a_rare_form_is_no_proof(tmp_path: Path, form: str) -> None:
    top, body = FORMS[form]
    assert verdict(tmp_path, top, f"    {body}\n") in (Verdict.REFUTED, Verdict.UNDECIDED)
