"""The registry's file: which repository it belongs to, and its text, or one clear reason why there is none."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from pytest_invariants.registry.problems import Problem, RegistryError

MAX_BYTES = 1_000_000
"""The largest registry that is read; one of a thousand surfaces has about a tenth of it."""

_MARKERS = (".git", "pyproject.toml")


@dataclass(frozen=True, slots=True)
class Source:
    """A registry's text with where it stands. `shown` is the path for people: relative to `root`, forward slashes."""

    path: Path
    root: Path
    shown: str
    text: str


def load(path: Path, root: Path | None = None) -> Source:
    """The text of the registry at `path`.

    :raises RegistryError: with one problem, where the file cannot be read or lies outside `root`.
    """
    path = Path(os.path.abspath(path))
    root = find_root(path) if root is None else Path(os.path.abspath(root))
    try:
        shown = _relative(path, root)
        data = _bytes(path, shown)
    except FileNotFoundError:
        raise _refusal(path, "there is no such registry", "write one, or run `invariants init`") from None
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _refusal(path, f"the registry cannot be read ({reason})", "check the path and its permissions") from None
    return Source(path, root, shown, _decode(data, shown))


def find_root(path: Path) -> Path:
    """The repository of a registry: the nearest folder above it with `.git` or `pyproject.toml`.

    Without either it is the folder that holds `entrypoints`, or else the registry's own folder.
    """
    for folder in path.parents:
        if any((folder / marker).exists() for marker in _MARKERS):
            return folder
    return path.parent.parent if path.parent.name == "entrypoints" else path.parent


def _relative(path: Path, root: Path) -> str:
    if not path.is_relative_to(root):
        path, root = path.resolve(), root.resolve()
    if path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    raise _refusal(path, f"the registry lies outside the repository {root}", "move it there, or name its own root")


def _bytes(path: Path, shown: str) -> bytes:
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise _refusal(shown, "this is a folder, not a registry", f"name the file, as in {shown}/registry.yaml")
    if not stat.S_ISREG(mode):
        raise _refusal(shown, "this is no ordinary file", "name the registry's file")
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise _refusal(shown, f"the registry is larger than {MAX_BYTES:,} bytes", "check that this is the right file")
    return data


def _decode(data: bytes, shown: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        message = f"the byte 0x{data[error.start]:02x} is not UTF-8"
        raise RegistryError([Problem(shown, line, column, message, "save the file as UTF-8")]) from None


def _refusal(path: Path | str, message: str, remedy: str) -> RegistryError:
    return RegistryError([Problem(str(path), 0, 0, message, remedy)])
