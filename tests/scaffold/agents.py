"""Code bases to propose registries for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.hook.scratch import FILES, REGISTRY

BARE = {name: text for name, text in FILES.items() if name != REGISTRY}
"""The small agent without its registry: one door, three calls away from its seal."""
DECOYS = """\
def blank(text):
    return text == ""


def same(one, other):
    return one == other


def one(a, b):
    if blank(a):
        return ""
    if same(a, b):
        return a
    return b


def two(a, b):
    if blank(a):
        return ""
    if same(a, b):
        return a
    return b


def three(a, b):
    if blank(a) or same(a, b):
        return ""
    return b
"""
GRANTS = """\
from agent.seal import sealed
from agent.store import STORE


def index(turn):
    return [skill.body for skill in STORE.all() if not sealed(skill.categories, turn.category)]


def peek(name):
    return STORE.get(name).body
"""
FULL = {**BARE, "agent/words.py": DECOYS, "agent/more.py": GRANTS}
"""The same with more doors, one of which does not ask, and with small predicates that guard nothing."""


def lay(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root
