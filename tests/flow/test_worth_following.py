"""Which functions may lead to a capability, told from their text: what an attribute is read of decides whose method it may be."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.flow.one_surface import GATE, prover_of

AGENT = (
    """
import copy
from typing import cast

import otherpack
from pydantic import BaseModel


"""
    + GATE
    + """
class Handle:
    def close(self):
        return secret("payroll")

    def _close(self):
        return secret("payroll")


class Inherited(otherpack.Base):
    def _close(self):
        return secret("payroll")


class Plain:
    def close(self):
        return None

    def __enter__(self):
        return self


class Note(BaseModel):
    text: str
    plain: Plain

    def close(self):
        return None


class Failure(Exception):
    def close(self):
        return None


def plains() -> list[Plain]:
    return []


def drawn(names) -> "Iterator[Plain]":
    yield Plain()


def look(name, asker):
    return None if sealed(name, asker) else secret(name)


"""
)
KNOWN = {
    "an annotation": "def f(x: Plain):\n    x.close()",
    "a foreign annotation": "def f(x: otherpack.Thing):\n    x.close()",
    "reversed": "def f(xs: list[Plain]):\n    for x in reversed(xs):\n        x.close()",
    "a list's element": "def f(xs: list[Plain]):\n    for x in xs:\n        x.close()",
    "a display's element": "def f():\n    for x in [Plain(), Plain()]:\n        x.close()",
    "an element or none": "def f(xs: list[Plain] | None):\n    for x in xs or []:\n        x.close()",
    "a comprehension's element": "def f(names):\n    for x in [Plain() for _ in names]:\n        x.close()",
    "numbered": "def f(xs: list[Plain]):\n    for at, x in enumerate(xs):\n        x.close()",
    "side by side": "def f(names, xs: list[Plain]):\n    for name, x in zip(names, xs):\n        x.close()",
    "an entry": "def f(xs: dict[str, Plain]):\n    for name, x in xs.items():\n        x.close()",
    "sorted": "def f(xs: list[Plain]):\n    for x in sorted(xs):\n        x.close()",
    "the next one": "def f(xs: list[Plain]):\n    x = next(iter(xs))\n    x.close()",
    "a slice": "def f(xs: list[Plain]):\n    for x in xs[1:]:\n        x.close()",
    "unpacked": "def f():\n    x, y = Plain(), 1\n    x.close()",
    "cast": "def f(x):\n    cast(Plain, x).close()",
    "cast by a text": "def f(x):\n    cast('Plain', x).close()",
    "a copy": "def f(x: Plain):\n    y = copy.deepcopy(x)\n    y.close()",
    "a model's copy": "def f(x: Note):\n    y = x.model_copy()\n    y.close()",
    "a model that was read": "def f(text):\n    x = Note.model_validate_json(text)\n    x.close()",
    "a model's field": "def f(x: Note):\n    x.plain.close()",
    "an exception": "def f(g):\n    try:\n        g()\n    except Failure as x:\n        x.close()",
    "what a function gives": "def f():\n    for x in plains():\n        x.close()",
    "what a generator gives": "def f(names):\n    for x in drawn(names):\n        x.close()",
    "a builtin's method": "def f(x, name):\n    object.__setattr__(x, name, 1)",
}
UNKNOWN = {
    "no annotation": "def f(x):\n    x.close()",
    "the other class": "def f(x: Handle):\n    x.close()",
    "one of two": "def f(x: Plain | Handle):\n    x.close()",
    "a foreign class of form": "def f(x: otherpack.SupportsClose):\n    x.close()",
    "a foreign class that is overridden": "def f(x: otherpack.Base):\n    x._close()",
    "a foreign method that calls back": "def f(x: Inherited):\n    x.close()",
    "a foreign method that may call back": "def f(x: otherpack.Base):\n    x.stop()",
    "something more is put in": "def f(y):\n    xs = [Plain()]\n    xs.append(y)\n    for x in xs:\n        x.close()",
    "made anew of it": "def f(y):\n    xs = list(plains())\n    xs.append(y)\n    for x in xs:\n        x.close()",
    "one part is not known": "def f(y):\n    for x in [Plain(), y]:\n        x.close()",
    "bound twice": "def f(y):\n    x = Plain()\n    x = y\n    x.close()",
    "an attribute of a foreign object": "def f(x: otherpack.Thing):\n    x.state.close()",
    "what a foreign function gives": "def f():\n    otherpack.make().close()",
}


def matters(folder: Path, body: str) -> bool:
    m = prover_of(folder, f"{AGENT}{body}\n").m
    assert m.reach is not None
    return m.reach.matters(next(info for info in m.functions.values() if info.qualname == "f"))


@pytest.mark.parametrize("body", KNOWN.values(), ids=list(KNOWN))
def test_what_is_read_of_a_known_class_is_that_classs(tmp_path: Path, body: str) -> None:
    assert not matters(tmp_path, body)


@pytest.mark.parametrize("body", UNKNOWN.values(), ids=list(UNKNOWN))
def test_what_may_be_another_class_may_lead_there(tmp_path: Path, body: str) -> None:
    assert matters(tmp_path, body)
