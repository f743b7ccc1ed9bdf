"""The hook judges what is staged, however the repository is laid out and in whatever state it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.hook.scratch import FILES, PREVIEW_ROW, REGISTRY, SEALED, UNSEALED, Scratch

DOORS = FILES["agent/doors.py"]
LEAKS = "from agent.store import STORE\n" + DOORS + UNSEALED


def test_the_staged_content_is_judged_and_not_the_work_tree(repository: Scratch) -> None:
    repository.stage({"agent/doors.py": LEAKS})
    repository.write({"agent/doors.py": DOORS})
    run = repository.hook()
    assert run.returncode == 1
    assert "new door: agent.doors:preview" in run.stdout


def test_what_is_not_staged_is_not_judged(repository: Scratch) -> None:
    repository.stage({"agent/gate.py": FILES["agent/gate.py"] + "\n\nMORE = 1\n"})
    repository.write({"agent/doors.py": LEAKS, "agent/untracked.py": LEAKS, REGISTRY: "nonsense"})
    run = repository.hook()
    assert run.returncode == 0, run.stdout


def test_a_file_that_is_staged_in_part_is_judged_by_that_part(repository: Scratch) -> None:
    repository.stage({"agent/doors.py": DOORS + SEALED})
    repository.write({"agent/doors.py": DOORS + SEALED + UNSEALED.replace("preview", "peek")})
    repository.write({REGISTRY: FILES[REGISTRY] + PREVIEW_ROW})
    run = repository.hook()
    assert run.returncode == 1
    assert "agent.doors:preview lets" in run.stdout
    assert "peek" not in run.stdout
    repository.git("add", REGISTRY)
    assert repository.hook().returncode == 0


def test_a_repository_without_commits(tmp_path: Path) -> None:
    repository = Scratch.make(tmp_path / "new")
    assert repository.hook().returncode == 0
    repository.stage({"agent/doors.py": LEAKS})
    run = repository.hook()
    assert run.returncode == 1
    assert "new door: agent.doors:preview" in run.stdout


def test_a_second_work_tree(repository: Scratch, tmp_path: Path) -> None:
    repository.git("worktree", "add", "--quiet", str(tmp_path / "second"))
    second = Scratch(tmp_path / "second", tmp_path / "second")
    second.stage({"agent/doors.py": LEAKS})
    assert "new door: agent.doors:preview" in second.hook().stdout
    assert repository.hook().returncode == 0


@pytest.mark.parametrize("below", ["services/my agent", "dienste/größe ☕", "a\\b"])
def test_an_agent_in_a_folder_below_with_an_odd_name(tmp_path: Path, below: str) -> None:
    repository = Scratch.make(tmp_path / "a bé", below)
    repository.commit()
    repository.stage(
        {"agent/mañana ☕.py": "from agent.store import STORE\n\n\ndef peek(name):\n    return STORE.get(name).body\n"}
    )
    run = repository.hook()
    assert run.returncode == 1
    assert f"{below}/agent/mañana ☕.py:4: new door: " in run.stdout
    assert f"`surfaces` of {below}/entrypoints/registry.yaml" in run.stdout


def test_a_call_from_a_folder_below(repository: Scratch) -> None:
    repository.stage({"agent/doors.py": LEAKS})
    assert repository.hook(folder=repository.top / "agent").stdout == repository.hook().stdout


def test_a_repository_inside_another(repository: Scratch) -> None:
    inner = Scratch.make(repository.top / "vendor")
    inner.commit()
    inner.stage({"agent/doors.py": LEAKS})
    assert "new door: agent.doors:preview" in inner.hook().stdout
    assert "no staged change" in repository.hook().stdout or repository.hook().returncode == 0


def test_a_submodule_is_left_to_its_own_repository(repository: Scratch) -> None:
    id = repository.git("rev-parse", "HEAD").strip()
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{id},agent/vendored")
    run = repository.hook()
    assert run.returncode == 0, run.stdout


def test_a_commit_of_named_files_is_judged_by_its_own_index(repository: Scratch) -> None:
    """Git makes a second index for `git commit FILE`, and tells its hooks where that is."""
    repository.stage({"agent/doors.py": LEAKS})
    index = repository.top / ".git" / "other index"
    repository.git("read-tree", "HEAD", GIT_INDEX_FILE=str(index))
    assert repository.hook(GIT_INDEX_FILE=str(index)).returncode == 0
    assert repository.hook(GIT_INDEX_FILE=os.path.join(".git", "index")).returncode == 1


def test_one_commit_against_another_where_the_runner_says_so(repository: Scratch) -> None:
    start = repository.git("rev-parse", "HEAD").strip()
    repository.stage({"agent/doors.py": LEAKS})
    repository.commit()
    repository.stage({"agent/doors.py": DOORS})
    run = repository.hook(PRE_COMMIT_FROM_REF=start, PRE_COMMIT_TO_REF="HEAD")
    assert run.returncode == 1
    assert "new door: agent.doors:preview" in run.stdout
    assert repository.hook().returncode == 0


def test_links_are_followed_inside_and_never_out(repository: Scratch, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("from agent.store import STORE\n\n\ndef leak():\n    return STORE.all()\n")
    for name, target in {"out.py": "../../outside.py", "away.py": str(tmp_path / "outside.py")}.items():
        os.symlink(target, repository.top / "agent" / name)
    repository.git("add", "--all")
    run = repository.hook()
    assert run.returncode == 0, run.stdout
    repository.stage({"shared/peek.py": "from agent.store import STORE\n\n\ndef peek():\n    return STORE.all()\n"})
    os.symlink("../shared", repository.top / "agent" / "shared")
    repository.git("add", "--all")
    assert "agent.shared.peek:peek" in repository.hook().stdout


def test_conflicts_are_not_guessed_at(repository: Scratch) -> None:
    repository.git("checkout", "--quiet", "-b", "other")
    repository.stage({"agent/gate.py": "A = 1\n"})
    repository.commit()
    repository.git("checkout", "--quiet", "main")
    repository.stage({"agent/gate.py": "B = 1\n"})
    repository.commit()
    with pytest.raises(AssertionError):
        repository.git("merge", "other")
    run = repository.hook()
    assert run.returncode == 2
    assert "agent/gate.py: merge conflicts" in run.stderr


def test_outside_of_any_repository(repository: Scratch, tmp_path: Path) -> None:
    run = repository.hook(folder=tmp_path, GIT_CEILING_DIRECTORIES=str(tmp_path.parent))
    assert run.returncode == 2
    assert run.stderr.startswith("invariants: git rev-parse: not a git repository")


def test_a_registry_outside_of_the_repository(repository: Scratch, tmp_path: Path) -> None:
    run = repository.hook("--registry", str(tmp_path / "elsewhere.yaml"))
    assert run.returncode == 2
    assert "lies outside the repository" in run.stderr


def test_the_hook_leaves_index_and_work_tree_as_they_are(repository: Scratch) -> None:
    repository.stage({"agent/doors.py": LEAKS})
    before = repository.git("status", "--porcelain"), repository.git("diff", "--cached")
    repository.hook()
    assert (repository.git("status", "--porcelain"), repository.git("diff", "--cached")) == before
