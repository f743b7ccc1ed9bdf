"""Who registers with a class is searched for in the text, comments and all: so a comment may bear on a verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hook.scratch import FILES, Scratch

UNTOUCHED = "entrypoints/registry.yaml: no staged change touches what it judges\n"
DOORS, KINDS, MORE = "agent/doors.py", "agent/kinds.py", "agent/more.py"
CLASSES = "class Base:\n    pass\n\n\nclass Other:\n    pass\n"
DOOR = '''\
from agent.gate import opened
from agent.kinds import Base, Other
from agent.store import STORE


def activate(turn, name):
    """Open a skill."""
    thing = Other()
    if isinstance(thing, Base):
        return STORE.get(name).body
    return opened(turn, name).body
'''
OTHERWISE = CLASSES + "# B.register(Other) says that it is a Base\n"
CHANGES = {
    "a comment": ({}, {KINDS: CLASSES + "# Base.register(Other)\n"}),
    "a documentation": ({KINDS: f'"""Kinds."""\n{CLASSES}'}, {KINDS: f'"""Base.register(Other)"""\n{CLASSES}'}),
    "another name in another file": (
        {KINDS: OTHERWISE, MORE: "# register\n"},
        {MORE: "# register: Base as B\n"},
    ),
    "another name in the same file": (
        {KINDS: CLASSES + "# B.register(Other)\n"},
        {KINDS: CLASSES + "# B.register(Other) for Base as B\n"},
    ),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("known", [False, True])
def test_a_comment_that_may_register_a_class_is_judged(tmp_path: Path, name: str, known: bool) -> None:
    before, change = CHANGES[name]
    made = Scratch.make(tmp_path / "r", files={**FILES, DOORS: DOOR, KINDS: CLASSES, **before})
    made.commit()
    if known:
        made.stage({"agent/gate.py": FILES["agent/gate.py"] + "\n\nMORE = 1\n"})
        assert made.hook().returncode == 0
        made.commit()
    made.stage(dict(change))
    run = made.hook()
    assert run.returncode == 1
    assert "unguarded: activate was proved" in run.stdout


def test_any_other_comment_there_is_not(tmp_path: Path) -> None:
    made = Scratch.make(tmp_path / "r", files={**FILES, DOORS: DOOR, KINDS: CLASSES + "# registers nothing\n"})
    made.commit()
    made.stage({KINDS: CLASSES + "# registers nothing, of no kind\n"})
    assert made.hook(CI="true").stdout == UNTOUCHED
