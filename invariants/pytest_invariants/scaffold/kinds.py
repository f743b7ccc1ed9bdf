"""Which class a value is of, as far as annotations, constructors and the attributes that are read of it tell."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from pytest_invariants.scaffold.survey import Function, Survey

_COLLECTIONS = frozenset(
    {"list", "tuple", "set", "frozenset", "Sequence", "Iterable", "Iterator", "Collection", "AsyncIterator", "deque"}
)
_MAPPINGS = frozenset({"dict", "Mapping", "MutableMapping", "defaultdict", "OrderedDict"})
_WRAPPERS = frozenset({"Optional", "Final", "ClassVar", "Annotated", "Awaitable", "Coroutine"})


@dataclass(frozen=True, slots=True)
class Kind:
    """An instance of `cls`, or (`many`) a collection of them."""

    cls: str
    many: bool = False


class Types:
    """The kinds of the names in one function."""

    def __init__(self, survey: Survey, function: Function) -> None:
        self.survey, self.function = survey, function
        self.names: dict[str, Kind] = {}
        for name, annotation in function.parameters.items():
            self._bind(name, self.of_annotation(function.module, annotation))
        if function.owner:
            self.names.setdefault("self", Kind(function.owner))
        for node in function.nodes:
            self._learn(node)
        self._guess()

    def _bind(self, name: str, kind: Kind | None) -> None:
        if kind is not None:
            self.names.setdefault(name, kind)

    def _learn(self, node: ast.AST) -> None:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.NamedExpr(target=ast.Name(id=name), value=value)
            ):
                self._bind(name, self.of(value))
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                self._bind(name, self.of_annotation(self.function.module, annotation))
            case (
                ast.For(target=ast.Name(id=name), iter=source)
                | ast.AsyncFor(target=ast.Name(id=name), iter=source)
                | ast.comprehension(target=ast.Name(id=name), iter=source)
            ):
                kind = self.of(source)
                self._bind(name, Kind(kind.cls) if kind and kind.many else None)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                for generator in node.generators:
                    self._learn(generator)

    def _guess(self) -> None:
        """A name of which nothing is known is of the one class that has every attribute that is read of it."""
        read: dict[str, set[str]] = {}
        for node in self.function.nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                read.setdefault(node.value.id, set()).add(node.attr)
        for name, attributes in read.items():
            if name not in self.names and self.survey.meaning(self.function.module, ast.Name(name)) is None:
                fitting = frozenset.intersection(*(self.survey.having(each) for each in attributes))
                self._bind(name, Kind(next(iter(fitting))) if len(fitting) == 1 else None)

    def of(self, expression: ast.expr) -> Kind | None:
        match expression:
            case ast.Name(id=name):
                return self.names.get(name)
            case ast.Await(value=value) | ast.Starred(value=value):
                return self.of(value)
            case ast.Subscript(value=value):
                kind = self.of(value)
                return Kind(kind.cls) if kind and kind.many else None
            case ast.Attribute(value=value, attr=attr):
                return self._attribute(self.of(value), attr)
            case ast.Call():
                return self._call(expression)
        return None

    def _attribute(self, kind: Kind | None, attr: str) -> Kind | None:
        if kind is None or kind.many:
            return None
        if field := self.survey.field_of(kind.cls, attr):
            return self.of_annotation(*field)
        method = self.survey.method_of(kind.cls, attr)
        return self.of_annotation(method.module, method.node.returns) if method else None

    def _call(self, call: ast.Call) -> Kind | None:
        target = self.target(call)
        if target in self.survey.classes:
            return Kind(str(target))
        if target in self.survey.functions:
            function = self.survey.functions[str(target)]
            return self.of_annotation(function.module, function.node.returns)
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("values", "get", "pop", "copy"):
            kind = self.of(call.func.value)
            return kind if kind is None or call.func.attr in ("values", "copy") else Kind(kind.cls)
        if (
            isinstance(call.func, ast.Name)
            and call.func.id in ("sorted", "list", "tuple", "reversed", "next")
            and call.args
        ):
            kind = self.of(call.args[0])
            return Kind(kind.cls) if kind and call.func.id == "next" else kind
        return None

    def target(self, call: ast.Call) -> str | None:
        """The function or class that a call calls, ours or foreign."""
        known = self.survey.meaning(self.function.module, call.func)
        if known is not None or not isinstance(call.func, ast.Attribute):
            return known
        kind = self.of(call.func.value)
        if kind is None or kind.many:
            return None
        method = self.survey.method_of(kind.cls, call.func.attr)
        return method.ref if method else f"{kind.cls}.{call.func.attr}"

    def of_annotation(self, module: str, annotation: ast.expr | None) -> Kind | None:
        match annotation:
            case ast.Constant(value=str(text)):
                try:
                    return self.of_annotation(module, ast.parse(text, mode="eval").body)
                except SyntaxError:
                    return None
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return self.of_annotation(module, left) or self.of_annotation(module, right)
            case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name), slice=inner):
                return self._generic(module, name, inner)
            case ast.Name() | ast.Attribute():
                found = self.survey.meaning(module, annotation)
                return Kind(found) if found is not None and found in self.survey.classes else None
        return None

    def _generic(self, module: str, name: str, inner: ast.expr) -> Kind | None:
        parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        if name in _WRAPPERS:
            return self.of_annotation(module, parts[-1] if name in ("Coroutine",) else parts[0])
        if name in _COLLECTIONS or name in _MAPPINGS:
            held = self.of_annotation(module, parts[-1] if name in _MAPPINGS else parts[0])
            return Kind(held.cls, many=True) if held else None
        return None
