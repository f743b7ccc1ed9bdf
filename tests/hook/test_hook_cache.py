"""Verdicts are kept by content: instant where nothing changed, and never trusted where they could hide anything."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_invariants.hook import kept
from pytest_invariants.hook.cache import Cache
from pytest_invariants.hook.kept import FOLDER, MOST_ENTRIES, Kept
from pytest_invariants.hook.standing import Standing, as_json, from_json

from tests.hook.scratch import FILES, SEALED, UNSEALED, Scratch

LEAKS = "from agent.store import STORE\n" + FILES["agent/doors.py"] + UNSEALED
KEYS = [f"{number:064x}" for number in range(MOST_ENTRIES + 8)]


def entries(repository: Scratch, kind: str = "") -> list[Path]:
    return sorted((repository.top / FOLDER).glob(f"{kind}*-*"))


def cache_of(repository: Scratch) -> Cache:
    return Cache(repository.top, repository.environment(), {})


def content(entry: Path) -> bytes:
    return entry.read_bytes().partition(b"\n")[2]


def rewrite(entry: Path, change: Callable[[bytes], bytes]) -> None:
    """Change the content of an entry, and leave the rest as it is."""
    code, _, text = entry.read_bytes().partition(b"\n")
    entry.write_bytes(code + b"\n" + change(text))


def without_the_door(text: bytes) -> bytes:
    """Say that every door is covered, that the change was found to be sound, or that no function was read."""
    if not text.startswith(b"{"):
        return b"0\nentrypoints/registry.yaml: 1 of 1 surfaces proved, nothing to mend\n"
    standing = json.loads(text)
    if "whole" in standing:
        return json.dumps({**standing, "whole": {}, "names": []}).encode()
    for door in standing["doors"]:
        door["covered_by"] = "surface activate"
    return json.dumps(standing).encode()


def forge(cache: Cache, entries: list[Path]) -> None:
    """As the user themselves could."""
    for entry in entries:
        if not entry.name.startswith("layout"):
            cache.write(entry.name, without_the_door(content(entry)))


def test_the_folder_is_marked_as_a_cache_and_git_does_not_see_it(repository: Scratch) -> None:
    repository.hook()
    folder = repository.top / FOLDER
    assert (folder / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55\n")
    assert repository.git("status", "--porcelain") == ""
    assert [path for path in folder.iterdir() if path.name.startswith(".") and path.name != ".gitignore"] == []


def test_what_is_read_back_is_what_was_written(repository: Scratch) -> None:
    repository.stage({"agent/doors.py": LEAKS})
    first, second = repository.hook(), repository.hook()
    assert (first.returncode, first.stdout) == (second.returncode, second.stdout)
    for entry in entries(repository, "standing"):
        standing = from_json(json.loads(content(entry)))
        assert from_json(json.loads(json.dumps(as_json(standing)))) == standing


def test_the_same_change_is_not_judged_twice(repository: Scratch) -> None:
    """An answer that its own writer has changed is believed: so it was read, and nothing was proved."""
    repository.stage({"agent/doors.py": LEAKS})
    assert repository.hook().returncode == 1
    cache = cache_of(repository)
    (answer,) = entries(repository, "answer")
    cache.write(answer.name, b"0\nas it was kept\n")
    run = repository.hook()
    assert (run.returncode, run.stdout) == (0, "as it was kept\n")


@pytest.mark.parametrize("kind", ["answer", "grounds", "standing", "layout"])
def test_a_forged_entry_turns_nothing_green(repository: Scratch, kind: str) -> None:
    repository.stage({"agent/doors.py": LEAKS})
    expected = repository.hook()
    assert entries(repository, kind)
    for entry in entries(repository, kind):
        rewrite(entry, without_the_door if kind != "layout" else lambda text: text.replace(b"agent/", b"nothing/"))
    run = repository.hook()
    assert (run.returncode, run.stdout) == (1, expected.stdout)


def without_a_function(text: bytes) -> bytes:
    """Say that `opened` was not read, and that no name counts."""
    grounds = json.loads(text)
    grounds["whole"]["agent/gate.py"].remove(0)
    return json.dumps({**grounds, "names": []}).encode()


def test_nobody_else_can_make_grounds_say_that_nothing_was_read(repository: Scratch) -> None:
    """What the same would do, were it believed: `test_carried.py`."""
    repository.stage({"agent/seal.py": FILES["agent/seal.py"] + "\n\nMORE = 1\n"})
    assert repository.hook().returncode == 0
    assert entries(repository, "grounds")
    for entry in entries(repository, "grounds"):
        rewrite(entry, without_a_function)
    repository.replace("agent/gate.py", "return _checked(turn, name)", "return STORE.get(name)")
    assert repository.hook().returncode == 1


def test_entries_of_another_user_turn_nothing_green(repository: Scratch, tmp_path: Path) -> None:
    """What somebody else's tool wrote in this folder, with a key of their own, is as good as nothing."""
    repository.stage({"agent/doors.py": LEAKS})
    assert repository.hook().returncode == 1
    theirs = Kept(str(repository.top), {"XDG_CACHE_HOME": str(tmp_path / "theirs")})
    for entry in entries(repository):
        theirs.put(entry.name, without_the_door(content(entry)))
    assert repository.hook().returncode == 1


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604])
def test_a_key_that_others_can_read_is_not_used(repository: Scratch, mode: int) -> None:
    repository.stage({"agent/doors.py": LEAKS})
    repository.hook()
    (repository.top.parent / "of the user" / "pytest-invariants" / "key").chmod(mode)
    cache = cache_of(repository)
    assert [cache.read(entry.name) for entry in entries(repository)] == [None] * len(entries(repository))
    assert repository.hook().returncode == 1


@pytest.mark.parametrize("ci", ["true", "1", "yes"])
def test_in_ci_nothing_is_read_or_written(repository: Scratch, ci: str) -> None:
    repository.stage({"agent/doors.py": LEAKS})
    repository.hook()
    cache = cache_of(repository)
    forge(cache, entries(repository))
    assert repository.hook().returncode == 0
    held = {path: path.read_bytes() for path in entries(repository)}
    assert repository.hook(CI=ci).returncode == 1
    assert {path: path.read_bytes() for path in entries(repository)} == held


def test_an_entry_that_the_repository_brought_is_not_believed(repository: Scratch) -> None:
    repository.stage({"agent/doors.py": LEAKS})
    repository.hook()
    cache = cache_of(repository)
    forge(cache, entries(repository))
    repository.git("add", "--force", FOLDER)
    assert repository.hook().returncode == 1


def test_a_stale_entry_is_not_found_once_the_content_differs(repository: Scratch) -> None:
    assert repository.hook().returncode == 0
    repository.stage({"agent/doors.py": LEAKS})
    assert repository.hook().returncode == 1
    repository.stage({"agent/doors.py": FILES["agent/doors.py"]})
    assert repository.hook().returncode == 0


@pytest.mark.parametrize("broken", [b"", b"{", b"\xff\xfe", b"0\n", b"[" * 100_000, b"a" * 64 + b"\n{}"])
def test_a_broken_entry_is_made_anew_in_silence(repository: Scratch, broken: bytes) -> None:
    repository.stage({"agent/doors.py": LEAKS})
    expected = repository.hook()
    whole = {entry: entry.read_bytes() for entry in entries(repository)}
    for entry in whole:
        entry.write_bytes(broken)
    run = repository.hook()
    assert (run.returncode, run.stdout, run.stderr) == (1, expected.stdout, "")
    assert {entry: entry.read_bytes() for entry in entries(repository)} == whole


def test_an_entry_under_anothers_name_is_not_believed(repository: Scratch) -> None:
    cache = cache_of(repository)
    cache.put(KEYS[0], Standing(seal="m:f"))
    assert cache.get(KEYS[0]) == Standing(seal="m:f")
    (repository.top / FOLDER / f"standing-{KEYS[0]}").rename(repository.top / FOLDER / f"standing-{KEYS[1]}")
    assert cache.get(KEYS[1]) is None


def test_only_the_most_recent_entries_are_kept_and_nothing_else_is_removed(repository: Scratch) -> None:
    cache = cache_of(repository)
    cache.put(KEYS[0], Standing())
    (repository.top / FOLDER / "standing-mine").write_text("{}")
    for key in KEYS[1:]:
        cache.put(key, Standing())
        assert cache.get(KEYS[0]) is not None
    assert len(entries(repository)) == MOST_ENTRIES + 1
    assert (repository.top / FOLDER / "standing-mine").exists()


def test_what_killed_runs_left_is_removed_and_what_others_are_writing_is_not(repository: Scratch) -> None:
    cache = cache_of(repository)
    cache.put(KEYS[0], Standing())
    old = repository.top / FOLDER / f".standing-{KEYS[1]}.4711"
    new = repository.top / FOLDER / f".standing-{KEYS[2]}.4712"
    old.write_bytes(b"half")
    new.write_bytes(b"half")
    os.utime(old, (1, 1))
    cache.put(KEYS[3], Standing())
    assert (old.exists(), new.exists()) == (False, True)


def test_runs_at_the_same_time_agree_on_one_key(repository: Scratch) -> None:
    """The second finds the key that the first has made meanwhile."""
    first, second = cache_of(repository), cache_of(repository)
    assert (first.get(KEYS[0]), second.get(KEYS[0])) == (None, None)
    first.put(KEYS[0], Standing(seal="first"))
    second.put(KEYS[1], Standing(seal="second"))
    assert [cache_of(repository).get(key) for key in KEYS[:2]] == [Standing(seal="first"), Standing(seal="second")]


@pytest.mark.parametrize("place", [FOLDER, "of the user"])
def test_a_place_that_cannot_be_written_is_done_without(repository: Scratch, place: str) -> None:
    folder = repository.top if place == FOLDER else repository.top.parent
    (folder / place).write_text("a file where the folder would be")
    repository.stage({"agent/doors.py": FILES["agent/doors.py"] + SEALED})
    for _ in range(2):
        run = repository.hook()
        assert (run.returncode, run.stderr) == (1, "")
        assert "new door" in run.stdout


def test_a_full_disk_is_done_without(repository: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = cache_of(repository)
    cache.put(KEYS[1], Standing())

    def full(path: str, _: bytes) -> None:
        raise OSError(28, "No space left on device", path)

    monkeypatch.setattr(kept, "replace", full)
    cache.put(KEYS[0], Standing())
    assert cache.get(KEYS[0]) is None
    assert [entry.name for entry in entries(repository)] == [f"standing-{KEYS[1]}"]


def test_a_write_that_breaks_off_leaves_the_old_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "entry"
    kept.replace(str(path), b"old")

    def broken(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match="No space left"):
        kept.replace(str(path), b"new")
    assert [each.name for each in tmp_path.iterdir()] == ["entry"]
    assert path.read_bytes() == b"old"


def test_a_link_in_place_of_the_folder_is_left_alone(repository: Scratch, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.mkdir()
    (repository.top / FOLDER).symlink_to(target)
    assert repository.hook().returncode == 0
    assert list(target.iterdir()) == []


def test_another_python_or_another_prover_finds_nothing(repository: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    from pytest_invariants.hook import quick

    mine = quick.judged_by()
    monkeypatch.setattr("sys.version", "4.0")
    assert quick.judged_by() != mine
    monkeypatch.undo()
    monkeypatch.setattr(quick, "prover", lambda: b"another")
    assert quick.judged_by() != mine
