"""How a frozen snapshot stayed green while residency had left one of two loading paths, and what caught it.

A tool that is resident by name is registered in mid-conversation, to force a new context segment: a provider that
refused the content is skipped for the rest of a segment and asked again in the next. The test counts how often the
provider was asked, and says nothing of skills or residency.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from entrypoints.agent import Agent, open_agent
from entrypoints.model import ContentRefused, Reply, ScriptedModel
from entrypoints.session import Session
from entrypoints.turn import Provider
from skills.loader import SkillLoader
from skills.residency import resident_names
from tests.agent.world import plain_tool, write_skill

CENTRAL = 70
"""Names in the central list before residency moved."""
SNAPSHOT = 89
"""Resident names that the snapshot had frozen."""
WHOLE_SKILLS = 12
"""Skills that were resident as a whole."""
OTHERS = frozenset(f"of_the_process_{number}" for number in range(SNAPSHOT - CENTRAL))
OF_SKILLS = [["get_current_time"], *([f"skill_{n}_{tool}" for tool in "abcd"] for n in range(1, WHOLE_SKILLS))]
MOVED = frozenset(name for names in OF_SKILLS for name in names)
LIST = MOVED | {f"core_{number}" for number in range(CENTRAL - len(MOVED))}
"""The central list as it was, and as it was restored."""


@pytest.fixture
def migrated(tmp_path: Path) -> SkillLoader:
    """Twelve skills whose frontmatter makes them resident."""
    reason = "availability: resident\navailability_reason: it was in the central list"
    for number, tools in enumerate(OF_SKILLS):
        write_skill(tmp_path / "skills", f"skill-{number}", reason, tools)
    return SkillLoader(tmp_path / "skills")


def times_asked(agent: Agent) -> int:
    """Five questions; after the fourth, which the provider refuses, a resident tool is registered."""
    agent.history.open_thread("story")
    first = ScriptedModel(Provider("first"), [Reply("yes")] * 3 + [ContentRefused, Reply("yes")])
    second = ScriptedModel(Provider("second"), [Reply("yes")] * 2)
    session = Session(agent, "story", [first, second])
    for number in range(4):
        session.ask(f"question {number}")
    agent.registry.register(plain_tool("get_current_time"))
    session.ask("question 4")
    return len(first.requests)


def loaderless(home: Path, central: frozenset[str]) -> Agent:
    """An agent put together by hand, as integration tests do it: nobody reads a SKILL.md."""
    return open_agent(home, loader=None, core=(), central=central)


def with_loader(home: Path, central: frozenset[str], loader: SkillLoader) -> Agent:
    """An agent that knows its skills; the tool of the clock is not registered yet."""
    agent = open_agent(home, loader=None, core=(), central=central)
    return Agent(agent.history, agent.store, loader, central, agent.registry)


def test_the_figures() -> None:
    assert (len(LIST), len(LIST | OTHERS), len(OF_SKILLS)) == (CENTRAL, SNAPSHOT, WHOLE_SKILLS)


def test_the_snapshot_stays_green_on_the_path_it_was_taken_on(migrated: SkillLoader) -> None:
    snapshot = sorted(resident_names(None, LIST | OTHERS))
    assert len(snapshot) == SNAPSHOT
    assert sorted(resident_names(migrated.all(), (LIST | OTHERS) - MOVED)) == snapshot


def test_in_frontmatter_alone_five_were_expected_and_four_received(tmp_path: Path, migrated: SkillLoader) -> None:
    assert times_asked(with_loader(tmp_path, LIST - MOVED, migrated)) == 5
    assert times_asked(loaderless(tmp_path, LIST - MOVED)) == 4


def test_the_two_paths_had_come_apart(migrated: SkillLoader) -> None:
    central = LIST - MOVED
    assert resident_names(migrated.all(), central) - resident_names(None, central) == MOVED


def test_the_union_answers_alike_on_both_paths(tmp_path: Path, migrated: SkillLoader) -> None:
    assert resident_names(migrated.all(), LIST) == resident_names(None, LIST)
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    assert times_asked(with_loader(tmp_path / "one", LIST, migrated)) == 5
    assert times_asked(loaderless(tmp_path / "two", LIST)) == 5
