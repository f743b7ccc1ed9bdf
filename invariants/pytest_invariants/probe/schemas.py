"""The table of one step: the exact bytes, and the names of the tools in it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pytest_invariants.probe.host import HostError


def as_text(table: object) -> str:
    """The table as JSON, one value a line, in its own order."""
    try:
        return json.dumps(table, indent=2, ensure_ascii=False) + "\n"
    except (TypeError, ValueError) as error:
        raise HostError(
            f"what `table` returned cannot be written as JSON ({error}); return plain lists and dictionaries"
        ) from error


def names_in(table: object) -> frozenset[str]:
    """The names of the tools, from `{"name": ...}` or `{"function": {"name": ...}}`."""
    entries = table if isinstance(table, list | tuple) else ()
    return frozenset(name for name in map(name_of, entries) if name)


def name_of(entry: object) -> str:
    """The name of the tool that an entry of the table describes; empty where it has none."""
    if not isinstance(entry, Mapping):
        return ""
    inner = entry.get("function")
    name = entry.get("name") or (inner.get("name") if isinstance(inner, Mapping) else None)
    return name if isinstance(name, str) else ""
