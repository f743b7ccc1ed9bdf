"""Which class a value is of, as far as annotations, constructors and the attributes that are read of it tell."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pytest_invariants.scaffold.annotations import Annotations, Kind
from pytest_invariants.scaffold.survey import Function, Survey

_PASSED_ON = frozenset({"sorted", "list", "tuple", "reversed", "next", "iter", "set"})
"""Functions that give back what they are given, or an element of it."""

__all__ = ["Kind", "Types", "kinds_of"]


def kinds_of(survey: Survey) -> dict[str, Types]:
    """The kinds in every function; one that stands inside another knows that one's names."""
    made: dict[str, Types] = {}
    for ref, function in survey.functions.items():
        made[ref] = Types(survey, function, made.get(ref.rpartition(".<locals>.")[0]))
    return made


class Types:
    """The kinds of the names in one function."""

    def __init__(self, survey: Survey, function: Function, outer: Types | None = None) -> None:
        self.survey, self.function = survey, function
        self.of_annotation = Annotations(survey).of
        self.names: dict[str, Kind] = {}
        for name, annotation in function.parameters.items():
            self._bind(name, self.of_annotation(function.module, annotation))
        if function.owner:
            self.names.setdefault("self", Kind(function.owner))
        if outer is not None:
            own = {node.id for node in function.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
            own |= set(function.parameters)
            self.names = {name: kind for name, kind in outer.names.items() if name not in own} | self.names
        for node in function.nodes:
            self._learn(node)
        self._guess()

    def _bind(self, name: str, kind: Kind | None) -> None:
        if kind is not None:
            self.names.setdefault(name, kind)

    def _learn(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=value):
                self._bind_parts(names, value)
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.NamedExpr(target=ast.Name(id=name), value=value)
            ):
                self._bind(name, self.of(value))
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                self._bind(name, self.of_annotation(self.function.module, annotation))
            case ast.For() | ast.AsyncFor() | ast.comprehension():
                self._draw(node.target, node.iter)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                for generator in node.generators:
                    self._learn(generator)

    def _bind_parts(self, names: list[ast.expr], value: ast.expr) -> None:
        """What a function gives back as a tuple, part by part."""
        call = value.value if isinstance(value, ast.Await) else value
        function = self.survey.functions.get(self.target(call) or "") if isinstance(call, ast.Call) else None
        match function.node.returns if function else None:
            case ast.Subscript(value=ast.Name(id="tuple" | "Tuple"), slice=ast.Tuple(elts=parts)) if function:
                for name, part in zip(names, parts, strict=False):
                    if isinstance(name, ast.Name):
                        self._bind(name.id, self.of_annotation(function.module, part))

    def _draw(self, target: ast.expr, source: ast.expr) -> None:
        """An element of a collection, or (`items`, `enumerate`) what comes second."""
        second: ast.expr | None = None
        match source:
            case ast.Call(func=ast.Attribute(value=value, attr="items")):
                second = value
            case ast.Call(func=ast.Name(id="enumerate"), args=[value, *_]):
                second = value
        match target:
            case ast.Tuple(elts=[_, ast.Name(id=name)]) if second is not None:
                source = second
            case ast.Name(id=name) if second is None:
                pass
            case _:
                return
        kind = self.of(source)
        self._bind(name, Kind(kind.cls) if kind and kind.many else None)

    def _guess(self) -> None:
        """A name of which nothing is known is of the class that it is tested for, or of the one class that has every
        attribute that is read of it."""
        for name, cls in self._tested():
            self._bind(name, self.of_annotation(self.function.module, cls))
        read: dict[str, set[str]] = {}
        for node in self.function.nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                read.setdefault(node.value.id, set()).add(node.attr)
        for name, attributes in read.items():
            if name not in self.names and self.survey.meaning(self.function.module, ast.Name(name)) is None:
                fitting = frozenset.intersection(*(self.survey.having(each) for each in attributes))
                self._bind(name, Kind(next(iter(fitting))) if len(fitting) == 1 else None)

    def _tested(self) -> Iterator[tuple[str, ast.expr]]:
        for node in self.function.nodes:
            match node:
                case ast.Call(
                    func=ast.Name(id="isinstance"), args=[ast.Name(id=name), ast.Name() | ast.Attribute() as cls]
                ):
                    yield name, cls

    def of(self, expression: ast.expr) -> Kind | None:
        match expression:
            case ast.Name(id=name):
                return self.names.get(name) or self._of_module(expression)
            case ast.Await(value=value) | ast.Starred(value=value) | ast.NamedExpr(value=value):
                return self.of(value)
            case ast.BoolOp(values=values):
                return next((kind for each in values if (kind := self.of(each))), None)
            case ast.IfExp(body=body, orelse=orelse):
                return self.of(body) or self.of(orelse)
            case ast.ListComp(elt=ast.Name() as element) | ast.GeneratorExp(elt=ast.Name() as element):
                self._learn(expression)
                kind = self.of(element)
                return Kind(kind.cls, many=True) if kind else None
            case ast.Subscript(value=value):
                kind = self.of(value)
                return Kind(kind.cls, isinstance(expression.slice, ast.Slice)) if kind and kind.many else None
            case ast.Attribute(value=value, attr=attr):
                return self._attribute(self.of(value), attr) or self._of_module(expression)
            case ast.Call():
                return self._call(expression)
        return None

    def of_or_of_owner(self, expression: ast.expr) -> Kind | None:
        """The kind of a value, or, where it is a fact of something, of that."""
        kind = self.of(expression)
        return self.of(expression.value) if kind is None and isinstance(expression, ast.Attribute) else kind

    def _of_module(self, expression: ast.expr) -> Kind | None:
        """The kind of an object that a module keeps."""
        name = self.survey.meaning(self.function.module, expression)
        made = self.survey.instances.get(name or "")
        return self.of_annotation(str(name).partition(":")[0], made) if made is not None else None

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
        match call.func:
            case ast.Attribute(value=value, attr="values" | "copy" | "get" | "pop" as attr):
                kind = self.of(value)
                return kind if kind is None or attr in ("values", "copy") else Kind(kind.cls)
            case ast.Name(id="cast") | ast.Attribute(attr="cast") if call.args:
                return self.of_annotation(self.function.module, call.args[0])
            case ast.Name(id=name) if name in _PASSED_ON and call.args:
                kind = self.of(call.args[0])
                return Kind(kind.cls) if kind and name == "next" else kind
        return None

    def target(self, call: ast.Call) -> str | None:
        """The function or class that a call calls, ours or foreign."""
        known = self.survey.meaning(self.function.module, call.func)
        if known is not None and (
            self._is_defined(known) or known.partition(":")[0].partition(".")[0] not in self.survey.tops
        ):
            return known
        return self._by_kind(call) or known

    def _is_defined(self, name: str) -> bool:
        return name in self.survey.functions or name in self.survey.classes

    def _by_kind(self, call: ast.Call) -> str | None:
        match call.func:
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=attr):
                return self._inherited(attr)
            case ast.Attribute(value=value, attr=attr):
                return self._method(self.of(value), attr) or self._called(call.func)
            case ast.Name(id=name):
                return self._nested(name) or self._called(call.func)
        return None

    def _called(self, instance: ast.expr) -> str | None:
        """What calling an instance calls."""
        kind = self.of(instance)
        method = self.survey.method_of(kind.cls, "__call__") if kind and not kind.many else None
        return method.ref if method else None

    def _method(self, kind: Kind | None, name: str) -> str | None:
        """The method of a class, or of the one class below it that has such a method."""
        if kind is not None and kind.many:
            return None
        method = self.survey.method_of(kind.cls, name) if kind else None
        alone = self.survey.only_method(name) if method is None else None
        if alone is not None and (kind is None or kind.cls in self.survey.line(alone.owner or "")):
            return alone.ref
        return method.ref if method else f"{kind.cls}.{name}" if kind else None

    def _inherited(self, name: str) -> str | None:
        above = self.survey.line(self.names["self"].cls)[1:] if "self" in self.names else ()
        held = (self.survey.classes[each].methods.get(name) for each in above if each in self.survey.classes)
        return next((each.ref for each in held if each is not None), None)

    def _nested(self, name: str) -> str | None:
        """A function that stands inside this one, or beside it inside the same."""
        scope = self.function.ref
        while scope:
            if f"{scope}.<locals>.{name}" in self.survey.functions:
                return f"{scope}.<locals>.{name}"
            scope = scope.rpartition(".<locals>.")[0]
        return None
