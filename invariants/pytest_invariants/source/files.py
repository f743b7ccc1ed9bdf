"""Which files the prover reads, and what each of them holds. Nothing is imported or run."""

from __future__ import annotations

import ast
import os
import stat
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SIZE_LIMIT = 8 * 1024 * 1024
"""Bytes; a larger file is reported and not parsed."""
SKIPPED = frozenset({"__pycache__"})


@dataclass(frozen=True, slots=True)
class Source:
    """A Python file: its dotted module name and its path relative to the repository's root."""

    module: str
    path: str
    file: Path
    package: bool


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that cannot be parsed: what is in it is never proved."""

    path: str
    line: int
    message: str


def find_sources(root: Path, code: tuple[str, ...]) -> list[Source]:
    """Every Python file below the roots of `code`, sorted by path; links are followed once."""
    found: dict[str, Source] = {}
    for entry in code:
        for source in _walk(root, entry):
            found.setdefault(source.path, source)
    return [found[path] for path in sorted(found)]


def locate(root: Path, entry: str) -> tuple[Path, str]:
    """The folder or file of a `code` entry and the dotted name of the module it starts at.

    A folder that holds no `__init__.py` and is written with a slash (`src/`) is a source root: modules below it are named
    from there.
    """
    plain = entry.rstrip("/")
    path = root / (plain if (root / plain).exists() else plain.replace(".", "/"))
    if not path.exists() and path.with_suffix(".py").is_file():
        path = path.with_suffix(".py")
    if path.is_file():
        return path, _dotted(path.with_suffix("").relative_to(root).parts)
    if path.is_dir() and entry.endswith("/") and not (path / "__init__.py").exists():
        return path, ""
    parts: list[str] = [path.name]
    parent = path.parent
    while parent != root and (parent / "__init__.py").exists():
        parts.insert(0, parent.name)
        parent = parent.parent
    if parent != root and not (path / "__init__.py").exists():
        return path, _dotted(path.relative_to(root).parts)
    return path, ".".join(parts)


def _walk(root: Path, entry: str) -> Iterator[Source]:
    start, name = locate(root, entry)
    if start.is_file():
        yield Source(name, _relative(root, start), start, package=False)
        return
    seen: set[str] = set()
    for folder, folders, files in os.walk(start, followlinks=True):
        real = os.path.realpath(folder)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(f for f in folders if _belongs(root, Path(folder) / f))
        inner = Path(folder).relative_to(start).parts
        for file in sorted(f for f in files if f.endswith(".py")):
            yield _source(root, Path(folder) / file, (*filter(None, name.split(".")), *inner))


def _belongs(root: Path, folder: Path) -> bool:
    """Whether a folder is part of the code: no cache, no hidden folder or environment, and no link that leads out."""
    if folder.name in SKIPPED or folder.name.startswith(".") or (folder / "pyvenv.cfg").exists():
        return False
    return not folder.is_symlink() or folder.resolve().is_relative_to(root.resolve())


def _source(root: Path, file: Path, package: tuple[str, ...]) -> Source:
    if file.name == "__init__.py":
        return Source(_dotted(package), _relative(root, file), file, package=True)
    return Source(_dotted((*package, file.stem)), _relative(root, file), file, package=False)


def _dotted(parts: tuple[str, ...]) -> str:
    return ".".join(parts)


def _relative(root: Path, file: Path) -> str:
    return file.relative_to(root).as_posix()


def read_bytes(source: Source) -> bytes | Unreadable:
    try:
        if not stat.S_ISREG(source.file.stat().st_mode):
            return Unreadable(source.path, 1, "this is no regular file")
        with source.file.open("rb") as file:
            content = file.read(SIZE_LIMIT + 1)
        if len(content) > SIZE_LIMIT:
            return Unreadable(source.path, 1, f"the file is larger than {SIZE_LIMIT} bytes")
        return content
    except OSError as error:
        return Unreadable(source.path, 1, f"the file cannot be read: {error.strerror or error}")


def text_of(content: bytes) -> str:
    """The text as a search reads it: whatever its encoding, with every line ended in one way."""
    return content.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")


def searched(source: Source) -> str:
    """The text of a file to search in; nothing where it cannot be read."""
    content = read_bytes(source)
    return "" if isinstance(content, Unreadable) else text_of(content)


def parse(source: Source, content: bytes) -> ast.Module | Unreadable:
    """The syntax tree, or where and why there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(content, filename=source.path)
    except SyntaxError as error:
        return Unreadable(source.path, error.lineno or 1, f"the file does not parse: {error.msg}")
    except (ValueError, UnicodeDecodeError) as error:
        return Unreadable(source.path, 1, f"the file does not parse: {error}")
    except (RecursionError, MemoryError):
        return Unreadable(source.path, 1, "the file does not parse: it is nested too deeply")
