"""What a file's text assigns, by name: to attributes, to entries and to variables that a function declares global."""

from __future__ import annotations

import re
from typing import TypeAlias

FIELDS = re.compile(r"\.(\w+)(?:\s*:[^=\n]+)?\s*(=(?!=)|[-+*/|&^%]=)\s*(\S*)")
ENTRIES = re.compile(r"""\[\s*["'](\w+)["']\s*\]\s*(=(?!=)|[-+*/|&^%]=)\s*(\S*)""")
GLOBALS = re.compile(r"^[ \t]+global[ \t]+([\w, \t]+)", re.MULTILINE)
Pairs: TypeAlias = frozenset[tuple[str, str]]


def stores(text: str) -> tuple[Pairs, Pairs, frozenset[str]]:
    """Attributes and keys, each with what it is given or the operator that changes it, and names of variables."""
    fields, entries = (
        frozenset((name, given if operator == "=" else operator) for name, operator, given in pattern.findall(text))
        for pattern in (FIELDS, ENTRIES)
    )
    return fields, entries, frozenset(name.strip() for names in GLOBALS.findall(text) for name in names.split(","))
