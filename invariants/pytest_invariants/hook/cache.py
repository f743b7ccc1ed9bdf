"""Verdicts that were found before, by the content that they are about: `.invariants_cache/` at the top of a work tree.

A cache is never trusted where it could hide a violation from others: under `CI` it is neither read nor written. What
cannot be read is found again; where nothing can be written, nothing is kept.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from pytest_invariants.hook.git import Tree
from pytest_invariants.hook.standing import Standing, as_json, from_json

FOLDER = ".invariants_cache"
MOST_ENTRIES = 64
MOST_BYTES = 2_000_000
"""Of one entry; a larger one is not kept."""

_KEY = re.compile("[0-9a-f]{64}")
_MARKS = {
    ".gitignore": "*\n",
    "CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n# A cache of pytest-invariants; it may be removed.\n",
}
"""The signature is that of https://bford.info/cachedir/."""


class Cache:
    """Entries by key (`Snapshot.key`), the most recent ones."""

    def __init__(self, top: Path, environment: Mapping[str, str], staged: Tree) -> None:
        self._folder = top / FOLDER
        in_ci = environment.get("CI", "").lower() not in ("", "0", "false")
        brought = any(path == FOLDER or path.startswith(f"{FOLDER}/") for path in staged)
        self.cold = in_ci or brought or self._folder.is_symlink()
        """Whether nothing is kept: also where the repository itself brought the folder."""

    def get(self, key: str) -> Standing | None:
        if self.cold:
            return None
        file = self._file(key)
        try:
            data = json.loads(file.read_bytes())
            found = from_json(data["standing"]) if data["key"] == key else None
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None
        with suppress(OSError):
            os.utime(file)
        return found

    def put(self, key: str, standing: Standing) -> None:
        text = json.dumps({"key": key, "standing": as_json(standing)}).encode()
        if self.cold or len(text) > MOST_BYTES:
            return
        with suppress(OSError):
            self._prepare()
            _replace(self._file(key), text)
            self._forget()

    def _file(self, key: str) -> Path:
        return self._folder / f"{key}.json"

    def _prepare(self) -> None:
        self._folder.mkdir(exist_ok=True)
        for name, text in _MARKS.items():
            if not (self._folder / name).exists():
                _replace(self._folder / name, text.encode())

    def _forget(self) -> None:
        """Remove the entries that were not used for longest."""
        own = (file for file in self._folder.glob("*.json") if _KEY.fullmatch(file.stem))
        entries = sorted(own, key=lambda file: (file.stat().st_mtime_ns, file.name))
        for file in entries[:-MOST_ENTRIES]:
            file.unlink(missing_ok=True)


def _replace(file: Path, text: bytes) -> None:
    """Write in one move: a reader sees all of it or nothing."""
    half = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        half.write_bytes(text)
        os.replace(half, file)
    finally:
        half.unlink(missing_ok=True)
