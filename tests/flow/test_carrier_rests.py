"""What a door does beside letting a body out, in every statement and call that Python has: with the guard never an alarm,
without it never a proof."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.verdict import Verdict

from tests.flow.test_carrier_corners import GUARD, verdict

KEPT = "class Kept:\n    def __init__(self, one):\n        self.one = one\n"
GIVE = "async def give(one):\n    return one.body\n"
FORMS: dict[str, tuple[str, str]] = {
    "one of two, as a truth": (
        "import os\n\nif os.name:\n    A = Shelf(None)\nelse:\n    A = 0\n",
        "if A:\n        return 1\n    return skill.body",
    ),
    "none and true": ("", "if name is None and name:\n        return 1\n    return skill.body"),
    "true and none": ("", "if name and name is None:\n        return 1\n    return skill.body"),
    "an object that is none and true": ("", "if skill is None and skill:\n        return 1\n    return skill.body"),
    "an iterator as a truth": ("", "rows = iter([1])\n    if not rows:\n        return 1\n    return skill.body"),
    "one of some": ("", "if 'x' in ('y', name):\n        return 1\n    return skill.body"),
    "made and initialised": (
        "class One:\n    def __new__(cls, one):\n        return object.__new__(cls)\n\n"
        "    def __init__(self, one):\n        self.one = one\n",
        "return One(skill).one.body",
    ),
    "a model without its field": ("from elsewhere import Model\n\n\nclass Page(Model):\n    held: Skill\n", "Page(x=1)\n"
        "    return skill.body"),
    "a factory that fails": (
        "def fail():\n    raise KeyError\n\n\n@dataclasses.dataclass\nclass Page:\n"
        "    held: list = dataclasses.field(default_factory=fail)\n",
        "Page()\n    return skill.body",
    ),
    "an annotation that is no type": (
        "class Page:\n    held: 1 + 1\n\n    def __init__(self, one):\n        self.held = one\n",
        "return [cast(Page, name).held, skill.body]",
    ),
    "a default that is an object": (
        "SHELF = Shelf(None)\n\n\nclass Page:\n    def __init__(self, held=SHELF):\n        self.held = held\n",
        "return [cast(Page, name).held, skill.body]",
    ),
    "twelve lists": ("", "return [[[[[[[[[[[[skill.body]]]]]]]]]]]]"),
    "a list in itself": ("", "kept = []\n    kept.append(kept)\n    kept.append(skill.body)\n    return kept"),
    "an object in a generator": ("def each(one):\n    yield Shelf([one.body])\n", "return list(each(skill))"),
    "a list in an object in a generator": (
        "def each(one):\n    kept = Shelf([])\n    kept.skill.append(one.body)\n    yield kept\n", "return [*each(skill)]",
    ),
    "a module's own names": ("def __getattr__(name):\n    raise AttributeError(name)\n", "from agent.door import thing\n"
        "    return [thing, skill.body]"),
    "a module's own names, given": ("def __getattr__(name):\n    return name\n", "from agent.door import thing\n"
        "    return [thing, skill.body]"),
    "a module's own names, by a library": ("__getattr__ = str\n", "from agent.door import thing\n    return [thing, skill.body]"),
    "a match of anything": ("", "match name:\n        case Shelf(skill=held):\n            return 1\n    return skill.body"),
    "a match by its own order": (
        KEPT.replace("def __init__", '__match_args__ = ("one",)\n\n    def __init__'),
        "match Kept(skill):\n        case Kept(held):\n            return held.body",
    ),
    "a text is no list": ("", "match 'text':\n        case [a, b]:\n            return 1\n    return skill.body"),
    "an object is no list": ("", "match skill:\n        case [a]:\n            return 1\n        case _:\n            return skill.body"),
    "a pair is no single": ("", "match (name, skill):\n        case [a]:\n            return 1\n        case [_, held]:\n"
        "            return held.body"),
    "a star without a name": ("", "match (skill, name):\n        case [held, *_]:\n            return held.body"),
    "a match of a constant": ("", "match name:\n        case 'a' | 'b':\n            return skill.body\n        case None:\n"
        "            return 1"),
    "a function by an index": ("", "try:\n        print[name]\n    except TypeError:\n        pass\n    return skill.body"),
    "a list of its own": (
        "from collections import UserList\n\n\nclass Rows(UserList):\n    pass\n", "return Rows([skill])[0].body",
    ),
    "a table by a truth and more": ("", "return {True: skill.body, name: 1}[not name]"),
    "a table by a truth": ("", "return {True: skill.body, False: 1}[not name]"),
    "a table by numbers": ("", "return {1: skill.body, 0: 1}[bool(name)]"),
    "no such prefix": ("", "return [getattr(skill, f'zzz_{name}', None), skill.body]"),
    "perhaps an attribute": (KEPT, "return [getattr(cast(Kept, name), 'one', None), skill.body]"),
    "perhaps no attribute": (KEPT, "return [getattr(cast(Kept, name), 'two', None), skill.body]"),
    "an attribute of a class": ("", "return getattr(Skill, 'of', None)(skill.name).body"),
    "no attribute of a class": ("", "return [getattr(Skill, 'off', None), skill.body]"),
    "any attribute of an object": (KEPT, "return [getattr(Kept(1), name), skill.body]"),
    "any attribute": ("", "return getattr(skill, name)"),
    "by a computed keyword": ("def of(*, one):\n    return one.body\n", "return of(**{name: skill})"),
    "by unknown keywords": ("def of(*, one=None):\n    return one\n", "return [of(**name), skill.body]"),
    "by unknown places": ("def of(one, two=None):\n    return one\n", "return [of(*name), skill.body]"),
    "by keywords twice": (
        "def of(*, one, two):\n    return one.body\n",
        "return functools.partial(of, **{name: skill})(**{name + 'x': skill})",
    ),
    "a piece of a text": ("", "return ['text'[1:], skill.body]"),
    "a piece of anything": ("", "return [name[1:], skill.body[1:]]"),
    "a registered class": (
        "import outside\n\n\n@outside.register\nclass Page:\n    def __init__(self, one):\n        self.one = one\n",
        "return Page(skill).one.body",
    ),
    "a method that remembers": (
        "class Page:\n    @functools.lru_cache\n    def of(self, one):\n        return one.body\n", "return Page().of(skill)",
    ),
    "a context that forgives": (
        "from contextlib import ExitStack, contextmanager\n\n\n@contextmanager\ndef quiet():\n"
        "    try:\n        yield\n    except KeyError:\n        pass\n",
        "with ExitStack() as stack:\n        stack.enter_context(quiet())\n        if name:\n            raise KeyError\n"
        "    return skill.body",
    ),
    "a context of a partial": (
        "from contextlib import contextmanager\n\n\ndef each(one):\n    yield one\n",
        "with contextmanager(functools.partial(each, skill))() as held:\n        return held.body",
    ),
    "an enumeration": ("from agent.store import Kind\n", "return [(kind.name, skill.body) for kind in Kind]"),
    "a lower exception": (
        "class Low(Exception):\n    pass\n\n\nclass Lower(Low):\n    pass\n",
        "try:\n        raise Low\n    except Lower:\n        return 1\n    except Low:\n        return skill.body",
    ),
    "a higher exception": (
        "class Low(Exception):\n    pass\n\n\nclass Lower(Low):\n    pass\n",
        "try:\n        raise Lower\n    except Low:\n        return skill.body",
    ),
    "a generator in a tuple": ("def each(one):\n    yield one.body\n", "return (each(skill), 1)"),
    "a coroutine in a tuple": (GIVE, "return (give(skill), 1)"),
    "a coroutine": (GIVE, "return give(skill)"),
    "a promise by its type": (
        "from collections.abc import Awaitable\n\n\ndef fetch(name) -> Awaitable[Skill]: ...\n",
        "async def inner():\n        await fetch(name)\n        return skill.body\n\n    return inner()",
    ),
    "a promise of anything": (
        "def fetch(name): ...\n", "async def inner():\n        await name\n        return skill.body\n\n    return inner()",
    ),
    "gathered": (GIVE, "async def inner():\n        return await asyncio.gather(give(skill), give(skill))\n\n    return inner()"),
    "gathered from a list": (
        GIVE, "async def inner():\n        return await asyncio.gather(*[give(one) for one in [skill]])\n\n    return inner()",
    ),
    "gathered with failures": (
        GIVE, "async def inner():\n        return await asyncio.gather(give(skill), return_exceptions=True)\n\n    return inner()",
    ),
    "gathered from anywhere": (
        GIVE, "async def inner():\n        await asyncio.gather(*[name])\n        return skill.body\n\n    return inner()",
    ),
    "awaited by its own way": (
        "class Wait:\n    def __init__(self, one):\n        self.one = one\n\n    def __await__(self):\n        yield\n"
        "        return self.one.body\n",
        "async def inner():\n        return await Wait(skill)\n\n    return inner()",
    ),
    "yielded from a list": ("def each(one):\n    yield from [one.body]\n", "return list(each(skill))"),
    "yielded from another": (
        "def each(one):\n    yield one.body\n\n\ndef both(one):\n    yield from each(one)\n", "return list(both(skill))",
    ),
    "kept for later": ("KEPT = []\n", "KEPT.append(functools.partial(print, name))\n    return skill.body"),
    "tasks in a loop": (
        GIVE,
        "async def inner():\n        async with asyncio.TaskGroup() as group:\n            if name:\n"
        "                group.create_task(give(skill))\n"
        "            task = group.create_task(give(skill))\n        return task.result()\n\n    return inner()",
    ),
}  # fmt: skip
UNDECIDED = frozenset({"a list of its own", "a context of a partial"})
"""With the guard as well: another package decides what comes out."""


@pytest.mark.parametrize("form", FORMS)
def test_with_the_guard_the_rest_is_no_alarm(tmp_path: Path, form: str) -> None:
    top, body = FORMS[form]
    found = verdict(tmp_path, top, f"{GUARD}    {body}\n")
    assert found is (Verdict.UNDECIDED if form in UNDECIDED else Verdict.PROVED)


@pytest.mark.parametrize("form", FORMS)
def test_without_the_guard_the_rest_is_no_proof(tmp_path: Path, form: str) -> None:
    top, body = FORMS[form]
    assert verdict(tmp_path, top, f"    {body}\n") in (Verdict.REFUTED, Verdict.UNDECIDED)
