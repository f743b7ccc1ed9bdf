"""Verdicts are kept by content: instant where nothing changed, and never trusted where they could hide anything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pytest_invariants.hook.cache import FOLDER, MOST_ENTRIES, Cache
from pytest_invariants.hook.standing import Standing, as_json, from_json

from tests.hook.scratch import FILES, SEALED, UNSEALED, Scratch

LEAKS = "from agent.store import STORE\n" + FILES["agent/doors.py"] + UNSEALED
KEYS = [f"{number:064x}" for number in range(MOST_ENTRIES + 8)]


def entries(repository: Scratch) -> list[Path]:
    return sorted((repository.top / FOLDER).glob("*.json"))


def test_the_folder_is_marked_as_a_cache_and_git_does_not_see_it(repository: Scratch) -> None:
    repository.hook()
    folder = repository.top / FOLDER
    assert (folder / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55\n")
    assert repository.git("status", "--porcelain") == ""
    assert [path for path in folder.iterdir() if path.name.startswith(".") and path.name != ".gitignore"] == []


def test_what_is_read_back_is_what_was_written(repository: Scratch) -> None:
    repository.stage({"agent/doors.py": LEAKS})
    first, second = repository.hook(), repository.hook()
    assert first.stdout == second.stdout
    for entry in entries(repository):
        standing = from_json(json.loads(entry.read_text())["standing"])
        assert from_json(json.loads(json.dumps(as_json(standing)))) == standing


def test_the_same_content_is_not_proved_twice(repository: Scratch) -> None:
    """An entry that says otherwise is believed on a developer's machine: so it was read, and nothing was proved."""
    repository.stage({"agent/doors.py": LEAKS})
    assert repository.hook().returncode == 1
    forge(repository)
    assert repository.hook().returncode == 0


def forge(repository: Scratch) -> None:
    """Let every entry say that no door is uncovered."""
    for entry in entries(repository):
        data = json.loads(entry.read_text())
        for door in data["standing"]["doors"]:
            door["covered_by"] = "surface activate"
        entry.write_text(json.dumps(data))


@pytest.mark.parametrize("ci", ["true", "1", "yes"])
def test_a_forged_entry_turns_nothing_green_in_ci(repository: Scratch, ci: str) -> None:
    repository.stage({"agent/doors.py": LEAKS})
    repository.hook()
    forge(repository)
    kept = {path: path.read_bytes() for path in entries(repository)}
    assert repository.hook(CI=ci).returncode == 1
    assert {path: path.read_bytes() for path in entries(repository)} == kept


def test_an_entry_that_the_repository_brought_is_not_believed(repository: Scratch) -> None:
    repository.stage({"agent/doors.py": LEAKS})
    repository.hook()
    forge(repository)
    repository.git("add", "--force", FOLDER)
    assert repository.hook().returncode == 1


def test_a_stale_entry_is_not_found_once_the_content_differs(repository: Scratch) -> None:
    assert repository.hook().returncode == 0
    repository.stage({"agent/doors.py": LEAKS})
    assert repository.hook().returncode == 1
    for entry in entries(repository):
        assert json.loads(entry.read_text())["key"] == entry.stem


@pytest.mark.parametrize(
    "broken", [b"", b"{", b"[]", b"\xff\xfe", b"null", b'{"key": 1}', b'{"standing": {"format": 99}}', b"[" * 100_000]
)
def test_a_broken_entry_is_made_anew_in_silence(repository: Scratch, broken: bytes) -> None:
    repository.stage({"agent/doors.py": LEAKS})
    expected = repository.hook()
    for entry in entries(repository):
        entry.write_bytes(broken)
    run = repository.hook()
    assert (run.returncode, run.stdout, run.stderr) == (1, expected.stdout, "")
    assert all(json.loads(entry.read_text())["key"] == entry.stem for entry in entries(repository))


def test_an_entry_under_anothers_name_is_not_believed(repository: Scratch) -> None:
    cache = Cache(repository.top, {}, {})
    cache.put(KEYS[0], Standing(seal="m:f"))
    (repository.top / FOLDER / f"{KEYS[0]}.json").rename(repository.top / FOLDER / f"{KEYS[1]}.json")
    assert cache.get(KEYS[1]) is None


def test_only_the_most_recent_entries_are_kept_and_nothing_else_is_removed(repository: Scratch) -> None:
    cache = Cache(repository.top, {}, {})
    cache.put(KEYS[0], Standing())
    (repository.top / FOLDER / "mine.json").write_text("{}")
    for key in KEYS[1:]:
        cache.put(key, Standing())
        assert cache.get(KEYS[0]) is not None
    assert len(entries(repository)) == MOST_ENTRIES + 1
    assert (repository.top / FOLDER / "mine.json").exists()


def test_a_place_that_cannot_be_written_is_done_without(repository: Scratch) -> None:
    (repository.top / FOLDER).write_text("a file where the folder would be")
    repository.stage({"agent/doors.py": FILES["agent/doors.py"] + SEALED})
    run = repository.hook()
    assert (run.returncode, run.stderr) == (1, "")
    assert "new door" in run.stdout


def test_a_full_disk_is_done_without(repository: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    cache = Cache(repository.top, {}, {})
    cache.put(KEYS[0], Standing())
    assert cache.get(KEYS[0]) is None
    assert entries(repository) == []


def test_a_link_in_place_of_the_folder_is_left_alone(repository: Scratch, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.mkdir()
    (repository.top / FOLDER).symlink_to(target)
    assert repository.hook().returncode == 0
    assert list(target.iterdir()) == []
