"""Pinned sources are found, fetched only where that is allowed, and laid out as a repository would be."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from examples.field.corpus import REGISTRY, MissingSource, Package, fetch, lay_out


def wheel(folder: Path, name: str, files: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / name, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)


@pytest.mark.parametrize("name", ["my-tool", "my_tool", "My.Tool"])
def test_wheel_is_found_under_any_spelling_of_its_name(tmp_path: Path, name: str) -> None:
    wheel(tmp_path, "my_tool-1.2-py3-none-any.whl", {})
    assert Package(name, "1.2").wheel(tmp_path) == tmp_path / "my_tool-1.2-py3-none-any.whl"


@pytest.mark.parametrize("package", [Package("my-tool", "1"), Package("tool", "1.2"), Package("my-tool", "1.2.1")])
def test_another_version_or_package_is_not_taken_for_it(tmp_path: Path, package: Package) -> None:
    wheel(tmp_path, "my_tool-1.2-py3-none-any.whl", {})
    assert package.wheel(tmp_path) is None


def test_missing_wheel_names_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(MissingSource, match=r"no wheel of my-tool 1\.2 .*--download"):
        fetch(Package("my-tool", "1.2"), tmp_path, download=False)


def test_packages_share_a_root_and_the_registry_stands_in_its_place(tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    wheel(wheels, "a-1-py3-none-any.whl", {"ns/a.py": "A = 1", "a-1.dist-info/METADATA": "Name: a"})
    wheel(wheels, "b-2-py3-none-any.whl", {"ns/b.py": "B = 2"})
    registry = tmp_path / "registry.yaml"
    registry.write_text("version: 1\n")
    placed = lay_out([Package("a", "1"), Package("b", "2")], registry, tmp_path, "case", download=False)
    root = placed.parent.parent
    assert placed == root / REGISTRY
    assert placed.read_text() == "version: 1\n"
    assert sorted(path.relative_to(root).as_posix() for path in root.rglob("*.py")) == ["ns/a.py", "ns/b.py"]
    assert not list(root.rglob("*.dist-info"))


def test_wheel_cannot_write_outside_its_folder(tmp_path: Path) -> None:
    wheel(tmp_path / "wheels", "evil-1-py3-none-any.whl", {"../../escaped.py": "X = 1", "evil/__init__.py": ""})
    registry = tmp_path / "registry.yaml"
    registry.write_text("version: 1\n")
    placed = lay_out([Package("evil", "1")], registry, tmp_path, "case", download=False)
    outside = [path for path in tmp_path.rglob("escaped.py") if not path.is_relative_to(placed.parent.parent)]
    assert not outside


def test_what_is_there_is_kept_and_the_registry_is_renewed(tmp_path: Path) -> None:
    wheel(tmp_path / "wheels", "a-1-py3-none-any.whl", {"a.py": "A = 1"})
    registry = tmp_path / "registry.yaml"
    registry.write_text("version: 1\n")
    package = [Package("a", "1")]
    placed = lay_out(package, registry, tmp_path, "case", download=False)
    (placed.parent.parent / "mark").touch()
    registry.write_text("version: 2\n")
    assert lay_out(package, registry, tmp_path, "case", download=False) == placed
    assert placed.read_text() == "version: 2\n"
    assert (placed.parent.parent / "mark").exists()


def test_another_version_gets_a_folder_of_its_own(tmp_path: Path) -> None:
    for version in ("1", "2"):
        wheel(tmp_path / "wheels", f"a-{version}-py3-none-any.whl", {"a.py": f"A = {version}"})
    registry = tmp_path / "registry.yaml"
    registry.write_text("version: 1\n")
    first, second = (lay_out([Package("a", v)], registry, tmp_path, "case", download=False) for v in ("1", "2"))
    assert (first.parent.parent / "a.py").read_text() == "A = 1"
    assert (second.parent.parent / "a.py").read_text() == "A = 2"
