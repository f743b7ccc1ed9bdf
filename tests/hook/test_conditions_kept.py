"""The text by which a proof's condition is kept: of the statement that holds the line, the part that decides."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.hook.conditions import Conditions

CODE = """\
def door(skill, turn):
    if sealed(skill,
              turn):
        return None
    while sealed(skill, turn):
        wait()
    with opened(skill) as held, turn:
        use(held)
    for one in allowed(turn):
        use(one)
    match decide(skill):
        case "open":
            if sealed(skill): stop()
    try:
        use(skill)
    except KeyError:
        if sealed(turn): stop()
    shown = [one
             for one in skill
             if not sealed(one)
             if one]
    return skill


class Doors:
    async def open(self, turn):
        async with entered(turn):
            async for one in listed(turn): use(one)


x = 1
"""
CONDITIONS = {
    2: "door: if sealed(skill, turn)",
    3: "door: if sealed(skill, turn)",
    5: "door: while sealed(skill, turn)",
    7: "door: with opened(skill) as held, turn",
    9: "door: for ... in allowed(turn)",
    11: "door: match decide(skill)",
    13: "door: stop()",
    17: "door: stop()",
    19: "door: shown = [one for one in skill if not sealed(one) if one]",
    20: "door: if not sealed(one)",
    22: "door: return skill",
    27: "Doors.open: with entered(turn)",
    28: "Doors.open: use(one)",
    31: "x = 1",
    99: "",
}


@pytest.fixture
def conditions(tmp_path: Path) -> Conditions:
    (tmp_path / "doors.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "broken.py").write_text("def (", encoding="utf-8")
    return Conditions(tmp_path)


@pytest.mark.parametrize(("line", "text"), CONDITIONS.items())
def test_a_line_is_kept_as_what_decides_there(conditions: Conditions, line: int, text: str) -> None:
    assert conditions.of([f"the seal asked at doors.py:{line}"]) == (f"doors.py: {text}",)


def test_a_file_that_cannot_be_read_is_kept_as_its_path(conditions: Conditions) -> None:
    assert conditions.of(["the seal asked at gone.py:1", "the seal asked at broken.py:1"]) == ("broken.py", "gone.py")


def test_what_names_no_place_is_left_out_and_what_is_long_is_cut(conditions: Conditions, tmp_path: Path) -> None:
    (tmp_path / "long.py").write_text(f"x = {'+'.join(['one'] * 100)}\n", encoding="utf-8")
    (text,) = conditions.of(["by hand", "the seal asked at long.py:1", "the seal asked at long.py:1"])
    assert text.endswith("...")
    assert len(text) == len("long.py: ") + 160
