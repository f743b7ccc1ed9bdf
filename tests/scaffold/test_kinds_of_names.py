"""Of which class a name is, and of what nature a function: as far as its own text tells, and nothing beyond."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from pytest_invariants.scaffold.acting import grant_of
from pytest_invariants.scaffold.annotations import Kind
from pytest_invariants.scaffold.bindings import own_attributes
from pytest_invariants.scaffold.natures import Nature, nature_of, parts_given_back
from pytest_invariants.scaffold.reading import Reading, read_code

from tests.scaffold.agents import lay

HEAD = """\
from collections.abc import Callable, Coroutine
from contextlib import contextmanager
from typing import Optional, Union, cast
from app.other import remote


class Tool:
    name: str
    description: str

    def __call__(self):
        return self

    def run(self) -> "Answer":
        return Answer()

    def twin(self) -> "Tool":
        return self


class Heir(Tool):
    def run(self) -> "Answer":
        return super().run()

    def go(self):
        one = super().twin()
        return one

    def go_on(self):
        return self.go()


class Answer:
    text: str
    only_here: str


Alias = Optional[Tool]
Chain = Union["Chain", Tool]
MADE = Tool()
ALL: list[Tool] = []


def pair() -> tuple[Tool, Answer]:
    return MADE, Answer()


def many() -> list[Tool]:
    return ALL


"""
NAMES = {
    "an annotation": ("def f():\n    one: Tool = x\n", "Tool"),
    "a text": ("def f(one: 'Tool'):\n    pass\n", "Tool"),
    "a broken text": ("def f(one: 'Tool['):\n    pass\n", None),
    "or nothing": ("def f(one: None | Tool):\n    pass\n", "Tool"),
    "optional": ("def f(one: Optional[Tool]):\n    pass\n", "Tool"),
    "a union": ("def f(one: Union[int, Tool]):\n    pass\n", "Tool"),
    "a union of nothing": ("def f(one: Union[int, str]):\n    pass\n", None),
    "a coroutine": ("def f(one: Coroutine[int, int, Tool]):\n    pass\n", "Tool"),
    "a function": ("def f(one: Callable[[], Tool]):\n    pass\n", None),
    "a list": ("def f(one: list[Tool]):\n    pass\n", "Tool*"),
    "a table": ("def f(one: dict[str, Tool]):\n    pass\n", "Tool*"),
    "a list of lists of numbers": ("def f(one: list[int]):\n    pass\n", None),
    "a name for a type": ("def f(one: Alias):\n    pass\n", "Tool"),
    "a name within itself": ("def f(one: Chain):\n    pass\n", "Tool"),
    "part of a tuple": ("def f():\n    one, two = pair()\n", "Tool"),
    "part of what is awaited": ("async def f():\n    one, (a, b) = await pair()\n", "Tool"),
    "part of anything": ("def f():\n    one, two = unknown()\n", None),
    "an element": ("def f():\n    for one in many():\n        pass\n", "Tool"),
    "an element by number": ("def f():\n    for n, one in enumerate(many()):\n        pass\n", "Tool"),
    "an element of a table": ("def f(given: dict[str, Tool]):\n    for key, one in given.items():\n        pass\n", "Tool"),
    "part of an element": ("def f():\n    for one, two in many():\n        pass\n", None),
    "either": ("def f():\n    one = unknown() or MADE\n", "Tool"),
    "neither": ("def f():\n    one = unknown() or other()\n", None),
    "one way or the other": ("def f(x):\n    one = unknown() if x else MADE\n", "Tool"),
    "chosen": ("def f():\n    one = [each for each in many() if each]\n", "Tool*"),
    "chosen from anything": ("def f():\n    one = [each for each in unknown()]\n", None),
    "the first": ("def f():\n    one = many()[0]\n", "Tool"),
    "the first ones": ("def f():\n    one = many()[:2]\n", "Tool*"),
    "cast": ("def f(x):\n    one = cast(Tool, x)\n", "Tool"),
    "sorted": ("def f():\n    one = sorted(many())\n", "Tool*"),
    "next": ("def f():\n    one = next(iter(many()))\n", "Tool"),
    "sorted from anything": ("def f():\n    one = sorted(unknown())\n", None),
    "got by a key": ("def f(given: dict[str, Tool]):\n    one = given.get('x')\n", "Tool"),
    "its values": ("def f(given: dict[str, Tool]):\n    one = list(given.values())\n", "Tool*"),
    "a module's object": ("def f():\n    one = MADE\n", "Tool"),
    "a method's": ("def f():\n    one = MADE.twin()\n", "Tool"),
    "a field read alone": ("def f(one):\n    return one.only_here\n", "Answer"),
    "a field of several": ("def f(one):\n    return one.run\n", None),
    "tested": ("def f(one):\n    return isinstance(one, Tool)\n", "Tool"),
    "of the function around": ("def g(one: Tool):\n    def f():\n        return one\n    return f\n", "Tool"),
    "hidden from around": ("def g(one: Tool):\n    def f(one):\n        return one\n    return f\n", None),
    "assigned in a test": ("def f():\n    if one := MADE:\n        pass\n", "Tool"),
    "awaited": ("async def f():\n    one = await remote(MADE)\n", None),
    "made": ("def f():\n    one = Tool()\n", "Tool"),
}  # fmt: skip


def reading(root: Path, text: str) -> Reading:
    lay(root, {"app/__init__.py": "", "app/main.py": HEAD + text, "app/other.py": "async def remote(x): ...\n"})
    return read_code(root, ("app",))


def told(kind: Kind | None) -> str | None:
    return kind and kind.cls.removeprefix("app.main:") + "*" * kind.many


@pytest.mark.parametrize(("text", "expected"), NAMES.values(), ids=NAMES)
def test_of_which_class_a_name_is(tmp_path: Path, text: str, expected: str | None) -> None:
    types = reading(tmp_path, text).types
    (ref,) = [each for each in types if each.rpartition(":")[2] in ("f", "g.<locals>.f")]
    assert told(types[ref].names.get("one")) == expected


CALLS = {
    "a method of the class above": ("", "Heir.run", "Tool.run"),
    "a nested function": ("def f():\n    def inner(): ...\n    inner()\n", "f", "f.<locals>.inner"),
    "a function beside it": ("def f():\n    def a(): ...\n    def b():\n        a()\n", "f.<locals>.b", "f.<locals>.a"),
    "an object": ("def f(one: Tool):\n    one()\n", "f", "Tool.__call__"),
    "a method that one class has": ("def f(one):\n    one.go()\n", "f", "Heir.go"),
    "a method of many": ("def f(one: list[Tool]):\n    one.go()\n", "f", None),
    "a method of a class below": ("def f(one: Tool):\n    one.go_on()\n", "f", "Heir.go_on"),
    "a common word of a class below": ("def f(one: Tool):\n    one.go()\n", "f", "Tool.go"),
    "nothing known": ("def f(one):\n    one.quite_unknown()\n", "f", None),
}


@pytest.mark.parametrize(("text", "ref", "expected"), CALLS.values(), ids=CALLS)
def test_what_a_call_calls(tmp_path: Path, text: str, ref: str, expected: str | None) -> None:
    read = reading(tmp_path, text)
    function = read.survey.functions[f"app.main:{ref}"]
    calls = [node for node in function.nodes if isinstance(node, ast.Call)]
    named = [
        read.types[function.ref].target(call)
        for call in calls
        if not isinstance(call.func, ast.Name) or call.func.id != "super"
    ]
    assert [name and name.removeprefix("app.main:") for name in named] == [expected]


NATURES = {
    "a truth": ("def f(x) -> bool: ...\n", Nature.YES_OR_NO),
    "a truth by its text": ("def f(x):\n    return x and not x\n", Nature.YES_OR_NO),
    "a truth by a call": ("def f(x):\n    return any(x)\n", Nature.YES_OR_NO),
    "no truth": ("def f(x):\n    return len(x)\n", None),
    "nothing to decide on": ("def f() -> bool: ...\n", None),
    "far too long": ("def f(x) -> bool:\n" + "    x += 1\n" * 60, None),
    "a reason": ("def f(x) -> Optional[str]: ...\n", Nature.REASON),
    "a reason by its name": ("def f(x) -> 'Refusal' | None: ...\n", Nature.REASON),
    "a number or nothing": ("def f(x) -> Optional[int]: ...\n", None),
    "a list or nothing": ("def f(x) -> list[int] | None: ...\n", None),
    "a reason by its text": ("def f(x):\n    if x:\n        return 'no'\n    return None\n", Nature.REASON),
    "raises": ("def f(x):\n    if x:\n        raise PermissionError\n", Nature.RAISES),
    "filters": ("def f(x):\n    return [each for each in x if each]\n", Nature.FILTERS),
    "filters nothing": ("def f(x):\n    return [each for each in x]\n", None),
    "looks up": ("def f(x) -> Tool:\n    if x:\n        raise KeyError\n    return x\n", Nature.RAISES),
    "finds fault with its argument": ("def f(x) -> Tool:\n    if x:\n        raise ValueError\n    return x\n", None),
    "is entered": ("@contextmanager\ndef f(x):\n    yield x\n", Nature.ENTERS),
    "is entered for long": ("@contextmanager\ndef f(x):\n    yield x\n" + "    x += 1\n" * 20, None),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), NATURES.values(), ids=NATURES)
def test_how_a_function_decides(tmp_path: Path, text: str, expected: Nature | None) -> None:
    read = reading(tmp_path, text)
    assert nature_of(read.survey.functions["app.main:f"], read.types["app.main:f"], read.things) is expected


def test_what_is_given_back_part_by_part(tmp_path: Path) -> None:
    read = reading(tmp_path, "")
    function = read.survey.functions["app.main:pair"]
    assert [told(kind) for kind in parts_given_back(function, read.types[function.ref])] == ["Tool", "Answer"]
    whole = read.survey.functions["app.main:many"]
    assert [told(kind) for kind in parts_given_back(whole, read.types[whole.ref])] == ["Tool*"]


GRANTS = {
    "a coroutine": ("async def f(x): ...\n", "call"),
    "a reader": ("def f(x):\n    return x.get('a').strip()\n", "value"),
    "a builder": ("def f(x):\n    return Tool()\n", "value"),
    "a plain name": ("def f(x):\n    return len(x)\n", "value"),
    "one that posts": ("def f(x):\n    x.post()\n", "call"),
    "one that asks one that posts": ("def g(x):\n    x.post()\n\ndef f(x):\n    g(x)\n", "call"),
    "one that asks one that reads": ("def g(x):\n    return x.get()\n\ndef f(x):\n    return g(x)\n", "value"),
    "two that ask each other": ("def g(x):\n    return f(x)\n\ndef f(x):\n    return g(x)\n", "value"),
    "a chain too long to follow": (
        "def f(x):\n    return a(x)\n"
        + "".join(f"def {a}(x):\n    return {b}(x)\n" for a, b in zip("abcdefg", "bcdefgh", strict=True)),
        "call",
    ),
}


@pytest.mark.parametrize(("text", "expected"), GRANTS.values(), ids=GRANTS)
def test_whether_it_gives_or_does(tmp_path: Path, text: str, expected: str) -> None:
    if "return h(" in text:
        text += "def h(x):\n    return x\n"
    assert grant_of(reading(tmp_path, text), "app.main:f") == expected


def test_what_a_method_keeps() -> None:
    text = """\
def __init__(self, a: A, b: B, c: C, d):
    self.one: Own = a
    self.two = a
    self.three = b or None
    self.four = c if c else None
    self.five = Made()
    self.six = made()
    self.seven = d
    self.eight, other = 1, 2
"""
    (node,) = ast.parse(text).body
    assert isinstance(node, ast.FunctionDef)
    kept: dict[str, str | None] = {}
    for name, annotation in own_attributes(node):
        kept[name] = kept.get(name) or (annotation and ast.unparse(annotation))
    assert kept == {
        "one": "Own", "two": "A", "three": "B", "four": "C", "five": "Made", "six": None, "seven": None, "eight": None,
    }  # fmt: skip
