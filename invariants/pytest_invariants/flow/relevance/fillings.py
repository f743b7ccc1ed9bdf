"""Which classes the fields of an instance may hold objects of, of which nothing was read yet: what a helper may come by
that is given the instance and looks into it, or hands it on."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.values import Class, Type, Value
from pytest_invariants.program.code import ClassInfo, FunctionInfo

if TYPE_CHECKING:
    from pytest_invariants.flow.relevance.fields import Fields


class Fillings:
    """Answers for the classes of one program; answers are kept."""

    def __init__(self, fields: Fields, known: Callable[[FunctionInfo, ast.expr], Value | None]) -> None:
        self.fields, self.known = fields, known
        self._of: dict[tuple[ClassInfo, str], frozenset[ClassInfo]] = {}
        self._names: dict[ClassInfo, frozenset[str]] = {}
        self._within: dict[ClassInfo, frozenset[ClassInfo]] = {}

    def within(self, cls: ClassInfo) -> frozenset[ClassInfo]:
        """The classes of all that an instance holds, however deep."""
        if cls not in self._within:
            self._within[cls] = self.behind(cls)
        return self._within[cls]

    def behind(self, cls: ClassInfo, names: frozenset[str] | None = None) -> frozenset[ClassInfo]:
        """The same of the fields with these names alone, however deep."""
        found, stack = set[ClassInfo](), [cls]
        while stack:
            new = self._directly(stack.pop(), names) - found
            found |= new
            stack += new
        return frozenset(found)

    def _directly(self, cls: ClassInfo, names: frozenset[str] | None) -> frozenset[ClassInfo]:
        """The classes of what its fields hold."""
        every = self._fields_of(cls)
        chosen = every if names is None else every & names
        return frozenset().union(*(self._field(one, name) for one in cls.family for name in chosen))

    def _fields_of(self, cls: ClassInfo) -> frozenset[str]:
        if cls not in self._names:
            classes = {base for one in cls.family for base in one.mro}
            set_there = {name for one in classes for name in (*one.annotations, *self.fields.set_in(one))}
            self._names[cls] = frozenset(set_there)
        return self._names[cls]

    def _field(self, cls: ClassInfo, name: str) -> frozenset[ClassInfo]:
        key = (cls, name)
        if key not in self._of:
            self._of[key] = frozenset()
            told = classes_in(self.fields.type_of(cls, name))
            self._of[key] = frozenset(one for found in (*told, *self._left(cls, name)) for one in found.family)
        return self._of[key]

    def _left(self, cls: ClassInfo, name: str) -> Iterator[ClassInfo]:
        """The classes of which methods make instances for it."""
        for info, given in self.fields.given(cls, name):
            for call in (node for node in ast.walk(given) if isinstance(node, ast.Call)):
                made = self.known(info, call.func)
                if isinstance(made, Class):
                    yield made.info


def classes_in(declared: Type) -> Iterator[ClassInfo]:
    """The classes of the program that a type speaks of, those of elements included."""
    if declared.cls is not None:
        yield declared.cls
    for inner in (*declared.args, *declared.options):
        yield from classes_in(inner)
