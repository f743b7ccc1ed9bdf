"""What an expression of a function is an instance of, told from its text: annotations first, then what variables are bound to.

Nothing is evaluated. Answers say whose methods a function may mean, so that following it can be judged before it is done.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from pytest_invariants.flow import library, types
from pytest_invariants.flow.syntax import named_parameters, parameters
from pytest_invariants.flow.values import (
    ANY,
    STR,
    Class,
    Const,
    Descriptor,
    Dict,
    Foreign,
    Func,
    Obj,
    Seq,
    Sym,
    Tuple,
    Type,
    Value,
)
from pytest_invariants.program.code import ClassInfo, FunctionInfo, bound_names

if TYPE_CHECKING:
    from pytest_invariants.flow.analysis import Analysis

BUILTIN_TYPES = frozenset(
    {"str", "int", "float", "bool", "bytes", "complex", "None", "type", *types.SEQUENCES, *types.MAPPINGS}
)
LIBRARY = Type("library")
"""An object of the standard library."""
MADE_BY = {
    "sorted": "list",
    "len": "int",
    "repr": "str",
    "reversed": "iterator",
    "enumerate": "iterator",
    "zip": "iterator",
}
DISPLAYS: dict[type[ast.expr], str] = {
    ast.Dict: "dict", ast.DictComp: "dict", ast.List: "list", ast.ListComp: "list", ast.Set: "set", ast.SetComp: "set",
    ast.Tuple: "tuple", ast.GeneratorExp: "list", ast.JoinedStr: "str", ast.Compare: "bool",
}  # fmt: skip
DEPTH = 6
"""Expressions that are followed into each other: a variable, what it is bound to, the field that this reads."""
Origin = tuple[str, ast.expr]
"""How a variable comes by its value: `is` an expression, is an element `of` one, or is `declared` by an annotation."""


def origins(node: ast.AST, inner: list[ast.AST]) -> dict[str, list[Origin]]:
    """The origins of a scope's variables; those that are bound in another way too are left out."""
    found: dict[str, list[Origin]] = {}
    for name, kind, expression in _bindings(inner):
        found.setdefault(name, []).append((kind, expression))
    for argument in named_parameters(node):
        if argument.annotation is not None:
            found.setdefault(argument.arg, []).append(("declared", argument.annotation))
    bound = [name for one in inner for name in bound_names(one)] + [a.arg for a in named_parameters(node)]
    spread = parameters(node) - {a.arg for a in named_parameters(node)}
    return {name: known for name, known in found.items() if bound.count(name) == len(known) and name not in spread}


def _bindings(inner: list[ast.AST]) -> Iterable[tuple[str, str, ast.expr]]:
    for node in inner:
        match node:
            case ast.Assign(targets=targets, value=value):
                yield from ((t.id, "is", value) for t in targets if isinstance(t, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                yield name, "declared", annotation
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                yield name, "is", value
            case (
                ast.For(target=ast.Name(id=name), iter=source)
                | ast.AsyncFor(target=ast.Name(id=name), iter=source)
                | ast.comprehension(target=ast.Name(id=name), iter=source)
            ):
                yield name, "of", source


class Receivers:
    """Types of the expressions of one function. `variables` are the scopes around it, outermost first; `known` tells what a
    name or path of the loaded world stands for."""

    def __init__(
        self,
        m: Analysis,
        module: str,
        variables: list[dict[str, list[Origin]]],
        is_local: Callable[[str], bool],
        known: Callable[[ast.expr], Value | None],
        narrowed: Callable[[str], ast.expr | None],
        receiver: tuple[str, ClassInfo] | None,
        field: Callable[[ClassInfo, str], Type],
    ) -> None:
        self.m, self.variables, self.is_local, self.known = m, variables, is_local, known
        self.scope, self.receiver, self.field = m.scope_of_module(module), receiver, field
        self.narrowed = narrowed

    def type_of(self, node: ast.expr, depth: int = DEPTH) -> Type:
        """The type of an expression; ANY where the text does not say."""
        if depth == 0:
            return ANY
        if type(node) in DISPLAYS:
            return Type(DISPLAYS[type(node)])
        match node:
            case ast.Constant(value=value):
                return types.type_of_constant(value) if value is not None else Type("None")
            case ast.Name(id=name):
                return self._name(node, name, depth)
            case ast.Attribute(value=base, attr=name):
                return self._attribute(node, base, name, depth)
            case ast.Await(value=ast.Call() as inner):
                return self._call(inner, depth, awaited=True)
            case ast.Call():
                return self._call(node, depth, awaited=False)
            case ast.Subscript(value=base):
                return part_of(self._single(base, depth))
            case ast.BoolOp(values=values):
                return self._either(values, depth)
            case ast.IfExp(body=one, orelse=other):
                return self._either([one, other], depth)
            case ast.NamedExpr(value=value):
                return self.type_of(value, depth - 1)
            case ast.BinOp(left=left):
                found = self.type_of(left, depth - 1)
                return found if found.name in BUILTIN_TYPES else ANY
            case _:
                return ANY

    def texts(self, node: ast.expr, depth: int = DEPTH) -> list[str] | None:
        """The texts that an expression may be, where they all stand in the source."""
        if depth == 0:
            return None
        match node:
            case ast.Constant(value=str(text)):
                return [text]
            case ast.IfExp(body=one, orelse=other):
                return _joined([self.texts(one, depth - 1), self.texts(other, depth - 1)])
            case ast.Name(id=name) if self.is_local(name):
                known = self._origins(name)
                return _joined([self._texts_of(kind, source, depth) for kind, source in known]) if known else None
            case ast.Name():
                value = self.known(node)
                return [value.value] if isinstance(value, Const) and isinstance(value.value, str) else None
        return None

    def attributes_behind(self, node: ast.expr) -> list[str]:
        """The attribute that an expression reads, or those that a variable was read from."""
        if isinstance(node, ast.Attribute):
            return [node.attr]
        if not (isinstance(node, ast.Name) and self.is_local(node.id)):
            return []
        known = self._origins(node.id)
        return [source.attr for kind, source in known if kind == "is" and isinstance(source, ast.Attribute)]

    def _origins(self, name: str) -> list[Origin]:
        """How the variable of the innermost scope that has one comes by its value; none where that is not known."""
        return next((scope[name] for scope in reversed(self.variables) if name in scope), [])

    def _texts_of(self, kind: str, source: ast.expr, depth: int) -> list[str] | None:
        if kind == "is":
            return self.texts(source, depth - 1)
        if kind == "of" and isinstance(source, ast.Tuple | ast.List | ast.Set):
            return _joined([self.texts(part, depth - 1) for part in source.elts])
        return None

    def _single(self, node: ast.expr, depth: int) -> Type:
        """The type, where it is one besides None."""
        options = [t for t in self.type_of(node, depth - 1).alternatives() if t.name != "None"]
        return options[0] if len(options) == 1 else ANY

    def _either(self, nodes: list[ast.expr], depth: int) -> Type:
        found = [self.type_of(node, depth - 1) for node in nodes]
        return ANY if ANY in found else types.either(found)

    def _read(self, annotation: ast.expr | None) -> Type:
        return types.read(self.m, annotation, self.m.world, self.scope)

    def _name(self, node: ast.Name, name: str, depth: int) -> Type:
        told = self.narrowed(name)
        if told is not None:
            return types.either([self._read(kind) for kind in (told.elts if isinstance(told, ast.Tuple) else [told])])
        if self.receiver is not None and name == self.receiver[0]:
            return Type(self.receiver[1].name, self.receiver[1])
        if self.is_local(name):
            found = [self._origin(kind, expression, depth) for kind, expression in self._origins(name)]
            return types.either(found) if found and ANY not in found else ANY
        return self._of_value(self.known(node))

    def _origin(self, kind: str, expression: ast.expr, depth: int) -> Type:
        if kind == "declared":
            return self._read(expression)
        if kind == "is":
            return self.type_of(expression, depth - 1)
        source = self._single(expression, depth)
        return source if source == LIBRARY else types.element_type(source)

    def _of_value(self, value: Value | None) -> Type:
        match value:
            case Obj():
                return Type(value.cls.name, value.cls)
            case Dict():
                return Type("dict")
            case Seq() | Tuple():
                return Type("list")
            case Const():
                return types.type_of_constant(value.value)
            case Sym() if library.of_library(value.term):
                return LIBRARY
            case _:
                return ANY

    def _attribute(self, node: ast.Attribute, base: ast.expr, name: str, depth: int) -> Type:
        found = self.known(node)
        if found is not None:
            return self._of_value(found)
        owner = self._single(base, depth)
        if owner == LIBRARY:
            return LIBRARY
        return self.field(owner.cls, name) if owner.cls is not None else ANY

    def _call(self, node: ast.Call, depth: int, awaited: bool) -> Type:
        value = self.known(node.func)
        match value:
            case Class():
                return Type(value.info.name, value.info) if not awaited else ANY
            case Func():
                return self._returned(value.info, awaited)
            case Foreign(path=path) if path.startswith("builtins."):
                name = path.removeprefix("builtins.")
                return Type(MADE_BY.get(name, name)) if MADE_BY.get(name, name) in BUILTIN_TYPES else ANY
            case Foreign(path=path) if library.stdlib(path) and not path.startswith(("functools.", "copy.", "typing.")):
                return LIBRARY if path.partition(".")[0] in NOMINAL else ANY
        if isinstance(node.func, ast.Attribute):
            return self._method(self._single(node.func.value, depth), node.func.attr, awaited)
        return ANY

    def _method(self, owner: Type, name: str, awaited: bool) -> Type:
        if owner == LIBRARY:
            return LIBRARY
        if owner.cls is not None:
            found = owner.cls.lookup(name)
            inner = found[1].function if found and isinstance(found[1], Descriptor) else found[1] if found else None
            return self._returned(inner.info, awaited) if isinstance(inner, Func) else ANY
        if owner.name in types.SCALARS and not awaited:
            return STR
        if owner.name in types.MAPPINGS:
            return part_of(owner) if name in ("get", "pop", "setdefault") else _views(owner, name)
        return types.element_type(owner) if name == "pop" else ANY

    def _returned(self, info: FunctionInfo, awaited: bool) -> Type:
        if info.is_async is not awaited or info.is_generator or isinstance(info.node, ast.Lambda):
            return ANY
        scope = self.m.scope_of_module(info.module)
        return types.read(self.m, info.node.returns, self.m.world, scope)


def _views(owner: Type, name: str) -> Type:
    parts = {"keys": owner.args[:1], "values": owner.args[1:]}
    return Type("list", args=parts[name]) if name in parts else ANY


def _joined(found: list[list[str] | None]) -> list[str] | None:
    return None if None in found else [text for texts in found for text in texts or ()]


def part_of(owner: Type) -> Type:
    """The type of what a subscript gives."""
    return owner if owner == LIBRARY else types.value_type(owner)


NOMINAL = frozenset({
    "logging", "re", "datetime", "pathlib", "decimal", "uuid", "hashlib", "time", "threading", "random", "io", "json", "tomllib",
})  # fmt: skip
"""Modules whose functions give objects of their own, and never what they were given."""


__all__ = ["BUILTIN_TYPES", "LIBRARY", "Origin", "Receivers", "origins"]
