"""The part of a tree that the prover reads for one registry, and a name for exactly that content."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TypeVar

from pytest_invariants.hook.git import LINK, Blob, Git, Tree
from pytest_invariants.hook.kept import digest
from pytest_invariants.hook.quick import judged_by

Found = TypeVar("Found")
REGISTRY = "entrypoints/registry.yaml"
PROJECT = "pyproject.toml"


@dataclass(frozen=True)
class Snapshot:
    """One registry with the files that its repository has beside it. Paths are relative to `root`.

    `root` is where that repository lies below the top of git's: `.` for the top itself.
    """

    registry: str
    root: str
    files: Tree
    """Every Python file and link, and the registry."""
    code: tuple[str, ...] | None
    """The entries of `code`; None where the registry does not say."""

    @property
    def shown(self) -> str:
        """The registry's path from the top of git's repository."""
        return str(PurePosixPath(self.root, self.registry))

    @property
    def judged(self) -> Tree:
        """The files on which the answer depends: the registry, the code, and what gives packages their names."""
        found = self._of_code
        return self.files if self.follows_links else found

    @property
    def follows_links(self) -> bool:
        """Whether a link is among the code, so that any file may be part of it."""
        return any(blob.mode == LINK for blob in self._of_code.values())

    @cached_property
    def _of_code(self) -> Tree:
        return {path: blob for path, blob in self.files.items() if path == self.registry or self._is_code(path)}

    def _is_code(self, path: str) -> bool:
        if self.code is None or "." in self._entries:
            return True
        names, folders = self._names
        if path in names or path.startswith(folders):
            return True
        package = path.removesuffix("__init__.py")
        return package != path and any(folder.startswith(package) for folder in folders)

    @cached_property
    def _entries(self) -> frozenset[str]:
        return frozenset(form for entry in self.code or () for form in (entry.rstrip("/"), entry.replace(".", "/")))

    @cached_property
    def _names(self) -> tuple[frozenset[str], tuple[str, ...]]:
        """What the entries may be: files, and folders."""
        files = frozenset(name for entry in self._entries for name in (entry, f"{entry}.py"))
        return files, tuple(sorted(f"{entry}/" for entry in self._entries))

    @property
    def has_all_code(self) -> bool:
        """Whether there is code for each entry of `code`."""
        places = ((entry.rstrip("/"), entry.replace(".", "/").rstrip("/")) for entry in self.code or ())
        return all(any(map(self._has, forms)) for forms in places)

    def _has(self, place: str) -> bool:
        names, below = (place, f"{place}.py"), f"{place}/"
        return place in ("", ".") or any(path in names or path.startswith(below) for path in self.files)

    @property
    def rows(self) -> list[bytes]:
        """The judged files as `git ls-files --stage` writes them, by their paths from the top of git's repository."""
        inside = b"" if self.root == "." else os.fsencode(f"{self.root}/")
        found = sorted((inside + os.fsencode(path), blob) for path, blob in self.judged.items())
        return [f"{blob.mode} {blob.id} 0\t".encode() + path for path, blob in found]

    @property
    def key(self) -> str:
        """The same for the same content, judged by the same prover under the same Python."""
        return digest(judged_by(), self.registry.encode(), *self.rows)


def registries(tree: Tree) -> list[str]:
    """The registries that a tree has, each at the place where it is looked for."""
    return sorted(path for path in tree if path == REGISTRY or path.endswith(f"/{REGISTRY}"))


def snapshot(git: Git, tree: Tree, registry: str) -> Snapshot | None:
    """What `tree` has of the repository to which `registry` belongs; None where the registry is not in it."""
    if registry not in tree:
        return None
    root = _root(tree, registry)
    inside = "" if root == "." else f"{root}/"
    files = {
        path.removeprefix(inside): blob
        for path, blob in tree.items()
        if path.startswith(inside) and (path.endswith(".py") or blob.mode == LINK or path == registry)
    }
    text = git.contents([tree[registry].id])[tree[registry].id]
    return Snapshot(registry.removeprefix(inside), root, files, _code(text))


def _root(tree: Tree, registry: str) -> str:
    """The nearest folder above the registry with a `pyproject.toml`, or else the one that holds `entrypoints`."""
    folders = [str(folder) for folder in PurePosixPath(registry).parents]
    for folder in folders:
        if str(PurePosixPath(folder, PROJECT)) in tree:
            return folder
    return registry.removesuffix(REGISTRY).rstrip("/") or "." if registry.endswith(REGISTRY) else folders[0]


def _code(text: bytes) -> tuple[str, ...] | None:
    """The entries of `code`, read without the rest: a mistake elsewhere is for the reader to report."""
    import yaml

    from pytest_invariants.registry.nodes import compose, own_entries
    from pytest_invariants.registry.problems import RegistryError

    with suppress(RegistryError, UnicodeDecodeError):
        for key, value in own_entries(compose(text.decode("utf-8-sig"), REGISTRY)):
            if key.value == "code" and isinstance(value, yaml.SequenceNode):
                return tuple(str(item.value) for item in value.value)
    return None


def write(git: Git, shot: Snapshot, folder: Path) -> None:
    """Lay the judged files out in an empty folder. A link is laid only where it stays inside."""
    judged = shot.judged
    contents = git.contents(blob.id for blob in judged.values())
    links: list[Path] = []
    for path, blob in judged.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if blob.mode == LINK:
            links += _linked(file, contents[blob.id])
        else:
            file.write_bytes(contents[blob.id])
    _drop_leaving(links, folder.resolve())


def laid_out(git: Git, shot: Snapshot, find: Callable[[Path], Found], *, staged: bool) -> Found:
    """What is found in a folder with a snapshot: the work tree where that holds what is staged, and otherwise a copy of it."""
    paths = [str(PurePosixPath(shot.root, entry)) for entry in shot.code or ()]
    if staged and paths and not shot.follows_links and git.is_laid_out(paths):
        found = find((git.top / shot.root).resolve())
        if git.is_laid_out(paths):  # nobody has written to it meanwhile
            return found
    with tempfile.TemporaryDirectory(prefix="invariants-") as name:
        folder = Path(name).resolve()
        write(git, shot, folder)
        return find(folder)


def _linked(file: Path, target: bytes) -> Iterable[Path]:
    with suppress(OSError, ValueError):
        file.symlink_to(target.decode(errors="surrogateescape"))
        yield file


def _drop_leaving(links: Iterable[Path], folder: Path) -> None:
    for link in links:
        try:
            inside = link.resolve(strict=True).is_relative_to(folder)
        except (OSError, RuntimeError):
            inside = False
        if not inside:
            link.unlink()


__all__ = ["Blob", "Snapshot", "laid_out", "registries", "snapshot", "write"]
