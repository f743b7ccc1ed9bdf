"""The tools of a table as declarations: name, description and the JSON schema of the arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_invariants.probe.host import HostError
from pytest_invariants.probe.schemas import as_text

Schema = Mapping[str, object]
KEYS = ("input_schema", "inputSchema", "parameters")
"""Where providers and servers keep the schema of the arguments."""


@dataclass(frozen=True, slots=True)
class Declared:
    name: str
    description: str
    parameters: Schema


def declarations(table: object) -> dict[str, Declared]:
    """The tools by their names, in the order of the table; entries may lie under `function`, as some providers want.

    Raises HostError where the table is no list of such entries.
    """
    as_text(table)
    if not isinstance(table, list | tuple):
        raise HostError(f"the table is {table!r:.60}; return a list with an entry for each tool")
    found = [_declared(entry) for entry in table]
    return {tool.name: tool for tool in found}


def _declared(entry: object) -> Declared:
    inner = entry.get("function", entry) if isinstance(entry, Mapping) else None
    name = inner.get("name") if isinstance(inner, Mapping) else None
    if not isinstance(inner, Mapping) or not isinstance(name, str):
        raise HostError(f"the table has the entry {entry!r:.60}; give each a `name`, a `description` and a schema")
    schema: Schema = next((inner[key] for key in KEYS if isinstance(inner.get(key), Mapping)), {})
    return Declared(name, str(inner.get("description") or ""), schema)
