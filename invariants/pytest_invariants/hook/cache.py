"""Verdicts that were found before, and where the files lie on which they depend; see `kept` for who may have written them.

A cache is never trusted where it could hide a violation from others: under `CI` it is neither read nor written, and neither is
one that the repository brought. What cannot be read is found again; where nothing can be written, nothing is kept.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from pytest_invariants.hook.git import Tree
from pytest_invariants.hook.kept import FOLDER, Kept
from pytest_invariants.hook.standing import Standing, as_json, from_json


class Cache:
    """Entries by key (`Snapshot.key`), the most recent ones."""

    def __init__(self, top: Path, environment: Mapping[str, str], staged: Tree) -> None:
        brought = any(path == FOLDER or path.startswith(f"{FOLDER}/") for path in staged)
        self.kept = Kept(str(top), environment)
        self.cold = self.kept.off or brought
        """Whether nothing is kept."""

    def get(self, key: str) -> Standing | None:
        content = self.read(f"standing-{key}")
        if content is None:
            return None
        try:
            return from_json(json.loads(content))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None

    def put(self, key: str, standing: Standing) -> None:
        self.write(f"standing-{key}", json.dumps(as_json(standing)).encode())

    def read(self, name: str) -> bytes | None:
        """An entry of any kind."""
        found = None if self.cold else self.kept.get(name)
        if found is not None:
            self.kept.touch(name)
        return found

    def write(self, name: str, content: bytes) -> None:
        if not self.cold:
            self.kept.put(name, content)
