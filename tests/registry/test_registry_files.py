"""Where a registry may stand, what is said where it cannot be read, and which code it may name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pytest_invariants.registry.files import MAX_BYTES, find_root
from pytest_invariants.registry.problems import RegistryError
from pytest_invariants.registry.reader import read

from tests.registry.samples import SMALL, mistakes, read_text, repository


def complaint(path: Path, root: Path | None = None) -> str:
    with pytest.raises(RegistryError) as caught:
        read(path, root)
    return str(caught.value)


def test_a_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "none" / "registry.yaml"
    assert complaint(path) == f"{path}: there is no such registry; write one, or run `invariants init`"


def test_a_folder(tmp_path: Path) -> None:
    path = repository(tmp_path).parent
    assert complaint(path) == (
        "entrypoints: this is a folder, not a registry; name the file, as in entrypoints/registry.yaml"
    )


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = repository(tmp_path)
    os.mkfifo(path)
    assert complaint(path) == "entrypoints/registry.yaml: this is no ordinary file; name the registry's file"


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def deny(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = repository(tmp_path)
    path.write_text(SMALL, encoding="utf-8")
    assert read(path).code == ("agent",)
    monkeypatch.setattr(Path, "open", deny)
    assert complaint(path) == (
        f"{path}: the registry cannot be read (Permission denied); check the path and its permissions"
    )


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000])
def test_a_path_that_no_file_can_have(tmp_path: Path, name: str) -> None:
    assert "the registry cannot be read (" in complaint(tmp_path / name)


def test_a_loop_of_links(tmp_path: Path) -> None:
    path = repository(tmp_path)
    path.symlink_to(path.with_name("other.yaml"))
    path.with_name("other.yaml").symlink_to(path)
    assert complaint(path) == (
        f"{path}: the registry cannot be read (Too many levels of symbolic links); check the path and its permissions"
    )


def test_a_link_to_a_registry_reads(tmp_path: Path) -> None:
    path = repository(tmp_path)
    path.with_name("real.yaml").write_text(SMALL, encoding="utf-8")
    path.symlink_to("real.yaml")
    assert read(path).path == path


def test_a_file_of_the_largest_size_and_one_byte_more(tmp_path: Path) -> None:
    padding = "#" * (MAX_BYTES - len(SMALL))
    assert mistakes(tmp_path, SMALL + padding) == []
    assert mistakes(tmp_path, SMALL + padding + "#") == [
        "the registry is larger than 1,000,000 bytes; check that this is the right file"
    ]


@pytest.mark.parametrize("text", ["", "\n", "# nothing yet\n", "---\n", "~\n"])
def test_a_registry_without_content(tmp_path: Path, text: str) -> None:
    assert mistakes(tmp_path, text) == [
        "the registry is empty; write at least `version`, `code`, `seal`, `capabilities` and `surfaces`"
    ]


@pytest.mark.parametrize(("text", "found"), [("- a", "a list"), ("hello", "text"), ("5", "a number")])
def test_a_registry_that_is_no_mapping(tmp_path: Path, text: str, found: str) -> None:
    assert mistakes(tmp_path, text) == [
        f"1:1: the registry must be a mapping, not {found}; write it as in `version: 1`"
    ]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"version: 1\n# caf\xe9\n", "2:6: the byte 0xe9 is not UTF-8; save the file as UTF-8"),
        ("version: 1".encode("utf-16"), "1:1: the byte 0xff is not UTF-8; save the file as UTF-8"),
        (b"version: 1\nhost: \0\n", "2:7: the character '\\x00' is not allowed in YAML; remove it"),
    ],
)
def test_bytes_that_are_no_text(tmp_path: Path, data: bytes, said: str) -> None:
    assert mistakes(tmp_path, data) == [said]


@pytest.mark.parametrize("marker", [".git", "pyproject.toml"])
def test_the_root_is_the_nearest_folder_with_a_marker(tmp_path: Path, marker: str) -> None:
    (tmp_path / "pyproject.toml").touch()
    inner = tmp_path / "inner"
    (inner / marker).mkdir(parents=True)
    assert find_root(inner / "deep" / "entrypoints" / "registry.yaml") == inner
    assert find_root(tmp_path / "other" / "registry.yaml") == tmp_path


def test_without_a_marker_the_root_is_what_holds_the_entrypoints() -> None:
    assert find_root(Path("/nowhere/entrypoints/registry.yaml")) == Path("/nowhere")
    assert find_root(Path("/nowhere/else/registry.yaml")) == Path("/nowhere/else")


def test_a_registry_outside_its_root(tmp_path: Path) -> None:
    path = repository(tmp_path / "one")
    path.write_text(SMALL, encoding="utf-8")
    other = tmp_path / "other"
    assert complaint(path, other) == (
        f"{path}: the registry lies outside the repository {other}; move it there, or name its own root"
    )


def test_a_root_reached_through_a_link_is_the_same_root(tmp_path: Path) -> None:
    path = repository(tmp_path / "real")
    path.write_text(SMALL, encoding="utf-8")
    (tmp_path / "link").symlink_to("real")
    registry = read(path, tmp_path / "link")
    assert registry.seal.at.path == "entrypoints/registry.yaml"


def test_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository(tmp_path).write_text(SMALL, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "entrypoints")
    registry = read(Path("registry.yaml"), Path(".."))
    assert (registry.root, registry.path) == (tmp_path, tmp_path / "entrypoints" / "registry.yaml")


@pytest.mark.parametrize(
    "entry", ["agent", "agent/", "./agent", "my/package", "my.package", "single", "single.py", "."]
)
def test_code_that_is_there(tmp_path: Path, entry: str) -> None:
    assert read_text(tmp_path, SMALL.replace("[agent]", f"[{entry}]")).code == (entry,)


@pytest.mark.parametrize("entry", ["../agent", "agent/../..", "..", "/etc", "my/../../x", "C:/agent", "my\\..\\..\\x"])
def test_code_that_leads_out(tmp_path: Path, entry: str) -> None:
    (said,) = mistakes(tmp_path, SMALL.replace("[agent]", f"['{entry}']"))
    assert said.startswith("2:8: `code[0]`: `")
    assert "leads out of the repository; name a folder" in said or "is not a folder or package" in said


def test_an_absolute_path_of_the_repository_is_made_relative(tmp_path: Path) -> None:
    assert mistakes(tmp_path, SMALL.replace("[agent]", f"[{tmp_path}/my/package]")) == [
        f"2:8: `code[0]`: {_short(tmp_path / 'my' / 'package')} leads out of the repository; did you mean `my/package`?"
    ]


def _short(path: Path) -> str:
    text = str(path)
    return f"`{text}`" if len(text) <= 60 else f"`{text[:57]}...`"


def test_links_among_the_code(tmp_path: Path) -> None:
    repository(tmp_path / "repo")
    (tmp_path / "outside").mkdir()
    for name, target in {"loop": "loop", "gone": "nothing", "out": "../outside", "in": "agent"}.items():
        (tmp_path / "repo" / name).symlink_to(target)
    assert mistakes(tmp_path / "repo", SMALL.replace("[agent]", "[loop, gone, out, in, loop/deep]")) == [
        "2:8: `code[0]`: `loop` cannot be followed (Too many levels of symbolic links); "
        "repair the link, or name another folder",
        "2:14: `code[1]`: `gone` cannot be followed (No such file or directory); "
        "repair the link, or name another folder",
        "2:20: `code[2]`: `out` leads out of the repository; "
        "name a folder of the repository: what lies outside is not judged",
        "2:29: `code[4]`: `loop/deep` cannot be followed (Too many levels of symbolic links); "
        "repair the link, or name another folder",
    ]


def test_a_file_that_is_no_code(tmp_path: Path) -> None:
    (said,) = mistakes(tmp_path, SMALL.replace("[agent]", "[pyproject.toml]"))
    assert "there is no folder or package `pyproject.toml`" in said
