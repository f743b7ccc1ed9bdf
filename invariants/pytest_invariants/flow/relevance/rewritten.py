"""Constants that do not stay: fields, class attributes, globals and entries that some function of the program sets anew.

Told by the text alone: a name that is assigned something else anywhere may have been assigned it, by whoever was called before.
"""

from __future__ import annotations

import builtins
from functools import cached_property

from pytest_invariants.flow.domain.values import Const, Func, Value
from pytest_invariants.program.program import Program
from pytest_invariants.source.files import searched
from pytest_invariants.source.stores import Stores, stores


class Rewritten:
    """What the texts of the program assign, by name, read once and when first asked for."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def field(self, name: str, value: Value) -> bool:
        """Whether an attribute of this name is given anything but this constant somewhere."""
        return isinstance(value, Const) and self._differs(self._given(0, name), value)

    def entry(self, key: object, value: Value) -> bool:
        """Whether an entry under this key is given anything but this constant, or another function."""
        if isinstance(value, Func):
            return bool(self.others(key))
        return isinstance(value, Const) and self._differs(self._given(1, str(key)), value)

    def others(self, key: object) -> list[str]:
        """What entries under a key are given that is surely none of the program's functions: builtins, lambdas, nothing."""
        return sorted(text for given in self._given(1, str(key)) if _is_another(text := given.rstrip(",;)")))

    def variable(self, name: str, value: Value) -> bool:
        """The same of a module's variable: by a `global` statement, or as the module's attribute."""
        return isinstance(value, Const) and (self.field(name, value) or name in self._stores.variables)

    def _given(self, kind: int, name: str) -> set[str]:
        self.program.read.stores.add(name)
        return self._assigned[kind].get(name, set())

    def _differs(self, given: set[str], value: Const) -> bool:
        return any(text.rstrip(",;") != repr(value.value) for text in given)

    @cached_property
    def _stores(self) -> Stores:
        """All that the files assign, as if they were one."""
        every = [stores(searched(source)) for source in self.program.sources.values()]
        return Stores(*(frozenset().union(*parts) for parts in zip(*every, strict=True))) if every else stores("")

    @cached_property
    def _assigned(self) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
        """What attributes and entries are given, by name."""
        found: tuple[dict[str, set[str]], dict[str, set[str]]] = {}, {}
        for held, pairs in zip(found, (self._stores.fields, self._stores.entries), strict=True):
            for name, given in pairs:
                held.setdefault(name, set()).add(given)
        return found


def _is_another(text: str) -> bool:
    return text == "None" or text.startswith("lambda") or hasattr(builtins, text)
