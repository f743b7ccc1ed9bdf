"""The roots of the judged code (`code: [entrypoints, src/agent]`): folders or packages of the repository."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from yaml.nodes import Node

from pytest_invariants.registry.kinds import FAILED, Failure, Formed, Schema, Spot
from pytest_invariants.registry.problems import quoted
from pytest_invariants.registry.suggest import closest
from pytest_invariants.registry.words import FOLDER


def locate(root: Path, entry: str) -> Path | None:
    """Where an entry of `code` lies: the folder or file of that name, or of that dotted package or module; else None.

    :raises OSError: where the path cannot be followed, as in a loop of links.
    """
    for name in (entry, entry.replace(".", "/")):
        for path in (root / name, root / f"{name}.py"):
            if path.exists():
                return path
            if path.is_symlink():
                path.stat()
    return None


@dataclass(frozen=True)
class CodeRoot(Formed[str]):
    """A folder or package that is there and does not leave the repository."""

    forms: ClassVar[tuple[str, ...]] = FOLDER.forms

    @property
    def what(self) -> str:
        return FOLDER.what

    def value(self, node: Node, spot: Spot) -> str | Failure:
        entry = FOLDER.value(node, spot)
        if entry is FAILED:
            return FAILED
        try:
            place = locate(spot.root, entry)
            inside = place is not None and place.resolve().is_relative_to(spot.root.resolve())
        except (OSError, RuntimeError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            message = f"{spot}: {quoted(entry)} cannot be followed ({reason})"
            return spot.fail(node, message, "repair the link or name another folder")
        if place is None:
            return self._note_unknown(entry, node, spot)
        if not inside:
            remedy = "name a folder of the repository: what lies outside is not judged"
            return spot.fail(node, f"{spot}: {quoted(entry)} leads out of the repository", remedy)
        return place.relative_to(spot.root).as_posix()

    def _note_unknown(self, entry: str, node: Node, spot: Spot) -> Failure:
        near = closest(entry, sorted(_packages(spot.root)))
        remedy = f"did you mean `{near}`?" if near else f"paths are relative to {spot.root}"
        return spot.fail(node, f"{spot}: there is no folder or package {quoted(entry)}", remedy)

    def schema(self) -> Schema:
        return FOLDER.schema()


def _packages(root: Path) -> set[str]:
    try:
        return {path.name for path in root.iterdir() if path.is_dir() and not path.name.startswith(".")}
    except OSError:
        return set()
