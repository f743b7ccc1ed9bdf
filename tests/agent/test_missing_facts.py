"""A fact that is missing never opens a seal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from entrypoints.agent import Agent, open_agent
from entrypoints.direct_call import call_tool
from entrypoints.gate import open_skills
from entrypoints.manual import read_manual
from entrypoints.refusal import Refused
from entrypoints.table import build_table
from entrypoints.turn import NO_PROVIDER, Provider, Thread, Turn
from skills.loader import SkillLoader
from tests.agent.world import RAN, SEALED_SKILLS, SHOP, TRUSTED, WAREHOUSE


@pytest.mark.parametrize(("name", "category"), SEALED_SKILLS.items())
@pytest.mark.parametrize("missing", ["category", "provider", "tag", "provider id and tags"])
def test_without_it_a_sealed_skill_stays_sealed(
    turn_of: Callable[..., Turn], name: str, category: str, missing: str
) -> None:
    turn = {
        "category": turn_of(None),
        "provider": turn_of(category, NO_PROVIDER),
        "tag": turn_of(category, Provider("untagged")),
        "provider id and tags": turn_of(category, Provider()),
    }[missing]
    with pytest.raises(Refused, match="is sealed"):
        read_manual(turn, name)


def test_with_all_facts_it_opens(turn_of: Callable[..., Turn]) -> None:
    for name, category in SEALED_SKILLS.items():
        assert read_manual(turn_of(category), name)


def test_where_a_turn_has_no_loader_the_process_wide_one_answers(agent: Agent) -> None:
    thread = agent.history.open_thread("x")
    with pytest.raises(Refused, match="payroll is sealed"):
        call_tool(agent.turn(thread, TRUSTED, loader=None), "payroll_run", {})


def test_a_table_is_the_same_with_the_turns_loader_and_with_the_process_wide_one(agent: Agent) -> None:
    thread = agent.history.open_thread("x", "finance")
    own, fallen_back = (agent.turn(thread, TRUSTED, loader=loader) for loader in (SkillLoader(), None))
    assert build_table(own, ()) == build_table(fallen_back, ())


def test_the_loader_of_the_turn_goes_before_the_process_wide_one(agent: Agent) -> None:
    thread = agent.history.open_thread("x")
    turn = agent.turn(thread, TRUSTED, loader=SkillLoader(enabled=["notes"]))
    assert [skill.name for skill in open_skills(turn)] == ["notes"]


@pytest.mark.parametrize("category", [None, *SEALED_SKILLS.values()])
def test_without_any_loader_the_tools_of_skills_and_servers_stay_sealed(tmp_path: Path, category: str | None) -> None:
    own = [tool for skill in SkillLoader().all() for tool in skill.tools if tool.name not in ("note_add", "note_find")]
    agent = open_agent(tmp_path, loader=None, namespaces=(*SHOP, *WAREHOUSE, *own))
    turn = agent.turn(agent.history.open_thread("x", category), TRUSTED)
    for tool in (*SHOP, *WAREHOUSE, *own):
        with pytest.raises(Refused, match="is sealed"):
            call_tool(turn, tool.name, {})
    assert agent.store.rows(RAN) == []
    assert not {tool.name for tool in (*SHOP, *WAREHOUSE)} & {schema.name for schema in build_table(turn, ())}


def test_an_unknown_thread_is_a_plain_one(agent: Agent) -> None:
    assert agent.history.thread("never seen") == Thread("never seen", None)


@pytest.mark.parametrize("spelling", ["", "Finance", "finance ", "(the skill's facts are missing)"])
def test_a_category_that_is_not_spelled_as_one_is_none(turn_of: Callable[..., Turn], spelling: str) -> None:
    assert turn_of(spelling, Provider("any", (spelling,))).category is None
