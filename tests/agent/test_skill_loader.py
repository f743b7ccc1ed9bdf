"""One loader reads the folders of a root; the process-wide one answers where a turn brings none."""

from __future__ import annotations

from pathlib import Path

import pytest

from skills.groups import index_of
from skills.loader import SkillLoader, skills_in_force, withheld_in_force
from skills.problems import SkillFileError
from tests.agent.world import plain_tool, write_skill


def test_skills_come_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("pears", "apples", "figs"):
        write_skill(tmp_path, name)
    assert [skill.name for skill in SkillLoader(tmp_path).all()] == ["apples", "figs", "pears"]


def test_own_tools_are_marked_with_their_owner(tmp_path: Path) -> None:
    write_skill(tmp_path, "figs", tools=["fig_pick"])
    (skill,) = SkillLoader(tmp_path).all()
    assert [(tool.name, tool.owner, tool.namespace) for tool in skill.tools] == [("fig_pick", "figs", None)]


def test_an_empty_list_of_enabled_skills_is_none_of_them(tmp_path: Path) -> None:
    write_skill(tmp_path, "figs")
    assert SkillLoader(tmp_path, enabled=[]).all() == ()
    assert len(SkillLoader(tmp_path, enabled=None).all()) == 1


def test_an_enabled_name_that_matches_nothing_is_told(tmp_path: Path) -> None:
    write_skill(tmp_path, "figs")
    with pytest.raises(SkillFileError, match="did you mean figs"):
        SkillLoader(tmp_path, enabled=["fig"])


def test_a_disabled_skill_takes_no_part(tmp_path: Path) -> None:
    for name in ("figs", "pears"):
        write_skill(tmp_path, name)
    assert [skill.name for skill in SkillLoader(tmp_path, disabled=["figs"]).all()] == ["pears"]
    assert SkillLoader(tmp_path, enabled=["figs"], disabled=["figs"]).all() == ()


@pytest.mark.parametrize("name", ["fig", "Figs", "figs ", "pomes"])
def test_a_disabled_name_that_matches_nothing_is_told(tmp_path: Path, name: str) -> None:
    write_skill(tmp_path, "figs")
    with pytest.raises(SkillFileError, match=f"disabled skill '{name}': "):
        SkillLoader(tmp_path, disabled=[name])


@pytest.mark.parametrize("without", [{"enabled": ["figs"]}, {"disabled": ["pears"]}])
def test_a_skill_that_takes_no_part_takes_its_namespaces_with_it(tmp_path: Path, without: dict[str, list[str]]) -> None:
    write_skill(tmp_path, "figs")
    write_skill(tmp_path, "pears", "mcp: [orchard]")
    served = plain_tool("pick", namespace="orchard")
    loader = SkillLoader(tmp_path, **without)
    assert loader.withheld() == {"orchard"}
    assert withheld_in_force(None, loader) == {"orchard"}
    assert withheld_in_force(None, None) == frozenset()
    assert index_of(loader.all(), [served], loader.withheld()).group_of("pick") is None
    everything = SkillLoader(tmp_path)
    group = index_of(everything.all(), [served], everything.withheld()).group_of("pick")
    assert group is not None
    assert group.name == "pears"


def test_a_skill_that_takes_no_part_is_read_all_the_same(tmp_path: Path) -> None:
    """What it claims cannot be known otherwise."""
    write_skill(tmp_path, "figs", "mcp: none")
    with pytest.raises(SkillFileError, match=r"figs/SKILL\.md"):
        SkillLoader(tmp_path, disabled=["figs"])


def test_folders_without_a_manual_are_no_skills(tmp_path: Path) -> None:
    (tmp_path / "servers").mkdir()
    assert SkillLoader(tmp_path).all() == ()


def test_a_misspelt_file_name_is_told(tmp_path: Path) -> None:
    write_skill(tmp_path, "figs").joinpath("SKILL.md").rename(tmp_path / "figs" / "Skill.md")
    with pytest.raises(SkillFileError, match=r"figs/Skill\.md:1: name the file SKILL\.md"):
        SkillLoader(tmp_path)


def test_name_and_folder_must_agree(tmp_path: Path) -> None:
    write_skill(tmp_path, "figs").rename(tmp_path / "pears")
    with pytest.raises(SkillFileError, match="make them equal"):
        SkillLoader(tmp_path)


def test_the_faults_of_all_files_come_at_once(tmp_path: Path) -> None:
    write_skill(tmp_path, "figs", "categories: none")
    write_skill(tmp_path, "pears", "availability: resident")
    with pytest.raises(SkillFileError) as caught:
        SkillLoader(tmp_path)
    assert [problem.path for problem in caught.value.problems] == ["figs/SKILL.md", "pears/SKILL.md"]


def test_reload_reads_again_and_keeps_the_old_on_a_fault(tmp_path: Path) -> None:
    write_skill(tmp_path, "figs")
    loader = SkillLoader(tmp_path)
    write_skill(tmp_path, "figs", "categories: [finance]")
    assert loader.all()[0].categories == ()
    loader.reload()
    assert loader.all()[0].categories == ("finance",)
    write_skill(tmp_path, "figs", "categories: nonsense")
    with pytest.raises(SkillFileError):
        loader.reload()
    assert loader.all()[0].categories == ("finance",)


def test_the_process_wide_loader_answers_where_a_turn_brings_none(tmp_path: Path) -> None:
    write_skill(tmp_path, "figs")
    process, turn = SkillLoader(tmp_path), SkillLoader(tmp_path, enabled=[])
    assert skills_in_force(None, process) == process.all()
    assert skills_in_force(turn, process) == ()
    assert skills_in_force(None, None) is None
