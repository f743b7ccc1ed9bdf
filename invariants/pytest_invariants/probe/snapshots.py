"""Snapshots: readable files in one folder beside the registry, written and compared in the manner of syrupy."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from syrupy.extensions.json import JSONSnapshotExtension

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
CONTEXT = 12
"""Lines of a difference that are shown."""


class Exact(JSONSnapshotExtension):
    """JSON with the keys in their own order: the model is shown bytes, not sets."""

    def serialize(self, data: Any, **options: Any) -> str:
        del options
        return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


class Snapshots:
    """The snapshot files of one registry. With `update` they are brought up to date instead of compared."""

    def __init__(self, folder: Path, *, update: bool = False) -> None:
        self.folder = folder
        self.update = update
        self._extension = Exact()

    @property
    def is_new(self) -> bool:
        """Whether there is no snapshot at all, and none is to be written."""
        return not self.update and not any(self.folder.glob("*.json"))

    def changes(self, values: Mapping[str, object]) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The names of files that differ, are missing, or are left over, each with lines that show how."""
        texts = {file_name(name): self._extension.serialize(value) for name, value in values.items()}
        if self.update:
            self._write(texts)
        for name, text in texts.items():
            path = self.folder / name
            if not path.is_file():
                yield name, ("there is no snapshot yet",)
            elif (old := path.read_text(encoding="utf-8")) != text:
                yield name, self._difference(old, text)
        for path in sorted(self.folder.glob("*.json")):
            if path.name not in texts:
                yield path.name, ("nothing is shown any more that this snapshot is of",)

    def _write(self, texts: Mapping[str, str]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        for path in self.folder.glob("*.json"):
            if path.name not in texts:
                path.unlink()
        for name, text in texts.items():
            (self.folder / name).write_text(text, encoding="utf-8")

    def _difference(self, old: str, new: str) -> tuple[str, ...]:
        lines = [ESCAPES.sub("", line).rstrip() for line in self._extension.diff_lines(new, old)]
        lines = [line for line in lines if line.strip()] or list(
            difflib.unified_diff(old.splitlines(), new.splitlines())
        )
        more = (f"... and {len(lines) - CONTEXT} more lines",) if len(lines) > CONTEXT else ()
        return (*lines[:CONTEXT], *more)


def file_name(name: str) -> str:
    """`table of category 'home'` becomes `table-of-category-home.json`."""
    return re.sub(r"\W+", "-", name).strip("-") + ".json"
