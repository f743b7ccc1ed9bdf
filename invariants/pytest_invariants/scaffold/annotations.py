"""Which class an annotation names, alone or as what a collection holds."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from pytest_invariants.scaffold.survey import Survey

_COLLECTIONS = frozenset(
    {"list", "tuple", "set", "frozenset", "Sequence", "Iterable", "Iterator", "Collection", "AsyncIterator", "deque",
     "List", "Tuple", "Set", "AsyncIterable", "Generator", "AsyncGenerator"}
)  # fmt: skip
_MAPPINGS = frozenset({"dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "OrderedDict"})
_WRAPPERS = frozenset({"Optional", "Final", "ClassVar", "Annotated", "Awaitable", "Coroutine", "Union"})


@dataclass(frozen=True, slots=True)
class Kind:
    """An instance of `cls`, ours or foreign, or (`many`) a collection of them."""

    cls: str
    many: bool = False


@dataclass(frozen=True, slots=True)
class Annotations:
    """Reads annotations as they stand in a module."""

    survey: Survey
    seen: frozenset[str] = frozenset()

    def of(self, module: str, annotation: ast.expr | None) -> Kind | None:
        match annotation:
            case ast.Constant(value=str(text)):
                try:
                    return self.of(module, ast.parse(text, mode="eval").body)
                except (SyntaxError, ValueError, RecursionError, MemoryError):  # text may be anything
                    return None
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return self.of(module, left) or self.of(module, right)
            case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name) as base, slice=inner):
                return self._generic(module, name, inner) or self.of(module, base)
            case ast.Name() | ast.Attribute():
                return self._named(module, annotation)
        return None

    def _named(self, module: str, annotation: ast.expr) -> Kind | None:
        found = self.survey.meaning(module, annotation)
        if found is None:
            return None
        if found in self.survey.aliases and found not in self.seen:
            inner = Annotations(self.survey, self.seen | {found})  # a name for a type may stand within itself
            return inner.of(found.partition(":")[0], self.survey.aliases[found])
        foreign = found.partition(":")[0].partition(".")[0] not in self.survey.tops
        is_class = found in self.survey.classes or (
            foreign and found.rpartition(":")[2].rpartition(".")[2][:1].isupper()
        )
        return Kind(found) if is_class and found.partition(":")[0] not in _TYPING else None

    def _generic(self, module: str, name: str, inner: ast.expr) -> Kind | None:
        parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        if name == "Union":
            return next((kind for each in parts if (kind := self.of(module, each))), None)
        if name in _WRAPPERS:
            return self.of(module, parts[-1] if name == "Coroutine" else parts[0])
        if name in _COLLECTIONS or name in _MAPPINGS:
            held = self.of(module, parts[-1] if name in _MAPPINGS else parts[0])
            return Kind(held.cls, many=True) if held else None
        return None


_TYPING = frozenset(
    {"typing", "typing_extensions", "collections.abc", "types", "pathlib", "datetime", "enum", "asyncio"}
)
"""Modules of the standard library whose classes tell nothing about an agent."""
