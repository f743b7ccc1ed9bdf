"""What skills may get wrong together: counted twice, or taken for one another; and skills that merely lie near."""

from __future__ import annotations

import os

import pytest
from pytest_invariants.hook.git import Blob
from pytest_invariants.source.skill_names import check_tree, slug

from tests.hook.scratch import Scratch

FILE = Blob("100644", "0" * 40)


def paths(*names: str, **links: str) -> list[str]:
    tree = {name: FILE for name in (*names, *links)}
    return [flaw.path for flaw in check_tree(tree, links)]


@pytest.mark.parametrize(
    "names",
    [
        ("Notes", "notes"),
        ("my-notes", "my_notes"),
        ("my-notes", "my notes"),
        ("my-notes", "my--notes"),
        ("notes", "nоtes"),
        ("cafe", "café"),
        ("notes", "ｎｏｔｅｓ"),
    ],
    ids=["case", "underscore", "blank", "two hyphens", "a Cyrillic letter", "an accent", "wide letters"],
)
def test_names_that_are_taken_for_one_another(names: tuple[str, str]) -> None:
    manuals = sorted(f"skills/{name}/SKILL.md" for name in names)
    assert paths(*manuals) == manuals


@pytest.mark.parametrize(
    "names", [("note", "notes"), ("my-notes", "mynotes"), ("a-1", "a-l"), ("order", "order-change")]
)
def test_names_that_are_merely_near(names: tuple[str, str]) -> None:
    assert paths(*(f"skills/{name}/SKILL.md" for name in names)) == []


def test_copies_for_several_agents_are_no_fault() -> None:
    assert paths("skills/notes/SKILL.md", ".agent/skills/notes/SKILL.md") == []


def test_a_skill_inside_a_skill_is_counted_by_some() -> None:
    assert paths("skills/a/SKILL.md", "skills/a/more/b/SKILL.md") == ["skills/a/more/b/SKILL.md"]


def test_a_folder_that_groups_skills_is_no_skill() -> None:
    assert paths("skills/office/a/SKILL.md", "skills/office/b/SKILL.md", "skills/README.md") == []


def test_a_repository_that_is_a_skill_itself() -> None:
    assert paths("SKILL.md", "references/more.md") == []


@pytest.mark.parametrize("name", ["skill.md", "Skill.md", "SKILL.MD"])
def test_a_manual_whose_name_some_do_not_find(name: str) -> None:
    assert paths(f"skills/a/{name}") == [f"skills/a/{name}"]


def test_links_to_skills_are_counted_twice_and_other_links_are_none_of_our_business() -> None:
    assert paths("skills/a/SKILL.md", **{"skills/b": "a"}) == ["skills/b"]
    assert paths("skills/a/SKILL.md", **{"skills/all": "../skills"}) == ["skills/all"]
    assert paths("skills/a/SKILL.md", **{"skills/b/SKILL.md": "../a/SKILL.md"}) == ["skills/b/SKILL.md"]
    assert paths("skills/a/SKILL.md", "docs/x.md", **{"skills/a/x.md": "../../docs/x.md"}) == []


def test_a_slug_is_the_same_for_all_spellings() -> None:
    assert slug("My  Notes_v1.0") == slug("my-notes-v1-0") == "my-notes-v1-0"


# -- as a hook

SKILL = "---\nname: notes\ndescription: Keeps notes.\n---\nHow to take notes.\n"


def test_only_what_the_change_touches_is_judged(repository: Scratch) -> None:
    repository.stage({"skills/old/SKILL.md": SKILL})
    repository.commit()
    repository.stage({"skills/notes/SKILL.md": SKILL})
    run = repository.hook("--skills")
    assert (run.returncode, run.stdout) == (0, "1 skill file, nothing to mend\n")
    repository.stage({"skills/Notes/SKILL.md": SKILL.replace("notes", "Notes")})
    run = repository.hook("--skills")
    assert run.returncode == 1
    assert "skills/notes/SKILL.md:1: the skill is easily taken for `skills/Notes`" in run.stdout
    assert "skills/old" not in run.stdout


def test_where_nothing_is_staged_every_skill_is_judged(repository: Scratch) -> None:
    repository.stage({"skills/old/SKILL.md": SKILL})
    repository.commit()
    run = repository.hook("--skills")
    assert run.returncode == 1
    assert "skills/old/SKILL.md:2: `name` is `notes` and the folder is `old`" in run.stdout


def test_the_staged_file_is_judged_and_not_that_of_the_work_tree(repository: Scratch) -> None:
    repository.stage({"skills/notes/SKILL.md": SKILL.replace("name:", "nmae:")})
    repository.write({"skills/notes/SKILL.md": SKILL})
    assert repository.hook("--skills").returncode == 1
    repository.git("add", "--all")
    repository.write({"skills/notes/SKILL.md": "broken"})
    assert repository.hook("--skills").returncode == 0


def test_named_files_alone_are_judged(repository: Scratch) -> None:
    repository.stage({"skills/notes/SKILL.md": SKILL, "skills/old/SKILL.md": SKILL})
    assert repository.hook("--skills", "skills/notes/SKILL.md").returncode == 0
    assert repository.hook("--skills", "notes/SKILL.md", folder=repository.top / "skills").returncode == 0
    assert repository.hook("--skills", "README.md").returncode == 3
    run = repository.hook("--skills", "skills/none/SKILL.md")
    assert run.returncode == 2
    assert "not staged" in run.stderr


def test_a_link_that_is_staged_alone_is_judged(repository: Scratch) -> None:
    repository.stage({"skills/notes/SKILL.md": SKILL})
    repository.commit()
    os.symlink("notes", repository.top / "skills" / "again ☕")
    repository.git("add", "--all")
    run = repository.hook("--skills")
    assert run.returncode == 1
    assert "skills/again ☕:1: this is a link to a skill" in run.stdout
