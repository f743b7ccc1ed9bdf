"""The part of a tree that the prover reads for one registry, and a name for exactly that content."""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TypeVar

from pytest_invariants.hook.footing import Footing, footing, forms
from pytest_invariants.hook.git import LINK, SUBMODULE, Blob, Git, Tree, is_environment
from pytest_invariants.hook.kept import digest
from pytest_invariants.hook.quick import judged_by

Found = TypeVar("Found")
REGISTRY = "entrypoints/registry.yaml"
PROJECT = "pyproject.toml"
NOTHING = Footing()


@dataclass(frozen=True)
class Snapshot:
    """One registry with the files that its repository has beside it. Paths are relative to `root`.

    `root` is where that repository lies below the top of git's: `.` for the top itself.
    """

    registry: str
    root: str
    files: Tree
    """Every Python file, every link, what marks environments, and the registry."""
    code: tuple[str, ...] | None
    """The entries of `code`; None where the registry does not say."""
    footing: Footing = NOTHING

    @property
    def shown(self) -> str:
        """The registry's path from the top of git's repository."""
        return str(PurePosixPath(self.root, self.registry))

    @cached_property
    def judged(self) -> Tree:
        """The files on which the answer depends: the registry, the code, and what gives packages their names."""
        return {**(self.files if self.follows_links else self._of_code), **self.footing.links}

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
        return frozenset(form for entry in self.code or () for form in forms(entry))

    @cached_property
    def _names(self) -> tuple[frozenset[str], tuple[str, ...]]:
        """What the entries may be: files, and folders."""
        files = frozenset(name for entry in self._entries for name in (entry, f"{entry}.py"))
        return files, tuple(sorted(f"{entry}/" for entry in self._entries))

    def is_like(self, other: Snapshot) -> bool:
        """Whether the answer is the same."""
        return (self.judged, self.footing) == (other.judged, other.footing)

    @property
    def places(self) -> Iterator[str]:
        """Where in git's repository anything may lie on which the answer depends."""
        packages = {f"{above}/__init__.py" for entry in self._entries for above in PurePosixPath(entry).parents}
        for path in sorted({self.registry, *self._names[0], *packages}):
            yield str(PurePosixPath(self.root, path))

    @property
    def rows(self) -> list[bytes]:
        """The judged files as `git ls-files --stage` writes them, by their paths from the top of git's repository."""
        inside = b"" if self.root == "." else os.fsencode(f"{self.root}/")
        found = sorted((inside + os.fsencode(path), blob) for path, blob in self.judged.items())
        return [f"{blob.mode} {blob.id} 0\t".encode() + path for path, blob in found]

    @property
    def key(self) -> str:
        """The same for the same content, judged by the same prover under the same Python."""
        there = sorted([*(f"{folder}/" for folder in self.footing.folders), *self.footing.files])
        return digest(judged_by(), self.registry.encode(), *self.rows, *map(os.fsencode, there))


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
        if path.startswith(inside) and (path == registry or _may_be_read(path, blob))
    }
    text = git.contents([tree[registry].id])[tree[registry].id]
    entries = _entries(text)
    looked_up = footing(git, tree, inside, itertools.chain(*entries.values()), text.decode(errors="replace"))
    return Snapshot(registry.removeprefix(inside), root, files, entries.get("code"), looked_up)


def _may_be_read(path: str, blob: Blob) -> bool:
    return blob.mode == LINK or (blob.mode != SUBMODULE and (path.endswith(".py") or is_environment(path)))


def _root(tree: Tree, registry: str) -> str:
    """The nearest folder above the registry with a `pyproject.toml`, or else the one that holds `entrypoints`."""
    folders = [str(folder) for folder in PurePosixPath(registry).parents]
    for folder in folders:
        if str(PurePosixPath(folder, PROJECT)) in tree:
            return folder
    return registry.removesuffix(REGISTRY).rstrip("/") or "." if registry.endswith(REGISTRY) else folders[0]


def _entries(text: bytes) -> dict[str, tuple[str, ...]]:
    """The entries of `code` and of `skills`, read without the rest: a mistake elsewhere is for the reader to report."""
    import yaml

    from pytest_invariants.registry.nodes import compose, own_entries
    from pytest_invariants.registry.problems import RegistryError

    found: dict[str, tuple[str, ...]] = {}
    with suppress(RegistryError, UnicodeDecodeError):
        for key, value in own_entries(compose(text.decode("utf-8-sig"), REGISTRY)):
            if key.value in ("code", "skills") and isinstance(value, yaml.SequenceNode):
                found.setdefault(key.value, tuple(str(item.value) for item in value.value))
    return found


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
    _look_alike(shot.footing, folder)
    _drop_leaving(links, folder.resolve())


def _look_alike(found: Footing, folder: Path) -> None:
    """Make what only has to be there."""
    for path in (*found.folders, *found.beside):
        (folder / path).mkdir(parents=True, exist_ok=True)
    for path in found.files:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).touch()


def laid_out(git: Git, shot: Snapshot, find: Callable[[Path], Found], *, staged: bool) -> Found:
    """What is found in a folder with a snapshot: the work tree where that holds what is staged, and otherwise a copy of it."""
    if staged and _is_in_work_tree(git, shot):
        found = find((git.top / shot.root).resolve())
        if _is_in_work_tree(git, shot):  # nobody has written to it meanwhile
            return found
    return copied(git, shot, find)


def copied(git: Git, shot: Snapshot, find: Callable[[Path], Found]) -> Found:
    """What is found in a folder with a copy of a snapshot."""
    with tempfile.TemporaryDirectory(prefix="invariants-") as name:
        folder = Path(name).resolve()
        write(git, shot, folder)
        return find(folder)


def _is_in_work_tree(git: Git, shot: Snapshot) -> bool:
    return (
        bool(shot.code)
        and not shot.follows_links
        and shot.footing.is_on(git.top / shot.root)
        and git.is_laid_out(shot.places)
    )


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


__all__ = ["Blob", "Snapshot", "copied", "laid_out", "registries", "snapshot", "write"]
