"""Constants that do not stay: fields, class attributes, globals and entries that some function of the program sets anew.

Told by the text alone: a name that is assigned something else anywhere may have been assigned it, by whoever was called before.
"""

from __future__ import annotations

import re
from functools import cached_property

from pytest_invariants.flow.values import Const, Value
from pytest_invariants.program.program import Program

FIELDS = re.compile(r"\.(\w+)(?:\s*:[^=\n]+)?\s*(=(?!=)|[-+*/|&^%]=)\s*(\S*)")
ENTRIES = re.compile(r"""\[\s*["'](\w+)["']\s*\]\s*(=(?!=)|[-+*/|&^%]=)\s*(\S*)""")
GLOBALS = re.compile(r"^[ \t]+global[ \t]+([\w, \t]+)", re.MULTILINE)


class Rewritten:
    """What the texts of the program assign, by name, read once and when first asked for."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def field(self, name: str, value: Value) -> bool:
        """Whether an attribute of this name is given anything but this constant somewhere."""
        return isinstance(value, Const) and self._differs(self._stores[0].get(name, ()), value)

    def entry(self, key: object, value: Value) -> bool:
        return isinstance(value, Const) and self._differs(self._stores[1].get(str(key), ()), value)

    def variable(self, name: str, value: Value) -> bool:
        """The same of a module's variable: by a `global` statement, or as the module's attribute."""
        return isinstance(value, Const) and (name in self._stores[2] or self.field(name, value))

    def _differs(self, given: object, value: Const) -> bool:
        assert isinstance(given, (set, tuple))
        return any(text.rstrip(",;") != repr(value.value) for text in given)

    @cached_property
    def _stores(self) -> tuple[dict[str, set[str]], dict[str, set[str]], set[str]]:
        fields: dict[str, set[str]] = {}
        entries: dict[str, set[str]] = {}
        variables: set[str] = set()
        for source in self.program.sources.values():
            try:
                text = source.file.read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            for pattern, found in ((FIELDS, fields), (ENTRIES, entries)):
                for name, operator, given in pattern.findall(text):
                    found.setdefault(name, set()).add(given if operator == "=" else operator)
            variables.update(name.strip() for names in GLOBALS.findall(text) for name in names.split(","))
        return fields, entries, variables
