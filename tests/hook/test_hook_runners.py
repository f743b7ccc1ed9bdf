"""The hooks under the programs that people run them with: `pre-commit` and `prek`, with real commits."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.hook.scratch import FILES, PREVIEW_ROW, REGISTRY, SEALED, UNSEALED, Scratch, environment

MANIFEST = Path(__file__).resolve().parents[2] / ".pre-commit-hooks.yaml"
DOORS = FILES["agent/doors.py"]
LEAKS = "from agent.store import STORE\n" + DOORS + UNSEALED
PRE_COMMIT = [sys.executable, "-m", "pre_commit"]
PREK = [str(Path(sys.executable).with_name("prek"))]
SKILL = "---\nname: notes\ndescription: Keeps notes.\n---\nHow to take notes.\n"
both = pytest.mark.parametrize("runner", [PRE_COMMIT, PREK], ids=["pre-commit", "prek"])


def config() -> str:
    """The published hooks, run by the interpreter that runs this test instead of one that is installed for them."""
    hooks = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))
    for hook in hooks:
        del hook["minimum_pre_commit_version"]
        hook["language"] = "system"
        assert hook["entry"].startswith("invariants ")
        hook["entry"] = (
            f"{shlex.quote(sys.executable)} -m pytest_invariants {hook['entry'].removeprefix('invariants ')}"
        )
    return yaml.safe_dump({"repos": [{"repo": "local", "hooks": hooks}]})


def run(repository: Scratch, *command: str) -> subprocess.CompletedProcess[str]:
    home = str(repository.top.parent / "home")
    return subprocess.run(
        command,
        cwd=repository.top,
        env=environment(PRE_COMMIT_HOME=home, PREK_HOME=home, PRE_COMMIT_COLOR="never"),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )


def commit(repository: Scratch, *more: str) -> subprocess.CompletedProcess[str]:
    return run(repository, "git", "commit", "--message", "a change", *more)


def installed(repository: Scratch, runner: list[str]) -> Scratch:
    repository.stage({".pre-commit-config.yaml": config()})
    repository.commit()
    outcome = run(repository, *runner, "install")
    assert outcome.returncode == 0, outcome.stderr
    return repository


def test_the_manifest_is_one_that_pre_commit_accepts(repository: Scratch) -> None:
    outcome = run(repository, *PRE_COMMIT, "validate-manifest", str(MANIFEST))
    assert outcome.returncode == 0, outcome.stdout


@both
def test_a_commit_with_a_new_door_is_refused_until_it_asks_and_is_registered(
    repository: Scratch, runner: list[str]
) -> None:
    installed(repository, runner)
    repository.stage({"agent/doors.py": LEAKS})
    refused = commit(repository)
    assert refused.returncode == 1
    said = refused.stdout + refused.stderr
    assert "new door: agent.doors:preview lets a capability out" in said
    assert PREVIEW_ROW.strip() in said
    repository.stage({"agent/doors.py": DOORS + SEALED})
    assert commit(repository).returncode == 1
    repository.add(REGISTRY, PREVIEW_ROW)
    passed = commit(repository)
    assert passed.returncode == 0, passed.stdout + passed.stderr


@both
def test_a_seal_call_removed_three_calls_away_is_refused_and_an_unrelated_change_is_not(
    repository: Scratch, runner: list[str]
) -> None:
    installed(repository, runner)
    repository.stage({"README.md": "An agent, and more.\n", "tools/build.py": "print(1)\n"})
    passed = commit(repository)
    assert passed.returncode == 0, passed.stdout + passed.stderr
    repository.replace("agent/checks.py", "if sealed(skill.categories, turn.category):", "if skill.name is None:")
    refused = commit(repository)
    assert refused.returncode == 1
    assert "unguarded: activate was proved to level 5 and is refuted" in refused.stdout + refused.stderr


@both
def test_a_renamed_surface_is_called_renamed_and_passes_with_its_row(repository: Scratch, runner: list[str]) -> None:
    installed(repository, runner)
    repository.stage({"agent/doors.py": None, "agent/entry.py": DOORS.replace("def activate", "def open_skill")})
    refused = commit(repository)
    assert refused.returncode == 1
    said = refused.stdout + refused.stderr
    assert "renamed: the function of the surface activate was agent.doors:activate" in said
    assert 'write `function: "agent.entry:open_skill"`' in said
    repository.replace(REGISTRY, "agent.doors:activate", "agent.entry:open_skill")
    passed = commit(repository)
    assert passed.returncode == 0, passed.stdout + passed.stderr


@both
def test_a_hook_that_mends_stops_the_commit_once_for_its_author_to_read(repository: Scratch, runner: list[str]) -> None:
    entry = "-m pytest_invariants hook"
    repository.stage({".pre-commit-config.yaml": config().replace(f"{entry}\n", f"{entry} --fix\n")})
    assert "--fix" in (repository.top / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    repository.commit()
    assert run(repository, *runner, "install").returncode == 0
    repository.stage({"agent/doors.py": DOORS + SEALED})
    repository.write({"README.md": "not staged\n"})
    assert commit(repository).returncode == 1
    assert (repository.top / REGISTRY).read_text(encoding="utf-8") == FILES[REGISTRY] + PREVIEW_ROW
    assert (repository.top / "README.md").read_text(encoding="utf-8") == "not staged\n"
    repository.git("add", REGISTRY)
    passed = commit(repository)
    assert passed.returncode == 0, passed.stdout + passed.stderr


@both
def test_unstaged_changes_neither_save_nor_spoil_a_commit(repository: Scratch, runner: list[str]) -> None:
    installed(repository, runner)
    repository.stage({"agent/doors.py": LEAKS})
    repository.write({"agent/doors.py": DOORS})
    assert commit(repository).returncode == 1
    assert (repository.top / "agent/doors.py").read_text() == DOORS
    repository.stage({"agent/doors.py": DOORS + "\n# why\n"})
    repository.write({"agent/doors.py": LEAKS})
    passed = commit(repository)
    assert passed.returncode == 0, passed.stdout + passed.stderr


def test_git_commits_of_some_files_and_of_all_are_judged_by_what_they_take(repository: Scratch) -> None:
    installed(repository, PRE_COMMIT)
    repository.stage({"agent/doors.py": LEAKS, "README.md": "more\n"})
    passed = commit(repository, "README.md")
    assert passed.returncode == 0, passed.stderr
    repository.git("reset", "--quiet")
    assert commit(repository, "--all").returncode == 1


@both
def test_all_files_judges_all_of_it(repository: Scratch, runner: list[str]) -> None:
    installed(repository, runner)
    assert run(repository, *runner, "run", "--all-files").returncode == 0
    repository.stage({"agent/doors.py": LEAKS})
    repository.commit()
    outcome = run(repository, *runner, "run", "--all-files")
    assert outcome.returncode == 1
    assert "new door: agent.doors:preview" in outcome.stdout + outcome.stderr


@both
def test_a_range_of_commits_is_judged_as_one_change(repository: Scratch, runner: list[str]) -> None:
    installed(repository, runner)
    repository.stage({"agent/doors.py": LEAKS})
    repository.commit()
    outcome = run(repository, *runner, "run", "--from-ref", "HEAD~1", "--to-ref", "HEAD")
    assert outcome.returncode == 1
    outcome = run(repository, *runner, "run", "--from-ref", "HEAD~2", "--to-ref", "HEAD~1")
    assert outcome.returncode == 0, outcome.stdout


@both
def test_the_first_commit_of_a_repository_and_a_second_work_tree(
    tmp_path: Path, repository: Scratch, runner: list[str]
) -> None:
    new = Scratch.make(tmp_path / "a new bé")
    new.stage({".pre-commit-config.yaml": config(), "agent/doors.py": LEAKS})
    assert run(new, *runner, "install").returncode == 0
    assert commit(new).returncode == 1
    new.stage({"agent/doors.py": DOORS})
    assert commit(new).returncode == 0
    new.git("worktree", "add", "--quiet", "-b", "second", str(tmp_path / "second ☕"))
    second = Scratch(tmp_path / "second ☕", tmp_path / "second ☕")
    second.stage({"agent/doors.py": LEAKS})
    assert commit(second).returncode == 1


def test_a_commit_that_only_removes_a_file_is_judged(repository: Scratch) -> None:
    installed(repository, PRE_COMMIT)
    repository.stage({"agent/doors.py": None})
    refused = commit(repository)
    assert refused.returncode == 1
    assert "removed: the surface activate" in refused.stdout + refused.stderr


def test_a_skill_file_is_judged_and_a_sound_one_passes(repository: Scratch) -> None:
    installed(repository, PRE_COMMIT)
    repository.stage({"skills/notes/SKILL.md": SKILL.replace("name: notes", "name: Notes")})
    refused = commit(repository)
    assert refused.returncode == 1
    assert "skills/notes/SKILL.md:2: `name` is `Notes`" in refused.stdout + refused.stderr
    repository.stage({"skills/notes/SKILL.md": SKILL})
    assert commit(repository).returncode == 0
