"""Constants that do not stay: fields, class attributes, globals and entries that some function of the program sets anew.

Told by the text alone: a name that is assigned something else anywhere may have been assigned it, by whoever was called before.
"""

from __future__ import annotations

from functools import cached_property

from pytest_invariants.flow.domain.values import Const, Value
from pytest_invariants.program.program import Program
from pytest_invariants.source.files import searched
from pytest_invariants.source.stores import stores


class Rewritten:
    """What the texts of the program assign, by name, read once and when first asked for."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def field(self, name: str, value: Value) -> bool:
        """Whether an attribute of this name is given anything but this constant somewhere."""
        return isinstance(value, Const) and self._differs(self._given(0, name), value)

    def entry(self, key: object, value: Value) -> bool:
        return isinstance(value, Const) and self._differs(self._given(1, str(key)), value)

    def variable(self, name: str, value: Value) -> bool:
        """The same of a module's variable: by a `global` statement, or as the module's attribute."""
        return isinstance(value, Const) and (self.field(name, value) or name in self._stores[2])

    def _given(self, kind: int, name: str) -> set[str]:
        self.program.read.stores.add(name)
        found = self._stores[0] if kind == 0 else self._stores[1]
        return found.get(name, set())

    def _differs(self, given: set[str], value: Const) -> bool:
        return any(text.rstrip(",;") != repr(value.value) for text in given)

    @cached_property
    def _stores(self) -> tuple[dict[str, set[str]], dict[str, set[str]], set[str]]:
        fields: dict[str, set[str]] = {}
        entries: dict[str, set[str]] = {}
        variables: set[str] = set()
        for source in self.program.sources.values():
            *given, declared = stores(searched(source))
            for pairs, found in zip(given, (fields, entries), strict=True):
                for name, what in pairs:
                    found.setdefault(name, set()).add(what)
            variables |= declared
        return fields, entries, variables
