"""What an expression of a function is an instance of, told from its text: annotations first, then what variables are bound to.

Nothing is evaluated. Answers say whose methods a function may mean, so that following it can be judged before it is done.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain import types
from pytest_invariants.flow.domain.values import (
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
from pytest_invariants.flow.library import library
from pytest_invariants.flow.relevance.origins import Origin
from pytest_invariants.program.code import ClassInfo, FunctionInfo

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

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
MUTABLE = ast.Dict | ast.DictComp | ast.List | ast.ListComp | ast.Set | ast.SetComp
DEPTH = 6
"""Expressions that are followed into each other: a variable, what it is bound to, the field that this reads."""
SAME = frozenset({"list", "tuple", "set", "frozenset", "sorted", "reversed", "iter"})
"""Builtins that give a collection of the same elements."""
ONE_OF = frozenset({"next", "max", "min"})
"""Builtins that give an element of what they are given first."""
COPIES = frozenset({"model_copy", "copy"})
MAKERS = frozenset({"model_validate", "model_validate_json", "model_construct"})
"""Methods of pydantic's models that give an instance of the same class."""


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
            return Type(DISPLAYS[type(node)], args=self._parts(node, depth))
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
            case ast.Subscript(value=base, slice=ast.Slice()):
                return self._single(base, depth)
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

    def kept(self, node: ast.expr, depth: int = DEPTH) -> Type:
        """The type of what is kept under a name: into a collection that was made here something else may be put later."""
        found = self.type_of(node, depth)
        if not any(self._makes(leaf) for leaf in _alternatives(node)):
            return found
        return types.either([replace(one, args=()) for one in found.alternatives()])

    def _makes(self, node: ast.expr) -> bool:
        known = self.known(node.func) if isinstance(node, ast.Call) else None
        return isinstance(node, MUTABLE) or (isinstance(known, Foreign) and known.path.startswith("builtins."))

    def _parts(self, node: ast.expr, depth: int) -> tuple[Type, ...]:
        """The types of a display's elements, of its keys and values, where they all are known."""
        match node:
            case ast.ListComp(elt=one) | ast.SetComp(elt=one) | ast.GeneratorExp(elt=one):
                found = [self.type_of(one, depth - 1)]
            case ast.DictComp(key=key, value=value):
                found = [self.type_of(key, depth - 1), self.type_of(value, depth - 1)]
            case ast.List(elts=[_, *_] as elements) | ast.Set(elts=elements) | ast.Tuple(elts=[_, *_] as elements):
                found = [self._either(elements, depth)]
            case _:
                return ()
        return () if ANY in found else tuple(found)

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
        found = [self.type_of(node, depth - 1) for node in nodes if not _is_empty(node)]
        if not found:
            return self.type_of(nodes[0], depth - 1)
        return ANY if ANY in found else types.either(found)

    def _read(self, annotation: ast.expr | None) -> Type:
        if (
            isinstance(annotation, ast.Constant)
            and isinstance(annotation.value, str)
            and annotation.value.isidentifier()
        ):
            annotation = ast.copy_location(ast.Name(annotation.value, ast.Load()), annotation)
        known = self.known(annotation) if isinstance(annotation, ast.Name) else None
        if isinstance(known, Class):
            return Type(known.info.name, known.info)
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
            return self.kept(expression, depth - 1)
        return self._element(expression, depth)

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
            case Foreign(path=path) if not awaited and (handed := self._handed_back(path, node.args, depth)) != ANY:
                return handed
            case Foreign(path=path) if path.startswith("builtins."):
                name = path.removeprefix("builtins.")
                return Type(MADE_BY.get(name, name)) if MADE_BY.get(name, name) in BUILTIN_TYPES else ANY
            case Foreign(path=path) if library.stdlib(path) and not path.startswith(("functools.", "copy.", "typing.")):
                return LIBRARY if path.partition(".")[0] in NOMINAL else ANY
        if isinstance(node.func, ast.Attribute):
            maker = self.known(node.func.value) if node.func.attr in MAKERS and not awaited else None
            if isinstance(maker, Class) and maker.info.lookup(node.func.attr) is None and maker.info.is_model:
                return Type(maker.info.name, maker.info)
            return self._method(self._single(node.func.value, depth), node.func.attr, awaited)
        return ANY

    def _handed_back(self, path: str, given: list[ast.expr], depth: int) -> Type:
        """The type of what a function gives that gives back what it was given, or a part of it."""
        name = path.removeprefix("builtins.")
        match given:
            case [declared, _] if path in ("typing.cast", "typing_extensions.cast"):
                return self._read(declared)
            case [one, *_] if path in ("copy.copy", "copy.deepcopy"):
                return self.type_of(one, depth - 1)
            case [one] if name in ONE_OF:
                return self._element(one, depth)
            case [one, *_] if name in SAME and (part := self._element(one, depth)) != ANY:
                return Type("list" if name == "sorted" else name if name in BUILTIN_TYPES else "Iterator", args=(part,))
        return ANY

    def _element(self, source: ast.expr, depth: int) -> Type:
        found = self._single(source, depth)
        return found if found == LIBRARY else types.element_type(found)

    def _method(self, owner: Type, name: str, awaited: bool) -> Type:
        if owner == LIBRARY:
            return LIBRARY
        if owner.cls is not None:
            found = owner.cls.lookup(name)
            if found is None and name in COPIES and not awaited and owner.cls.is_model:
                return owner
            inner = found[1].function if found and isinstance(found[1], Descriptor) else found[1] if found else None
            return self._returned(inner.info, awaited) if isinstance(inner, Func) else ANY
        if owner.name in types.SCALARS and not awaited:
            return STR
        if owner.name in types.MAPPINGS:
            return part_of(owner) if name in ("get", "pop", "setdefault") else _views(owner, name)
        return types.element_type(owner) if name == "pop" else ANY

    def _returned(self, info: FunctionInfo, awaited: bool) -> Type:
        if (info.is_async and not info.is_generator) is not awaited or isinstance(info.node, ast.Lambda):
            return ANY
        scope = self.m.scope_of_module(info.module)
        return types.read(self.m, info.node.returns, self.m.world, scope)


def _alternatives(node: ast.expr) -> list[ast.expr]:
    """The expressions of which one gives the value."""
    match node:
        case ast.BoolOp(values=parts):
            return [leaf for part in parts for leaf in _alternatives(part)]
        case ast.IfExp(body=one, orelse=other):
            return [*_alternatives(one), *_alternatives(other)]
        case ast.NamedExpr(value=value):
            return _alternatives(value)
        case _:
            return [node]


def _is_empty(node: ast.expr) -> bool:
    """An empty display: it has no elements, whatever stands beside it."""
    return (isinstance(node, ast.List | ast.Tuple) and not node.elts) or (isinstance(node, ast.Dict) and not node.keys)


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


__all__ = ["BUILTIN_TYPES", "LIBRARY", "Receivers"]
