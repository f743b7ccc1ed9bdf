"""What is mentioned by making an instance of a class, by what the language does with one, and by reading any of its attributes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.reachable import Held
from pytest_invariants.flow.domain.values import Value
from pytest_invariants.flow.relevance.manners import tells_only
from pytest_invariants.program.code import ClassInfo

if TYPE_CHECKING:
    from pytest_invariants.flow.relevance.fields import Fields

MAKING = frozenset({"__init__", "__new__", "__post_init__", "__init_subclass__", "__class_getitem__", "__set_name__"})
"""Methods that the language calls when something is made, and not of an instance that is there."""


class OfClasses:
    """Tells it of the classes of one program."""

    fields: Fields

    def __init__(self, held: Held) -> None:
        self.held = held

    def _of_default(self, cls: ClassInfo, default: ast.expr) -> Iterator[str]:
        """What the default of a field mentions."""
        raise NotImplementedError

    def of_class(self, cls: ClassInfo) -> Iterator[str]:
        """What making an instance runs, and what the language calls of it afterwards: the constructor, all methods with two
        underscores, what dataclasses and pydantic run, and the defaults of fields."""
        yield from self._special(cls, lambda _: True)
        for base in cls.mro:
            for name, value in base.namespace.items():
                if base.foreign or name.startswith("_value_of_"):
                    yield from self._run_by_framework(base, name, value)
            for default in (n.value for n in base.node.body if isinstance(n, ast.AnnAssign | ast.Assign) and n.value):
                yield from self._of_default(base, default)

    def of_any_member(self, cls: ClassInfo) -> Iterator[str]:
        """What an attribute of an instance may lead to, whichever it is."""
        for name in {*cls.annotations, *self.fields.set_in(cls)}:
            yield from (f"field {name} of {cls.reference}", f"any field {name}")
        for value in cls.namespace.values():
            if isinstance(value, Value):
                yield from self.held.mentions(value)

    def of_instance(self, cls: ClassInfo) -> Iterator[str]:
        """What the language calls of an instance that is there already, a subclass's included."""
        for one in [cls, *cls.descendants()]:
            yield from self._special(one, lambda name: name not in MAKING)

    def _special(self, cls: ClassInfo, chosen: Callable[[str], bool]) -> Iterator[str]:
        names = {name for base in cls.mro for name in base.namespace if name.startswith("__")}
        for name in sorted(filter(chosen, names)):
            found = cls.lookup(name)
            if found is not None and isinstance(found[1], Value):
                yield from self.held.mentions(found[1])

    def _run_by_framework(self, cls: ClassInfo, name: str, value: object) -> Iterator[str]:
        node = next((n for n in cls.node.body if getattr(n, "name", None) == name), None)
        decorators = getattr(node, "decorator_list", [])
        if isinstance(value, Value) and not all(tells_only(one) or _gives_a_field(one) for one in decorators):
            yield from self.held.mentions(value)


def _gives_a_field(decorator: ast.expr) -> bool:
    """A decorator under which a method runs when an attribute is read or written, and not because a framework found it."""
    return getattr(decorator, "id", getattr(decorator, "attr", "")) in ("property", "cached_property", "setter")
