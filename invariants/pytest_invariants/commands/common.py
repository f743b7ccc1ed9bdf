"""What several commands need: the registry that is meant, and words for an id that nobody knows."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from pytest_invariants.cli import UsageError
from pytest_invariants.registry.model import Registry
from pytest_invariants.registry.reader import read
from pytest_invariants.registry.suggest import closest
from pytest_invariants.report.terminal import Paint, wants_colour, width_of

REGISTRY = Path("entrypoints", "registry.yaml")


def find_registry(given: Path | None, start: Path) -> Path:
    """The registry's file: the one that is given, that of a given repository, or the nearest one upwards of `start`.

    :raises UsageError: where none is given and none is found.
    """
    if given is not None:
        return given / REGISTRY if given.is_dir() else given
    for folder in (start, *start.parents):
        if (folder / REGISTRY).is_file():
            return folder / REGISTRY
    raise UsageError(f"there is no {REGISTRY.as_posix()} in {start} or in a folder above it; name the registry")


def read_registry(given: Path | None) -> Registry:
    """:raises UsageError: where there is none. :raises RegistryError: with every mistake in it."""
    return read(find_registry(given, Path.cwd()))


def require_known(ids: Iterable[str], known: Iterable[str]) -> None:
    """:raises UsageError: that names every stranger among `ids` at once, with the closest match."""
    candidates = sorted(set(known))
    strangers = [id for id in ids if id not in candidates]
    if strangers:
        raise UsageError("\n".join(_stranger(id, candidates) for id in strangers))


def _stranger(id: str, candidates: list[str]) -> str:
    near = closest(id, candidates)
    return f"there is no `{id}`; " + (f"did you mean `{near}`?" if near else f"there are {', '.join(candidates)}")


def paint() -> Paint:
    return Paint(wants_colour(sys.stdout))


def width() -> int:
    return width_of(sys.stdout)
