"""Residency is a union: the central list, which holds in any loading state, and what resident skills add."""

from __future__ import annotations

from pathlib import Path

import pytest

from skills.groups import index_of
from skills.loader import SkillLoader
from skills.residency import (
    ALWAYS_AVAILABLE,
    always_loaded,
    resident_names,
    resident_with_loader,
    resident_without_loader,
)
from tests.agent.world import plain_tool, write_skill

RESIDENT = "availability: resident\navailability_reason: it was missed once"


def test_both_loading_paths_give_one_answer() -> None:
    assert resident_with_loader() == resident_without_loader()


def test_the_central_list_holds_without_a_loader() -> None:
    assert resident_names(None) == ALWAYS_AVAILABLE
    assert all(always_loaded(tool, None) for tool in ALWAYS_AVAILABLE)


def test_frontmatter_adds(tmp_path: Path) -> None:
    write_skill(tmp_path, "figs", RESIDENT, tools=["fig_pick"])
    assert resident_names(SkillLoader(tmp_path).all()) == ALWAYS_AVAILABLE | {"fig_pick"}
    assert always_loaded("fig_pick", SkillLoader(tmp_path).all())


def test_frontmatter_takes_nothing_away(tmp_path: Path) -> None:
    write_skill(tmp_path, "clock", "availability: deferred", tools=["get_current_time"])
    assert always_loaded("get_current_time", SkillLoader(tmp_path).all())


def test_saying_it_twice_does_no_harm(tmp_path: Path) -> None:
    write_skill(tmp_path, "clock", RESIDENT, tools=["get_current_time"])
    assert resident_names(SkillLoader(tmp_path).all()) == ALWAYS_AVAILABLE


def test_a_deferred_skill_adds_nothing(tmp_path: Path) -> None:
    write_skill(tmp_path, "figs", tools=["fig_pick"])
    assert not always_loaded("fig_pick", SkillLoader(tmp_path).all())


@pytest.mark.parametrize("bound", [False, True])
def test_a_resident_skill_adds_its_own_tools_and_never_its_namespaces(tmp_path: Path, bound: bool) -> None:
    write_skill(tmp_path, "figs", f"{RESIDENT}\nmcp: [orchard]", tools=["fig_pick"])
    skills = SkillLoader(tmp_path).all()
    tools = [*skills[0].tools, plain_tool("climb_tree", namespace="orchard")]
    known = index_of(skills, tools).all() if bound else skills
    assert resident_names(known) - ALWAYS_AVAILABLE == {"fig_pick"}
