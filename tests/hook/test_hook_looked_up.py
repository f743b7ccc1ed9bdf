"""What a registry only looks up by its name is looked up in what is staged: it need not be Python, nor in the work tree."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from pytest_invariants import cli
from pytest_invariants.hook import doors, quick, scout

from tests.hook.scratch import ENVIRONMENT, FILES, FOREIGN, REGISTRY, UNSEALED, Scratch

UNTOUCHED = "entrypoints/registry.yaml: no staged change touches what it judges\n"
HOLDS = "entrypoints/registry.yaml: 1 of 1 surfaces proved, nothing to mend\n"
DOORS, GATE = "agent/doors.py", "agent/gate.py"
LEAKS = "from agent.store import STORE\n" + FILES[DOORS] + UNSEALED
MANUAL = "manuals/notes/SKILL.md"
STAGED_GATE = {GATE: FILES[GATE] + "\n\nMORE = 1\n"}
DIRTY = {"README.md": "not staged\n"}


def with_registry(code: str = "[agent]", more: str = "") -> dict[str, str]:
    return {**FILES, REGISTRY: FILES[REGISTRY].replace("code: [agent]", f"code: {code}") + more}


WITH_SKILLS = {
    **with_registry(more="skills: [manuals]\n"),
    MANUAL: "---\nname: notes\ndescription: Notes.\n---\nWrite.\n",
    "manuals/notes/picture.png": "0" * 5_000,
    "crew/tools.py": "X = 1\n",
}


@pytest.fixture
def skilled(tmp_path: Path) -> Scratch:
    """An agent whose skills are no Python, committed and never judged."""
    made = Scratch.make(tmp_path / "repository", files=WITH_SKILLS)
    made.commit()
    return made


def without_scout(repository: Scratch, monkeypatch: pytest.MonkeyPatch) -> int:
    with monkeypatch.context() as patch:
        patch.chdir(repository.top)
        patch.setattr(scout, "scout", lambda *_: None)
        return doors.run(doors.Choice(), repository.environment(CI="true"))


def both(repository: Scratch, monkeypatch: pytest.MonkeyPatch) -> int:
    """The exit status of the hook, which is the same without its scout."""
    status = repository.hook(CI="true").returncode
    assert without_scout(repository, monkeypatch) == status
    return status


# Skills


@pytest.mark.parametrize("dirty", [{}, DIRTY])
def test_a_folder_of_skills_need_not_hold_python(skilled: Scratch, dirty: dict[str, str | None]) -> None:
    skilled.stage(STAGED_GATE)
    skilled.write(dirty)
    run = skilled.hook()
    assert (run.returncode, run.stdout) == (0, HOLDS)


def test_the_last_commit_is_compared_as_what_it_is(skilled: Scratch) -> None:
    skilled.stage({DOORS: LEAKS})
    skilled.commit()
    skilled.stage(STAGED_GATE)
    skilled.write(DIRTY)
    run = skilled.hook()
    assert run.returncode == 0, run.stdout
    assert "note: agent.doors:preview is covered by nothing, and was not before this change" in run.stdout
    assert "new" not in run.stdout


def test_only_that_it_is_there_is_laid_out(skilled: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    skilled.stage(STAGED_GATE)
    skilled.write(DIRTY)
    seen: list[str] = []

    def look(registry: Path, root: Path) -> None:
        seen.extend(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
        raise InterruptedError

    monkeypatch.setattr("pytest_invariants.hook.judge.examine_folder", look)
    with pytest.raises(InterruptedError):
        without_scout(skilled, monkeypatch)
    assert set(seen) == {path for path in FILES if path.startswith(("agent", "entrypoints"))}


@pytest.mark.parametrize("dirty", [{}, DIRTY])
def test_a_folder_of_skills_that_the_change_removes_is_missed(
    skilled: Scratch, monkeypatch: pytest.MonkeyPatch, dirty: dict[str, str | None]
) -> None:
    for warm in (False, True):
        skilled.git("reset", "--quiet", "--hard")
        if warm:
            skilled.stage({"README.md": "more\n"})
            assert skilled.hook().stdout == UNTOUCHED
        skilled.git("rm", "--quiet", "-r", "manuals")
        skilled.write(dirty)
        run = skilled.hook()
        assert run.returncode == 2
        assert "there is no folder or package `manuals` in what is staged" in run.stdout.replace(str(skilled.top), "")
    assert both(skilled, monkeypatch) == 2


def test_one_that_is_not_staged_any_more_and_still_there_is_missed(skilled: Scratch) -> None:
    skilled.stage({"README.md": "more\n"})
    assert skilled.hook().stdout == UNTOUCHED
    skilled.git("rm", "--quiet", "-r", "--cached", "manuals")
    assert skilled.hook().returncode == 2


@pytest.mark.parametrize("change", [{}, {MANUAL: "Another.\n"}, {"manuals/more/SKILL.md": "More.\n"}])
@pytest.mark.parametrize("dirty", [{}, DIRTY])
def test_what_it_holds_bears_on_nothing(
    skilled: Scratch, monkeypatch: pytest.MonkeyPatch, change: dict[str, str | None], dirty: dict[str, str | None]
) -> None:
    skilled.stage(STAGED_GATE)
    assert skilled.hook().stdout == HOLDS
    skilled.commit()
    skilled.stage({**change, "NOTES.md": "More.\n"})
    skilled.write(dirty)
    assert both(skilled, monkeypatch) == 0
    for _ in range(2):
        assert skilled.hook().stdout == UNTOUCHED
    monkeypatch.chdir(skilled.top)
    assert quick.answer(skilled.environment()) == 0


def test_a_comment_beside_it_is_told_by_the_scout(skilled: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    skilled.stage({GATE: FILES[GATE] + "# a comment\n"})
    skilled.write(DIRTY)
    assert skilled.hook(CI="true").stdout == UNTOUCHED
    assert without_scout(skilled, monkeypatch) == 0


def test_the_commit_that_brings_the_folder_mends_the_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it the registry had a mistake: nothing is known to have been so, and the scout does not say that it was."""
    files = {path: text for path, text in WITH_SKILLS.items() if not path.startswith("manuals/")}
    made = Scratch.make(tmp_path / "repository", files=files)
    made.commit()
    made.stage({MANUAL: "Notes.\n"})
    assert made.hook(CI="true").stdout != UNTOUCHED
    assert both(made, monkeypatch) == 0


# Links and submodules


def link(repository: Scratch, name: str, target: str) -> None:
    (repository.top / name).symlink_to(target)
    repository.git("add", "--all")


Step: TypeAlias = Callable[[Scratch], None]


def linked_to_folder(made: Scratch) -> None:
    made.stage({".agents/skills/notes/SKILL.md": "Notes.\n"})
    link(made, "manuals", ".agents/skills")


def linked_twice(made: Scratch) -> None:
    made.stage({"deep/down/skills/notes/SKILL.md": "Notes.\n"})
    link(made, "deep/up", "./down/../down/skills")
    link(made, "manuals", "deep/up")


def submodule(made: Scratch) -> None:
    id = made.git("rev-parse", "HEAD").strip()
    made.git("update-index", "--add", "--cacheinfo", f"160000,{id},manuals")
    (made.top / "manuals").mkdir()


@pytest.mark.parametrize("arrange", [linked_to_folder, linked_twice, submodule])
@pytest.mark.parametrize("dirty", [{}, DIRTY])
def test_skills_may_lie_behind_a_link_or_in_a_submodule(
    repository: Scratch, monkeypatch: pytest.MonkeyPatch, arrange: Step, dirty: dict[str, str | None]
) -> None:
    repository.stage(dict(with_registry(more="skills: [manuals]\n")))
    arrange(repository)
    repository.commit()
    repository.write({**STAGED_GATE, "README.md": "more\n"})
    repository.git("add", GATE, "README.md")
    repository.write(dirty)
    run = repository.hook()
    assert (run.returncode, run.stdout) == (0, HOLDS)
    assert both(repository, monkeypatch) == 0


@pytest.mark.parametrize("target", ["../outside", "nowhere", "manuals", "/"])
def test_a_link_that_leads_out_or_nowhere_is_no_folder(repository: Scratch, target: str) -> None:
    (repository.top.parent / "outside").mkdir()
    repository.stage(dict(with_registry(more="skills: [manuals]\n")))
    link(repository, "manuals", target)
    assert repository.hook().returncode == 2


def test_where_a_link_leads_is_part_of_what_is_known(repository: Scratch) -> None:
    repository.stage(dict(with_registry(more="skills: [manuals]\n")))
    linked_to_folder(repository)
    repository.commit()
    repository.stage({"README.md": "more\n"})
    assert repository.hook().stdout == UNTOUCHED
    repository.stage({".agents/skills/notes/SKILL.md": None})
    assert repository.hook().returncode == 2


def test_a_submodule_that_goes_is_missed_warm_as_well(repository: Scratch) -> None:
    repository.stage(dict(with_registry(more="skills: [manuals]\n")))
    submodule(repository)
    repository.commit()
    repository.write({"README.md": "more\n"})
    repository.git("add", "README.md")
    assert repository.hook().stdout == UNTOUCHED
    repository.git("rm", "--quiet", "--cached", "manuals")
    assert repository.hook().returncode == 2


def test_a_registry_that_is_a_link_is_told_to_be_one(repository: Scratch) -> None:
    repository.stage({REGISTRY: None, "shared/registry.yaml": FILES[REGISTRY]})
    link(repository, REGISTRY, "../shared/registry.yaml")
    run = repository.hook()
    assert run.returncode == 2
    assert "the registry is a link" in run.stdout


# Code


@pytest.mark.parametrize("code", ["[agent, prompts]", "[./agent, prompts/]", '["agent", data.prompts]'])
@pytest.mark.parametrize("dirty", [{}, DIRTY])
def test_a_folder_of_the_code_need_not_hold_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, dirty: dict[str, str | None]
) -> None:
    texts = {"prompts/first.txt": "You.\n", "data/prompts/first.txt": "You.\n"}
    made = Scratch.make(tmp_path / "repository", files={**with_registry(code), **texts})
    made.commit()
    made.stage({**STAGED_GATE, "prompts/first.txt": "You are.\n"})
    made.write(dirty)
    run = made.hook()
    assert (run.returncode, run.stdout) == (0, HOLDS)
    assert both(made, monkeypatch) == 0


def test_an_entry_of_the_code_that_goes_is_missed_warm_as_well(tmp_path: Path) -> None:
    made = Scratch.make(tmp_path / "repository", files={**with_registry("[agent, lonely]"), "lonely.py": "X = 1\n"})
    made.commit()
    made.stage({"README.md": "more\n"})
    assert made.hook().stdout == UNTOUCHED
    made.stage({"lonely.py": None})
    assert made.hook().returncode == 2


def test_what_was_meant_is_looked_for_among_all_that_is_staged(repository: Scratch) -> None:
    repository.stage({REGISTRY: FILES[REGISTRY].replace("code: [agent]", "code: [agnet]")})
    repository.write(DIRTY)
    run = repository.hook()
    assert run.returncode == 2
    assert "did you mean `agent`?" in run.stdout


@pytest.mark.parametrize("dirty", [{}, DIRTY])
def test_a_folder_that_marks_an_environment_is_no_code_on_either_side(
    repository: Scratch, dirty: dict[str, str | None]
) -> None:
    repository.stage({"agent/env/pyvenv.cfg": "", "agent/env/leak.py": LEAKS})
    repository.write(dirty)
    assert repository.hook().returncode == 0
    repository.commit()
    repository.stage({"README.md": "more\n"})
    assert repository.hook().stdout == UNTOUCHED
    repository.stage({"agent/env/pyvenv.cfg": None})
    run = repository.hook()
    assert run.returncode == 1
    assert "agent.env.leak:preview" in run.stdout


@pytest.mark.parametrize("dirty", [{}, DIRTY])
def test_a_name_beside_the_code_is_seen_in_what_is_staged(repository: Scratch, dirty: dict[str, str | None]) -> None:
    """A door of a package that lies here and is no code is missing, and one of a framework is not."""
    repository.replace(REGISTRY, "agent.doors:activate", "framework.doors:activate")
    repository.write({"framework/untracked.txt": ""})
    repository.write(dirty)
    assert "undecided at level 0 (foreign-code)" in repository.hook().stdout
    repository.stage({"framework/readme.txt": ""})
    repository.write(dirty)
    assert "which is not there any more" in repository.hook().stdout


# The work tree is read where it holds what is staged, and nothing else


def hidden_by_sparse(made: Scratch) -> None:
    made.git("update-index", "--skip-worktree", "agent/doors.py")
    (made.agent / DOORS).write_text(FILES[DOORS], encoding="utf-8")


def taken_for_unchanged(made: Scratch) -> None:
    made.git("update-index", "--assume-unchanged", "agent/doors.py")
    (made.agent / DOORS).write_text(FILES[DOORS], encoding="utf-8")


@pytest.mark.parametrize("hide", [hidden_by_sparse, taken_for_unchanged])
def test_what_git_passes_over_is_read_from_what_is_staged(repository: Scratch, hide: Step) -> None:
    repository.stage({DOORS: LEAKS})
    hide(repository)
    assert "new door: agent.doors:preview" in repository.hook().stdout


@pytest.mark.parametrize("code", ["[agent, libs.crew]", "[agent, libs/crew]", '["."]'])
@pytest.mark.parametrize("stray", ["libs/crew/stray.py", "libs/__init__.py"])
def test_what_is_not_staged_gives_the_code_nothing(tmp_path: Path, code: str, stray: str) -> None:
    made = Scratch.make(tmp_path / "repository", files={**with_registry(code), "libs/crew/kit.py": "X = 1\n"})
    made.commit()
    made.stage({"agent/plug.py": "from libs.crew import kit\n"})
    expected = made.hook(CI="true").stdout
    made.write({stray: LEAKS})
    assert made.hook(CI="true").stdout == expected


def test_a_repository_inside_the_code_is_left_to_itself(repository: Scratch) -> None:
    inner = Scratch.make(repository.top / "agent" / "vendored", files={"leak.py": LEAKS})
    inner.commit()
    repository.write(STAGED_GATE)
    repository.git("add", GATE)
    assert repository.hook(CI="true").stdout == HOLDS
    id = inner.git("rev-parse", "HEAD").strip()
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{id},agent/vendored")
    assert repository.hook(CI="true").stdout == HOLDS


# `check --since`


@pytest.fixture
def at_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in FOREIGN:
        monkeypatch.delenv(name, raising=False)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("at_the_machine")
def test_since_a_revision_with_skills_nothing_is_new(skilled: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    skilled.write({GATE: FILES[GATE] + "# a comment\n"})
    assert cli.main(["check", "--static", "--since", "HEAD", str(skilled.agent)]) == 0
    assert capsys.readouterr().out.endswith("since HEAD: every surface and every door stands as it did\n")


@pytest.mark.usefixtures("at_the_machine")
def test_a_revision_whose_registry_had_mistakes_is_told(skilled: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    skilled.git("rm", "--quiet", "-r", "manuals")
    skilled.commit()
    skilled.write({MANUAL: "---\nname: notes\ndescription: Notes.\n---\nWrite.\n"})
    cli.main(["check", "--static", "--since", "HEAD", str(skilled.agent)])
    said = capsys.readouterr().out.partition("since HEAD")[2]
    assert said.startswith(": its registry had a mistake then, so that nothing can be compared:\n")
    assert "there is no folder or package `manuals`" in said


def test_the_folder_is_known_by_name_whatever_lies_in_it(tmp_path: Path) -> None:
    """Also where the registry lies below the top."""
    made = Scratch.make(tmp_path / "many", "services/one", WITH_SKILLS)
    made.commit()
    made.stage(STAGED_GATE)
    made.write(DIRTY)
    assert made.hook().stdout == f"services/one/{HOLDS}"
    shutil.rmtree(made.agent / "manuals")
    made.git("add", "--all")
    assert made.hook().returncode == 2
