"""Attributes that are capabilities, or of which the seal is told: whose they are decides whether a function is worth following."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.flow.one_surface import prover_of

AGENT = """
def sealed(subject, asker):
    return subject == "payroll" and asker != "boss"


class Thing:
    label = ""


class Skill(Thing):
    body: str
    name: str


class Note:
    body: str
    name: str

    def __init__(self, name: str):
        self.name = name


class Proxy:
    def __getattr__(self, name):
        return getattr(self.held, name)


def look(skill: Skill, asker):
    return None if sealed(skill.name, asker) else skill.body


"""
REGISTRY = """
version: 1
code: [app]
seal: {function: "app.agent:sealed", verdict: sealed, subject: [subject], principal: [asker]}
capabilities:
  - {of: "app.agent:Skill.body", grant: value}
surfaces:
  look: {function: "app.agent:look", manner: named}
"""
WORTH = {
    "of the class": "def f(x: Skill):\n    return x.body",
    "of a base": "def f(x: Thing):\n    return x.body",
    "of anything": "def f(x):\n    return x.body",
    "of what hands on": "def f(x: Proxy):\n    return x.body",
    "by a computed name": "def f(x: Skill, name):\n    return getattr(x, name)",
    "of anything, by a computed name": "def f(x, name):\n    return getattr(x, 'body')",
    "what is told is set": "def f(x: Skill):\n    x.name = 'other'",
    "what is told is set of anything": "def f(x):\n    x.name = 'other'",
    "the principal is set": "def f(x: Note):\n    x.asker = 'boss'",
}
NOT_WORTH = {
    "of another class": "def f(x: Note):\n    return x.body",
    "of another class, by a computed name": "def f(x: Note, name):\n    return getattr(x, name)",
    "another attribute": "def f(x: Thing):\n    return x.label",
    "set of another class": "def f(x: Note):\n    x.name = 'other'",
    "another one is made": "def f():\n    return Note('other')",
}


@pytest.mark.parametrize("text", [*WORTH.values(), *NOT_WORTH.values()], ids=[*WORTH, *NOT_WORTH])
def test_whose_attribute_it_is_decides(text: str, tmp_path: Path) -> None:
    prover = prover_of(tmp_path, AGENT + text + "\n", REGISTRY)
    info = next(info for info in prover.m.functions.values() if info.qualname == "f")
    assert prover.m.reach is not None
    assert prover.m.reach.matters(info) is (text in WORTH.values())
