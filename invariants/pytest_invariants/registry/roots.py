"""The roots of the judged code (`code: [entrypoints, src/agent]`) and of the skills: folders of the repository."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from yaml.nodes import Node

from pytest_invariants.registry.kinds import Formed, Schema
from pytest_invariants.registry.problems import quoted
from pytest_invariants.registry.spot import FAILED, Failure, Spot
from pytest_invariants.registry.words import folder

_FOLDER = folder("agent")


def _locate(root: Path, entry: str) -> Path | None:
    """Where an entry of `code` lies: the folder or Python file of that name or dotted name, or None.

    :raises OSError: where the path cannot be followed, as in a loop of links or a link to nothing.
    """
    dotted = entry.replace(".", "/")
    for path in (root / entry, root / f"{entry}.py", root / dotted, root / f"{dotted}.py"):
        if _is_code(path):
            return path
    return None


def _is_code(path: Path) -> bool:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        if path.is_symlink():
            raise
        return False
    return path.is_dir() or path.suffix == ".py"


@dataclass(frozen=True)
class CodeRoot(Formed[str]):
    """A folder, package or module that is there and does not leave the repository."""

    forms: ClassVar[tuple[str, ...]] = _FOLDER.forms
    what: ClassVar[str] = _FOLDER.label
    example: ClassVar[str] = _FOLDER.sample

    def value(self, node: Node, spot: Spot) -> str | Failure:
        if _climbs(node.value):
            return self._note_outside(node, spot)
        entry = _FOLDER.value(node, spot)
        if entry is FAILED:
            return FAILED
        try:
            place = _locate(spot.root, entry)
            inside = place is None or place.resolve().is_relative_to(spot.root.resolve())
        except (OSError, RuntimeError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            message = f"{spot}: {quoted(entry)} cannot be followed ({reason})"
            return spot.fail(node, message, "repair the link, or name another folder")
        if place is None:
            return self._note_unknown(entry, node, spot)
        return entry if inside else self._note_outside(node, spot)

    def _note_outside(self, node: Node, spot: Spot) -> Failure:
        message = f"{spot}: {quoted(node.value)} leads out of the repository"
        inner = os.path.relpath(node.value, spot.root) if os.path.isabs(node.value) else ".."
        remedy = "name a folder of the repository: what lies outside is not judged"
        return spot.fail(node, message, remedy if inner.startswith("..") else f"did you mean {quoted(inner)}?")

    def _note_unknown(self, entry: str, node: Node, spot: Spot) -> Failure:
        near = spot.near(entry, sorted(_folders(spot.root)))
        remedy = f"did you mean `{near}`?" if near else "write its path from the repository's root"
        return spot.fail(node, f"{spot}: there is no folder or package {quoted(entry)} in {spot.root}", remedy)

    def schema(self) -> Schema:
        return _FOLDER.schema()


@dataclass(frozen=True)
class SkillRoot(CodeRoot):
    """A folder that is there and does not leave the repository."""

    example: ClassVar[str] = "skills"

    def value(self, node: Node, spot: Spot) -> str | Failure:
        entry = super().value(node, spot)
        if entry is FAILED or (spot.root / entry).is_dir():
            return entry
        message = f"{spot}: {quoted(entry)} is no folder of {spot.root}"
        return spot.fail(node, message, "write the folder's path from the repository's root")


def _climbs(entry: str) -> bool:
    return os.path.isabs(entry) or ".." in entry.replace("\\", "/").split("/")


def _folders(root: Path) -> set[str]:
    return {path.name for path in root.iterdir() if path.is_dir() and not path.name.startswith(".")}
