"""What a file's text assigns, by name: to attributes, to entries, and to variables that a function declares global."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

OPERATORS = r"=(?!=)|(?:\*\*|//|<<|>>|[-+*/|&^%@])="
FIELDS = re.compile(rf"\.(\w+)(?:\s*:[^=\n]+)?\s*({OPERATORS})\s*(\S*)")
ENTRIES = re.compile(rf"""\[\s*["'](\w+)["']\s*\]\s*({OPERATORS})\s*(\S*)""")
NUMBERED = re.compile(rf"\[\s*(-?\d+)\s*\]\s*({OPERATORS})\s*(\S*)")
BY_NAME = re.compile(r"""\b(?:setattr|__setattr__)\(\s*(?:[^,()]+,\s*)?["'](\w+)["']\s*,\s*(\S*?)\)""")
SEVERAL = re.compile(r"^[ \t]*[(\[]?((?:[\w.*][^,=#\n(]*,[ \t]*)+[^,=#\n(]*?)[)\]]?[ \t]*=(?!=)", re.MULTILINE)
"""Several targets of one assignment."""
TARGET = re.compile(r"\.(\w+)[ \t]*(?:,|$)")
DRAWN = re.compile(r"\bfor\s+((?:(?!\bin\b)[^:\n])+)\s+in\b|\bas\s+([\w.]+)")
"""Targets of loops and of `with`."""
SPACE = r"(?:__dict__|\bvars\([^()\n]*\))"
IN_SPACE = re.compile(rf"""{SPACE}\[\s*["'](\w+)["']\s*\]\s*({OPERATORS})\s*(\S*)""")
UPDATED = re.compile(rf"{SPACE}\.(?:update|setdefault|__setitem__)\(([^()\n]*)")
"""Attributes that are set through the dictionary that holds them."""
KEYS = re.compile(r"""(\w+)\s*=(?!=)|["'](\w+)["']\s*[:,]""")
GLOBALS = re.compile(r"^[ \t]+global[ \t]+([\w, \t]+)", re.MULTILINE)
TABLES = re.compile(
    rf"""(\w+)\[[^"'\]\n][^\]\n]*\]\s*(?:{OPERATORS})"""
    r"|(\w+)\.(?:update|setdefault|pop|popitem|clear|__setitem__|__delitem__)\("
    r"|\bdel\s+(?:\w+\.)*(\w+)\[|(\w+)\s*\|=(?!=)"
)
Pairs: TypeAlias = frozenset[tuple[str, str]]


class Stores(NamedTuple):
    """Attributes and keys, each with what it is given or the operator that changes it, variables, and tables whose entries are set
    under computed keys, or set and taken out by methods."""

    fields: Pairs
    entries: Pairs
    variables: frozenset[str]
    tables: frozenset[str]

    def about(self, names: set[str]) -> Stores:
        """Those of them that go by one of these names."""
        fields, entries = (frozenset(pair for pair in pairs if pair[0] in names) for pairs in self[:2])
        return Stores(fields, entries, self.variables & names, self.tables & names)


def stores(text: str) -> Stores:
    """All stores of a text."""
    fields = _pairs(FIELDS, text) | _pairs(IN_SPACE, text) | frozenset(BY_NAME.findall(text))
    fields |= {(name, ",") for name in _others(text)}
    variables = frozenset(name.strip() for names in GLOBALS.findall(text) for name in names.split(","))
    tables = frozenset(name for found in TABLES.findall(text) for name in found if name)
    return Stores(fields, _pairs(ENTRIES, text) | _pairs(NUMBERED, text), variables, tables)


def _others(text: str) -> Iterator[str]:
    """Attributes that are given something of which the text does not say what it is."""
    for targets in [*SEVERAL.findall(text), *(target for found in DRAWN.findall(text) for target in found)]:
        yield from TARGET.findall(targets)
    for given in UPDATED.findall(text):
        yield from (name for found in KEYS.findall(given) for name in found if name)


def _pairs(pattern: re.Pattern[str], text: str) -> Pairs:
    return frozenset((name, given if operator == "=" else operator) for name, operator, given in pattern.findall(text))
