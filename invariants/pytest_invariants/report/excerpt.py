"""The line of source that a place names, so that a reader need not open the file to follow a trace."""

from __future__ import annotations

import linecache
from pathlib import Path

from pytest_invariants.verdict import Place


def line_of(root: Path, place: Place) -> str:
    """The stripped line, or nothing where the file or the line is not there (it may have been moved since)."""
    return linecache.getline(str(root / place.path), place.line).strip()
