"""What a function may call or read, told from its text: names by what they stand for, attributes by receiver where it is known.

A mention is a text: `module:qualname` is a function of the program, `class module:qualname` a class, `.name` every method of that
name, `field name` an attribute that is read or written, `name x` a bare name. Variables of the function itself mention nothing, and
neither do operations that the language turns into calls (`with`, `for`, `[]`): which objects come in is seen when it is called.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_invariants.flow import imports
from pytest_invariants.flow.reachable import Held
from pytest_invariants.flow.scope import module_frame
from pytest_invariants.flow.types import MAPPINGS, SEQUENCES
from pytest_invariants.flow.types import read as read_type
from pytest_invariants.flow.values import Class, Foreign, Module, Type, Value
from pytest_invariants.program.code import ClassInfo, FunctionInfo, bound_names, own_nodes

if TYPE_CHECKING:
    from pytest_invariants.flow.analysis import Analysis

REFLECTION = frozenset({"getattr", "attrgetter", "methodcaller", "setattr", "hasattr"})
BUILTIN_TYPES = frozenset({"str", "int", "float", "bool", "bytes", "complex", "None", "type", *SEQUENCES, *MAPPINGS})
ANY_NAME = "<any>"
"""What a function mentions that reads an attribute by a computed name."""


class Mentions:
    """Tells what functions mention. Answers are kept, and are those of the world that the modules left when they were loaded."""

    def __init__(self, m: Analysis) -> None:
        self.m = m
        self.held = Held(m)
        self._functions: dict[FunctionInfo, frozenset[str]] = {}
        self._outer = {info.reference: info for info in m.functions.values()}

    def of(self, info: FunctionInfo) -> frozenset[str]:
        if info not in self._functions:
            self._functions[info] = frozenset()  # a function that mentions itself
            self._functions[info] = frozenset(_Reader(self, info).read(info.node))
        return self._functions[info]

    def outer(self, info: FunctionInfo) -> Iterator[FunctionInfo]:
        """The functions that it is nested in, innermost first."""
        name = info.qualname
        while ".<locals>." in name:
            name = name.rpartition(".<locals>.")[0]
            found = self._outer.get(f"{info.module}:{name}")
            if found is not None:
                yield found

    def of_class(self, cls: ClassInfo) -> Iterator[str]:
        """What making an instance runs, and what the language calls of it afterwards: the constructor, all methods with two
        underscores, what dataclasses and pydantic run, and the defaults of fields."""
        for name in sorted({name for base in cls.mro for name in base.namespace if name.startswith("__")}):
            found = cls.lookup(name)
            if found is not None and isinstance(found[1], Value):
                yield from self.held.mentions(found[1])
        for base in cls.mro:
            for name, value in base.namespace.items():
                if base.foreign or name.startswith("_value_of_"):
                    yield from self._run_by_framework(base, name, value)
            for default in (n.value for n in base.node.body if isinstance(n, ast.AnnAssign | ast.Assign) and n.value):
                yield from _Reader(self, None, base).read(default)

    def _run_by_framework(self, cls: ClassInfo, name: str, value: object) -> Iterator[str]:
        node = next((n for n in cls.node.body if getattr(n, "name", None) == name), None)
        if isinstance(value, Value) and getattr(node, "decorator_list", None):
            yield from self.held.mentions(value)


class _Reader:
    """Reads one function, or one expression of a class body."""

    def __init__(self, mentions: Mentions, info: FunctionInfo | None, owner: ClassInfo | None = None) -> None:
        self.mentions, self.m, self.info = mentions, mentions.m, info
        place = info if info is not None else owner
        assert place is not None
        self.module = place.module
        self.owner = info.owner if info is not None else owner
        outer = list(mentions.outer(info)) if info is not None else []
        self.defs: dict[str, ast.AST] = {}
        self.imported: dict[str, Value] = {}
        self.types: list[dict[str, ast.expr]] = []
        self.locals = [self._scope(one.node) for one in reversed(outer)]
        self.read_defs: set[ast.AST] = set()
        self.receiver = _receiver(info) or next((r for one in outer if (r := _receiver(one))), None)

    def _scope(self, node: ast.AST) -> frozenset[str]:
        """The names that a function or class binds, with those set aside that stand for something known."""
        inner = own_nodes(node)
        self.types.append(_annotations(node, inner))
        for one in inner:
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self.defs[one.name] = one
            elif isinstance(one, ast.Import | ast.ImportFrom):
                self._import(one)
        return frozenset(_parameters(node) | {name for one in inner for name in bound_names(one)})

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.name if alias.asname else alias.name.split(".")[0]
                self.imported[alias.asname or name] = imports.module_value(self.m, name)
            return
        module = self.m.program.resolve_relative(self.module, node.level, node.module)
        for alias in node.names:
            self.imported[alias.asname or alias.name] = imports.member(self.m, module, alias.name, self.m.world)

    def read(self, node: ast.AST) -> Iterator[str]:
        """All mentions below a node."""
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda() | ast.ClassDef():
                yield from self._nested(node)
                return
            case ast.arg() | ast.AnnAssign(value=None):
                return
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield from self.read(target)
                yield from self.read(value)
                return
            case ast.Attribute():
                yield from self._attribute(node)
                return
            case ast.Name():
                yield from self._name(node.id)
            case ast.Call():
                yield from self._call(node)
                if isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass"):
                    yield from self.read(node.args[0]) if node.args else ()
                    return
            case ast.ExceptHandler():
                for statement in node.body:
                    yield from self.read(statement)
                return
            case ast.MatchClass(kwd_attrs=names):
                yield from (f"field {name}" for name in names)
        for child in ast.iter_child_nodes(node):
            yield from self.read(child)

    def _nested(self, node: ast.AST) -> Iterator[str]:
        if node in self.read_defs:
            return
        self.read_defs.add(node)
        self.locals.append(self._scope(node))
        body = getattr(node, "body", [])
        for child in [*getattr(node, "decorator_list", []), *(body if isinstance(body, list) else [body])]:
            yield from self.read(child)
        for default in [*_defaults(node), *getattr(node, "bases", [])]:
            yield from self.read(default)
        self.locals.pop()
        self.types.pop()

    def _name(self, name: str) -> Iterator[str]:
        yield f"name {name}"
        if any(name in names for names in self.locals):
            if name in self.imported:
                yield from self.mentions.held.mentions(self.imported[name])
            elif name in self.defs and self.defs[name] not in self.read_defs:
                yield from self._nested(self.defs[name])
            return
        value = self._global(name)
        if value is not None:
            yield from self.mentions.held.mentions(value)

    def _global(self, name: str) -> Value | None:
        value = self.m.world.frame(module_frame(self.module)).get(name)
        return self.m.resolve_import(value, self.m.world) if value is not None else None

    def _attribute(self, node: ast.Attribute) -> Iterator[str]:
        name = node.attr
        yield f"field {name}"
        base = self._known(node.value)
        if isinstance(base, Module):
            yield from self.mentions.held.mentions(imports.member(self.m, base.name, name, self.m.world))
            return
        if isinstance(base, Foreign):
            yield f"name {name}"
            return
        yield from self.read(node.value)
        yield from self._member(self._classes(node.value, base), name)

    def _member(self, classes: list[ClassInfo] | None, name: str) -> Iterator[str]:
        """What an attribute of these classes leads to; of any class that has such a method, where they are not known."""
        found = [value for cls in classes or () if (value := cls.namespace.get(name)) is not None]
        if classes is None or (classes and not found):
            yield f".{name}"
        for value in found:
            if isinstance(value, Value):
                yield from self.mentions.held.mentions(value)

    def _classes(self, node: ast.expr, base: Value | None) -> list[ClassInfo] | None:
        """The classes of the program whose attribute is read; None where that may be any."""
        if isinstance(base, Class):
            return family(base.info)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super" and self.owner:
            return [cls for one in family(self.owner) for cls in one.mro]
        if isinstance(node, ast.Name) and node.id == self.receiver and self.owner is not None:
            return family(self.owner)
        declared = self._declared(node)
        return self._of_type(declared) if declared is not None else None

    def _declared(self, node: ast.expr) -> Type | None:
        """The type that an annotation gives to a variable or to a field of `self`."""
        if isinstance(node, ast.Name):
            annotation = next((types[node.id] for types in reversed(self.types) if node.id in types), None)
            if annotation is None:
                return None
            return read_type(self.m, annotation, self.m.world, self.m.scope_of_module(self.module))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == self.receiver:
            found = self.owner.field_annotation(node.attr) if self.owner is not None else None
            return read_type(self.m, found[1], self.m.world, self.m.scope_of_class(found[0])) if found else None
        return None

    def _of_type(self, declared: Type) -> list[ClassInfo] | None:
        found: list[ClassInfo] = []
        for one in declared.alternatives():
            if one.cls is not None and not one.cls.is_protocol:
                found += family(one.cls)
            elif one.cls is not None or one.name not in BUILTIN_TYPES:
                return None
        return found

    def _known(self, node: ast.expr) -> Value | None:
        """The module, class or foreign name that an expression stands for."""
        if isinstance(node, ast.Name):
            if any(node.id in names for names in self.locals):
                return self.imported.get(node.id)
            return self._global(node.id)
        if isinstance(node, ast.Attribute):
            base = self._known(node.value)
            if isinstance(base, Module):
                return imports.member(self.m, base.name, node.attr, self.m.world)
            return Foreign(path=f"{base.path}.{node.attr}") if isinstance(base, Foreign) else None
        return None

    def _call(self, node: ast.Call) -> Iterator[str]:
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name not in REFLECTION:
            return
        texts = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        for text in texts:
            for part in text.split("."):
                yield from (f".{part}", f"field {part}", f"name {part}")
        if any(not isinstance(a, ast.Constant) for a in node.args[1:2]) or (
            name in ("attrgetter", "methodcaller") and not texts
        ):
            yield ANY_NAME


def family(cls: ClassInfo) -> list[ClassInfo]:
    """The class, its bases and whatever an instance of a subclass brings."""
    found = dict.fromkeys(cls.mro)
    for below in cls.descendants():
        found.update(dict.fromkeys(below.mro))
    return list(found)


def _receiver(info: FunctionInfo | None) -> str | None:
    if info is None or info.owner is None or "<locals>" in info.qualname.rpartition(f"{info.owner.name}.")[2]:
        return None
    arguments = [*info.node.args.posonlyargs, *info.node.args.args]
    decorators = [ast.unparse(d) for d in getattr(info.node, "decorator_list", [])]
    return arguments[0].arg if arguments and "staticmethod" not in decorators else None


def _annotations(node: ast.AST, inner: list[ast.AST]) -> dict[str, ast.expr]:
    """The annotations of a function's parameters and variables, of those that are bound once."""
    arguments = getattr(node, "args", None)
    found: dict[str, ast.expr] = {}
    if isinstance(arguments, ast.arguments):
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        found = {a.arg: a.annotation for a in every if a.annotation is not None}
    bound = [name for one in inner for name in bound_names(one)]
    return {name: annotation for name, annotation in found.items() if name not in bound}


def _parameters(node: ast.AST) -> set[str]:
    arguments = getattr(node, "args", None)
    if not isinstance(arguments, ast.arguments):
        return set()
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return {a.arg for a in every if a is not None}


def _defaults(node: ast.AST) -> list[ast.expr]:
    arguments = getattr(node, "args", None)
    if not isinstance(arguments, ast.arguments):
        return []
    return [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]


def names_in(node: ast.AST) -> set[str]:
    """Every name and attribute below a node, also in texts that stand for annotations."""
    found = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    found |= {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
    texts = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return found | {word for text in texts for word in re.findall(r"\w+", text)}
