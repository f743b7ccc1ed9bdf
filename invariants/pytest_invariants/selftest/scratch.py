"""Copies of the code under test. Nothing but a copy is ever changed, and a copy is gone when its use is over."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from pytest_invariants.registry.model import Registry
from pytest_invariants.selftest.model import Mutant
from pytest_invariants.source.files import find_sources

LEFT_OUT = frozenset(
    {".git", ".hg", ".svn", ".venv", ".tox", ".nox", "__pycache__", "node_modules"}
    | {".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis"}
)


@contextmanager
def sources_only(registry: Registry) -> Iterator[Registry]:
    """The registry over a copy of the Python files that it speaks of: enough to be read."""
    with tempfile.TemporaryDirectory(prefix="invariants-") as folder:
        root = Path(folder).resolve()
        for entry in registry.code:
            given = registry.root / entry
            (root / entry if given.is_dir() else root).mkdir(parents=True, exist_ok=True)
        for source in find_sources(registry.root, registry.code):
            copy = root / source.path
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source.file, copy)
        yield replace(registry, root=root)


@contextmanager
def whole(registry: Registry) -> Iterator[Registry]:
    """The registry over a copy of the repository without version control, environments and caches: enough to be run."""
    with tempfile.TemporaryDirectory(prefix="invariants-") as folder:
        root = Path(folder).resolve() / registry.root.name
        shutil.copytree(
            registry.root, root, ignore=_left_out, ignore_dangling_symlinks=True, copy_function=copied_if_there
        )
        yield replace(registry, root=root)


def put(mutant: Mutant, copy: Registry) -> None:
    """Spoil a copy."""
    for path, content in mutant.files:
        (copy.root / path).write_bytes(content)


def copied_if_there(source: str, target: str) -> str:
    """Other programs write and remove files of their own beside the code, also while it is being copied."""
    try:
        shutil.copy2(source, target)
    except FileNotFoundError:
        if Path(source).exists():
            raise
    return target


def _left_out(folder: str, names: list[str]) -> set[str]:
    """Also environments under other names, and links to folders, which may lead around in a circle."""
    here = Path(folder)
    return {
        name
        for name in names
        if name in LEFT_OUT
        or (here / name / "pyvenv.cfg").is_file()
        or ((here / name).is_symlink() and (here / name).is_dir())
        or (not (here / name).is_dir() and not (here / name).is_file())
    }
