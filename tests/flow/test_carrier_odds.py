"""Odd attributes, classes, models and modules on the way out of a door: with the guard never an alarm, without it never a
proof."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.flow.domain.values import Obj, Sym
from pytest_invariants.flow.machine import modules
from pytest_invariants.verdict import Verdict

from tests.flow.test_carrier_corners import GUARD, verdict
from tests.flow.test_sole_forms import prover

MODEL = "from pydantic import BaseModel\n\n\nclass Page(BaseModel):\n    held: Skill\n"
MEMBERS = (
    "from enum import Enum\n\n\nclass Kind(Enum):\n    A = 'a'\n\n    def skill(self):\n        return STORE[self.value]\n\n"
    "    @property\n    def label(self):\n        return self.value\n"
)
BRANCHING = "def churn0(n):\n    return n\n\n\n" + "\n\n".join(
    f"def churn{k}(n):\n    return [churn{k - 1}(n.a), churn{k - 1}(n.b)] if n.c else churn{k - 1}(n.d)\n"
    for k in range(1, 12)
)
SLOW = f"""\
{BRANCHING}

A = Shelf(churn11(input()))
B: Shelf = Shelf(churn11(input()))
C = churn11(input())
D = [churn11(input())]
(E, F) = churn11(input()), 1
churn11(input())
"""
FORMS: dict[str, tuple[str, str]] = {
    "none, and read": ("", "if skill is None:\n        return skill.body\n    return skill.body"),
    "a partial in a class": (
        "class Page:\n    of = functools.partial(lambda one: one.body)\n", "return Page().of(skill)",
    ),
    "a module's dictionary": ("import agent.store as shop\n", "return shop.__dict__['STORE'][skill.name].body"),
    "a module that answers by a library": ("__getattr__ = str\n", "import agent.door as me\n    return [me.thing, skill.body]"),
    "a class method of the parent": (
        "class Base:\n    @classmethod\n    def give(cls, one):\n        return one.body\n\n\n"
        "class Heir(Base):\n    @classmethod\n    def give(cls, one):\n        return super().give(one)\n",
        "return Heir.give(skill)",
    ),
    "a method of the parent's parent": (
        "class Base:\n    def give(self, one):\n        return one.body\n\n\nclass Middle(Base):\n    pass\n\n\n"
        "class Heir(Middle):\n    def give(self, one):\n        return super().give(one)\n",
        "return Heir().give(skill)",
    ),
    "a parent that only objects have": (
        "class Page:\n    def __init__(self, one):\n        super().__init__()\n        super().__setattr__('one', one)\n",
        "Page(1)\n    return skill.body",
    ),
    "made by the parent": (
        "class Page:\n    def __new__(cls, one):\n        made = super().__new__(cls)\n        made.one = one\n        return made\n",
        "return Page(skill).one.body",
    ),
    "what is wrapped": (
        "@functools.cache\ndef give(one):\n    return one.body\n", "return give.__wrapped__(skill)",
    ),
    "a member's value": (MEMBERS, "return [Kind.A.value, skill.body]"),
    "a member's name": (MEMBERS, "return [Kind.A.name, skill.body]"),
    "a member's property": (MEMBERS, "return [Kind.A.label, skill.body]"),
    "a member's other": (MEMBERS, "return [Kind.A.__objclass__, skill.body]"),
    "a model": (MODEL, "return Page(held=skill).held.body"),
    "a model copied": (MODEL, "return Page(held=skill).model_copy().held.body"),
    "a model copied with nothing": (MODEL, "return Page(held=skill).model_copy(update=None).held.body"),
    "a model copied with another": (MODEL, "return Page(held=None).model_copy(update={'held': skill}).held.body"),
    "a model copied with anything": (MODEL, "return [Page(held=skill).model_copy(update=name), skill.body]"),
    "a model copied with a computed one": (MODEL, "return Page(held=skill).model_copy(update={name: 1}).held.body"),
    "anything replaced": ("", "return [dataclasses.replace(name, x=1), skill.body]"),
    "anything made": ("", "return [object.__new__(name), skill.body]"),
    "a class changed at import": ("Skill.tag = 'x'\n", "return [skill.tag, skill.body]"),
    "a field of several types": (
        "from typing import Literal, Union\n\n\nclass Page:\n    one: Union[Skill, int]\n    two: Literal['a']\n    three: type[Skill]\n"
        "    four: 'Skill | int | None'\n    five: Union[Skill, Shelf, str]\n",
        "page = cast(Page, name)\n    return [page.one, page.two, page.three, page.four, page.five, skill.body]",
    ),
    "a sort by a generator": ("def each(one):\n    yield one\n", "return sorted([skill], key=each)[0].body"),
    "a sort of anything": ("KEPT = sorted([1], key=len)\n", "return [sorted(name), sorted(*name), skill.body]"),
    "two functions handed over": ("import outside\n", "outside.both(lambda one: one, lambda: 1)\n    return skill.body"),
    "a class that is never made": (
        "class Page:\n    def __init__(self):\n        raise KeyError\n", "return [cast(Page, name).held, skill.body]",
    ),
    "a tuple of a tuple": ("", "return tuple((1, skill))[1].body"),
    "a class by a computed name": ("", "setattr(Box, name, 1)\n    return skill.body"),
    "vars of a tuple": ("", "try:\n        vars((1, 2))\n    except TypeError:\n        pass\n    return skill.body"),
    "exec at import": ("exec(str(1))\n", "return skill.body"),
    "eval of no expression": ("", "try:\n        eval('x = 1')\n    except SyntaxError:\n        pass\n    return skill.body"),
    "modules that take long": (SLOW, "return [A.skill, B.skill, C, D, E, F, skill.body]"),
    "a namespace of packages": ("import agent\n", "return [agent, skill.body]"),
}  # fmt: skip
UNDECIDED = frozenset({"exec at import"})
"""With the guard as well: what a text that is put together binds is not followed."""


@pytest.mark.parametrize("form", FORMS)
def test_with_the_guard_an_odd_form_is_no_alarm(tmp_path: Path, form: str) -> None:
    top, body = FORMS[form]
    found = verdict(tmp_path, top, f"{GUARD}    {body}\n")
    assert found is (Verdict.UNDECIDED if form in UNDECIDED else Verdict.PROVED)


@pytest.mark.parametrize("form", FORMS)
def test_without_the_guard_an_odd_form_is_no_proof(tmp_path: Path, form: str) -> None:
    top, body = FORMS[form]
    assert verdict(tmp_path, top, f"    {body}\n") in (Verdict.REFUTED, Verdict.UNDECIDED)


def test_a_name_that_takes_too_long_at_import_is_known_by_its_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(modules, "LOADING_LIMIT", 20)
    shelf = "class Shelf:\n    def __init__(self, one):\n        self.one = one\n"
    of = prover(tmp_path, f"{shelf}\n\n{SLOW}")
    names = of.m.world.frame("module agent.door")
    for name in ("A", "B"):
        held = names[name]
        assert isinstance(held, Obj)
        assert held.cls.name == "Shelf"
    assert all(isinstance(names[name], Sym) for name in ("C", "D"))
    assert "E" not in names
    assert of.consulted(of.registry.surfaces[0]).verdict is Verdict.PROVED
