"""What `init` finds again of a hand-written registry, and how the page shows it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from examples.field.proposed import Found, Given, examine, proposed
from tests.hook.scratch import FILES, REGISTRY, Scratch

GUARDS = """\
from agent.checks import Refused, require_open
from agent.seal import sealed
from agent.store import STORE


def listed(turn):
    return [skill.body for skill in STORE.all() if not sealed(skill.categories, turn.category)]


def shown(turn, name):
    skill = STORE.get(name)
    if skill is None or sealed(skill.categories, turn.category):
        raise Refused(name)
    return skill.body
"""
TWICE = FILES[REGISTRY] + (
    '  listed: {function: "agent.more:listed", manner: browse}\n  shown: {function: "agent.more:shown", manner: named}\n'
)


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    made = Scratch.make(tmp_path / "repository", files={**FILES, "agent/more.py": GUARDS, REGISTRY: TWICE})
    return made.agent / REGISTRY


@pytest.mark.parametrize("given", list(Given))
def test_what_is_found_again_is_counted(registry: Path, given: Given) -> None:
    found = examine(registry, given)
    assert (found.seal, found.rank, found.roles) == ("agent.seal:sealed", 1, 3)
    assert (found.capabilities, found.capabilities_sure, found.capabilities_by_hand) == (1, 1, 1)
    assert (found.surfaces, found.surfaces_by_hand, found.missed) == (3, 3, [])
    assert found.megabytes > 0


def test_what_is_not_found_is_named(registry: Path) -> None:
    text = registry.read_text(encoding="utf-8")
    registry.write_text(text + '  odd: {function: "agent.seal:sealed", manner: named}\n', encoding="utf-8")
    found = examine(registry, Given.SEAL)
    assert (found.surfaces, found.surfaces_by_hand, found.missed) == (3, 4, ["agent.seal:sealed"])


def test_a_child_answers_and_one_that_takes_too_long_or_fails_is_told(registry: Path) -> None:
    assert proposed(registry, Given.SEAL, 100).surfaces == 3
    assert proposed(registry.with_name("nowhere.yaml"), Given.SEAL, 100).trouble


def test_the_page_says_what_was_found_and_what_never_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "examples"))
    monkeypatch.delitem(sys.modules, "field", raising=False)
    from examples.init_report import Row, page

    some = Found(seal="a:b", rank=1, roles=2, capabilities=1, capabilities_by_hand=2, surfaces=3, surfaces_by_hand=4)
    some.missed = ["a:c"]
    text = page(
        [Row("toy", Given.NOTHING, some), Row("toy", Given.SEAL, some), Row("b", Given.SEAL, Found("too slow"))]
    )
    assert "| toy | place 1 | 2 of 3 | 1 of 2 |" in text
    assert "| toy | given | 2 of 3 |" in text
    assert "no answer: too slow" in text
    first = "In sum: of 1 seals 1 come first, 1 among the first three, 1 among the first five; "
    assert f"{first}1 of 2 capabilities, 3 of 4 surfaces." in text
    assert "## toy: surfaces that are never proposed\n\n- `a:c`" in text
