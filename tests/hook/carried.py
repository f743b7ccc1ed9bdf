"""Carry verdicts over from one version of a program to another, and find them anew, to compare the two."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pytest_invariants.hook.carry import carried
from pytest_invariants.hook.grounds import Files, Grounds, grounds_of
from pytest_invariants.hook.judge import examine_folder
from pytest_invariants.hook.standing import Standing

REGISTRY = "entrypoints/registry.yaml"


@dataclass
class Contents:
    """As much of git as is needed: contents by their ids."""

    known: dict[str, bytes] = field(default_factory=dict)

    def keep(self, text: str) -> str:
        id = hashlib.sha256(text.encode()).hexdigest()
        self.known[id] = text.encode()
        return id

    def contents(self, ids: Iterable[str]) -> dict[str, bytes]:
        return {id: self.known[id] for id in ids}


@dataclass(frozen=True)
class Version:
    files: Files
    standing: Standing
    grounds: Grounds | None


def find(files: dict[str, str], git: Contents) -> Version:
    """Judge a version with nothing to look up."""
    with tempfile.TemporaryDirectory(prefix="carried-") as name:
        folder = Path(name).resolve()
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8", newline="")
        judged = examine_folder(folder / REGISTRY, folder)
        ids = ids_of(files, git)
        if judged.program is None:
            return Version(ids, judged.standing, None)
        judged.program.contents.clear()
        return Version(ids, judged.standing, grounds_of(ids, judged.program, judged.names))


def ids_of(files: dict[str, str], git: Contents) -> Files:
    ids = {path: git.keep(text) for path, text in files.items()}
    return Files({path: id for path, id in ids.items() if path.endswith(".py")}, "", ids[REGISTRY])


def carry(git: Contents, before: Version, files: dict[str, str]) -> Version | None:
    """How another version stands, by how this one did; None where that does not tell."""
    if before.grounds is None:
        return None
    ids = ids_of(files, git)
    found = carried(git, ids, before.grounds, before.standing)  # type: ignore[arg-type]
    return Version(ids, *found) if found is not None else None
