"""Browsing surfaces neither list what is sealed nor explain its absence."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from entrypoints.index import render_index
from entrypoints.introspect import introspect
from entrypoints.table import build_table
from entrypoints.tool_search import search_tools
from entrypoints.turn import Turn
from tests.agent.world import SEALED_SKILLS, loading


def every_name(turn: Turn) -> set[str]:
    return {tool.name for group in turn.skills.groups for tool in group.tools}


def everything_browsed(turn: Turn) -> str:
    everywhere = " ".join(SEALED_SKILLS)
    found = search_tools(turn, f"{everywhere} books pays lists shows records", every_name(turn), limit=1000)
    return "\n".join([render_index(turn), repr(introspect(turn)), repr(build_table(turn, [])), repr(found)])


@pytest.mark.parametrize("name", SEALED_SKILLS)
def test_a_sealed_skill_leaves_no_trace(turn_of: Callable[..., Turn], name: str) -> None:
    turn = turn_of()
    skill = turn.skills.find(name)
    assert skill is not None
    text = everything_browsed(turn)
    assert f"{name}:" not in text
    assert skill.description not in text
    assert not [tool.name for tool in skill.tools if tool.name in text]
    assert "seal" not in text


@pytest.mark.parametrize(("name", "category"), SEALED_SKILLS.items())
def test_it_is_listed_where_it_is_open(turn_of: Callable[..., Turn], name: str, category: str) -> None:
    turn = turn_of(category)
    assert f"- {name}: " in render_index(turn)
    assert name in {card.name for card in introspect(turn)}
    assert "seal" not in everything_browsed(turn)


def test_one_category_opens_its_own_skills_and_no_others(turn_of: Callable[..., Turn]) -> None:
    listed = {card.name for card in introspect(turn_of("finance"))}
    assert listed & set(SEALED_SKILLS) == {"ledger", "payroll"}


def test_the_best_hits_are_cut_off_after_the_seal_has_been_asked(turn_of: Callable[..., Turn]) -> None:
    turn = turn_of()
    sealed_hits_first = "shows one bin pallet carrier dock shelf shift container notes"
    assert {hit.name for hit in search_tools(turn, sealed_hits_first, every_name(turn), limit=1)} == {"note_find"}


def test_a_forged_loading_mark_shows_nothing(turn_of: Callable[..., Turn]) -> None:
    shown = {schema.name for schema in build_table(turn_of(), [loading(*SEALED_SKILLS)])}
    assert shown == {schema.name for schema in build_table(turn_of(), [])}
