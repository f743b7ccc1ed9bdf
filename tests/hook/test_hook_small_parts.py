"""Parts of the hook that a repository seldom needs: rows that are not there, entries too large, registries of odd shapes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytest_invariants.hook.fix import _renamed
from pytest_invariants.hook.git import Blob
from pytest_invariants.hook.kept import MOST_BYTES, Kept
from pytest_invariants.hook.layouts import _code as code_of
from pytest_invariants.hook.since import _details
from pytest_invariants.hook.snapshot import Snapshot, _entries, _root
from pytest_invariants.registry.edit import EditError

from tests.hook.test_changes_in_words import PROVED

ROWS = 'surfaces:\n  index: {function: "agent.doors:index", manner: browse}\n  same: {like: index}\n'


@pytest.mark.parametrize("before", ["", "\ufeff"])
def test_only_the_functions_name_is_written(before: str) -> None:
    assert _renamed(before + ROWS, "index", "agent.doors:shown") == before + ROWS.replace("doors:index", "doors:shown")
    plain = ROWS.replace('"', "")
    assert _renamed(before + plain, "index", "agent.doors:shown") == before + plain.replace(
        "doors:index", "doors:shown"
    )


@pytest.mark.parametrize(
    ("id", "said"),
    [("same", "the surface `same` has no function of its own to rename"), ("other", "the registry has no `other`")],
)
def test_a_row_that_is_not_there_is_not_renamed(id: str, said: str) -> None:
    with pytest.raises(EditError, match=said):
        _renamed(ROWS, id, "agent.doors:shown")


def test_an_entry_too_large_is_not_kept(tmp_path: Path) -> None:
    kept = Kept(str(tmp_path), {"XDG_CACHE_HOME": str(tmp_path / "cache")})
    kept.put("answer-small", b"x" * 9)
    kept.put("answer-large", b"x" * (MOST_BYTES + 1))
    assert kept.get("answer-small") == b"x" * 9
    assert kept.get("answer-large") is None
    assert not Path(kept.folder, "answer-large").exists()


def test_what_changed_of_a_surface_in_words() -> None:
    now = replace(PROVED, function="agent.doors:shown", conditions=("a", "b"))
    was = replace(PROVED, conditions=("b", "c"))
    assert list(_details("index", was, now)) == [
        "index: agent.doors:index → agent.doors:shown", "index: no longer by c", "index: now by a",
    ]  # fmt: skip
    assert list(_details("index", was, was)) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("code: [agent, lib.py]\n", ("agent", "lib.py")),
        ("version: 1\n", None),
        ("code: agent\n", None),
        ("code: [\n", None),
    ],
)
def test_which_code_a_registry_names(text: str, code: tuple[str, ...] | None) -> None:
    assert _entries(text.encode()).get("code") == code


def test_without_a_word_on_the_code_all_of_it_counts() -> None:
    files = {path: Blob("100644", path) for path in ("a/b.py", "c.py", "entrypoints/registry.yaml")}
    shot = Snapshot("entrypoints/registry.yaml", ".", files, None)
    assert set(shot.judged) == set(files)
    assert set(replace(shot, code=("a",)).judged) == {"a/b.py", "entrypoints/registry.yaml"}


@pytest.mark.parametrize(
    ("tree", "registry", "root"),
    [
        (["pyproject.toml", "x/pyproject.toml"], "x/entrypoints/registry.yaml", "x"),
        (["pyproject.toml"], "x/entrypoints/registry.yaml", "."),
        ([], "x/entrypoints/registry.yaml", "x"),
        ([], "entrypoints/registry.yaml", "."),
        ([], "x/agent.yaml", "x"),
    ],
)
def test_where_the_repository_of_a_registry_begins(tree: list[str], registry: str, root: str) -> None:
    assert _root({path: Blob("100644", path) for path in tree}, registry) == root


def test_the_whole_folder_may_be_code() -> None:
    assert "" in set(code_of((".",)))
    assert set(code_of(("agent",))) == {"agent/", "agent.py"}
