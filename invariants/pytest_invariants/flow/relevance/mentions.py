"""What a function may call or read, told from its text: names by what they stand for, attributes by receiver where it is known.

A mention is a text: `module:qualname` is a function of the program, `class module:qualname` a class, `of module:qualname` an
instance, `.name` every method of that name, `reads .name` those of them that run when they are read, `calls 2 .name` those that run
when they are called with two arguments and nobody awaits what comes of it, `awaits 2 .name` those where somebody may (`*` for a
number that is not known), `field name of module:qualname` an attribute of an instance that is read or written, `field name` one of
what may be anything, `any field name` one of whatever is known, `any of module:qualname` an attribute of an instance by a computed
name, `sets name` one whose content is changed, `changes name` one that is written to an object that was there (` of module:qualname`
where its class is known), `name x` a bare name. Variables of the function
itself mention nothing. What the language calls of an object (`with`, `for`, `[]`) is mentioned where the text says what the object is;
else it is seen when the function is called.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.reachable import Held
from pytest_invariants.flow.domain.scope import module_frame
from pytest_invariants.flow.domain.values import Class, Foreign, Func, Module, Type, Value
from pytest_invariants.flow.machine import imports
from pytest_invariants.flow.relevance import narrowing
from pytest_invariants.flow.relevance.fields import Fields
from pytest_invariants.flow.relevance.foreign_classes import ForeignClasses, may_have_any, structural
from pytest_invariants.flow.relevance.instances import OfClasses
from pytest_invariants.flow.relevance.manners import manner_of, runs
from pytest_invariants.flow.relevance.narrowing import Told
from pytest_invariants.flow.relevance.origins import Origin, origins
from pytest_invariants.flow.relevance.receivers import BUILTIN_TYPES, LIBRARY, Receivers
from pytest_invariants.flow.relevance.syntax import CHANGING, called_name, defaults, operands, parameters
from pytest_invariants.flow.relevance.uses import Uses
from pytest_invariants.program.bodies import glance
from pytest_invariants.program.code import ClassInfo, FunctionInfo, bound_names, own_nodes

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

REFLECTION = frozenset({"getattr", "attrgetter", "methodcaller", "setattr", "hasattr"})
CHANGES_ITEMS = "<changes>"
"""What a function mentions that may change a collection."""
ANY_NAME = "<any>"
"""What a function mentions that reads an attribute by a computed name."""
ANY_OF = "any of "
"""The same, of an instance of a class that is known."""


class Mentions(OfClasses):
    """Tells what functions mention in the world that the modules left when they were loaded; answers are kept. What `earlier` says of
    fewer functions is taken over, unless it might be told otherwise by now."""

    foreign: ForeignClasses

    def __init__(self, m: Analysis, earlier: Mentions | None = None) -> None:
        self.m = m
        self._outer = {info.reference: info for info in m.functions.values()}
        self._classes = [(cls, len(cls.subclasses), tuple(cls.namespace.values())) for cls in m.classes.values()]
        same = earlier if earlier is not None and self._continues(earlier) else None
        self.fields = Fields(m, self._receivers, same.fields if same is not None else None)
        self._functions: dict[FunctionInfo, frozenset[str]] = {}
        if same is None or self.fields.anew is None:
            super().__init__(Held(m))
            self.foreign = ForeignClasses(m, self.held)
        else:
            super().__init__(same.held)
            self.foreign = same.foreign
            self._functions = same.still_right(self.fields.anew)

    def _receivers(self, info: FunctionInfo) -> Receivers:
        return _Reader(self, info).inside().receivers()

    def _continues(self, earlier: Mentions) -> bool:
        """Whether nothing but functions has come since."""
        return earlier._classes == self._classes and earlier._outer.items() <= self._outer.items()

    def still_right(self, anew: frozenset[str]) -> dict[FunctionInfo, frozenset[str]]:
        """What functions mention that were known from the beginning, and speak of no field of which another thing is told."""
        return {
            info: found
            for info, found in self._functions.items()
            if info in self.fields.noted and not any(one.speaks_of(anew) for one in (info, *self.outer(info)))
        }

    def of(self, info: FunctionInfo) -> frozenset[str]:
        if info not in self._functions:
            self._functions[info] = frozenset()  # a function that mentions itself
            with glance(info.node):
                self._functions[info] = frozenset(map(sys.intern, _Reader(self, info).read(info.node)))
        return self._functions[info]

    def of_anything(self, info: FunctionInfo) -> list[ast.Attribute]:
        """The attributes that a function reads of values of which its text does not tell the type."""
        reader = _Reader(self, info)
        with glance(info.node):
            list(reader.read(info.node))
        return reader.unknown

    def known(self, info: FunctionInfo, node: ast.expr) -> Value | None:
        """The module, class or foreign name that an expression of a function stands for."""
        return _Reader(self, info).inside()._known(node)

    def classes_of(self, info: FunctionInfo, node: ast.expr) -> list[ClassInfo] | None:
        """The classes of the program of which an expression of a function may be an instance; None where it may be of any."""
        return _Reader(self, info).inside().classes_of(node)

    def outer(self, info: FunctionInfo) -> Iterator[FunctionInfo]:
        """The functions that it is nested in, innermost first."""
        name = info.qualname
        while ".<locals>." in name:
            name = name.rpartition(".<locals>.")[0]
            found = self._outer.get(f"{info.module}:{name}")
            if found is not None:
                yield found

    def _of_default(self, cls: ClassInfo, default: ast.expr) -> Iterator[str]:
        return _Reader(self, None, cls).read(default)


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
        self.variables: list[dict[str, list[Origin]]] = []
        self.locals = [self._scope(one.node) for one in reversed(outer)]
        self.read_defs: set[ast.AST] = set()
        self.narrowed: list[Told] = []
        self.unknown: list[ast.Attribute] = []
        """Attributes of what may be anything."""
        names = self.m.world.frame(module_frame(self.module))
        self.uses = Uses(info.node, names) if info is not None else None
        around = [info, *outer] if info is not None else []
        self.receiver = next((name for one in around if (name := one.receiver) is not None), None)

    def _scope(self, node: ast.AST) -> frozenset[str]:
        """The names that a function or class binds, with those set aside that stand for something known."""
        inner = own_nodes(node)
        self.variables.append(origins(node, inner))
        for one in inner:
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self.defs[one.name] = one
            elif isinstance(one, ast.Import | ast.ImportFrom):
                self._import(one)
        return frozenset(parameters(node) | {name for one in inner for name in bound_names(one)})

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
            case ast.Global(names=names):
                yield from (f"binds {self.module}:{name}" for name in names)
            case ast.Nonlocal(names=names):
                yield from (f"binds {name}" for name in names)
            case ast.MatchClass(kwd_attrs=names):
                yield from (f"field {name}" for name in names)
        yield from self._changed(node)
        for operand in operands(node):
            yield from self._operated(operand)
        for told, parts in narrowing.regions(node):
            yield from self._read_where(told, parts)

    def _changed(self, node: ast.AST) -> Iterator[str]:
        """What a call or an assignment changes: collections, and the attributes that hold them."""
        match node:
            case ast.Call(func=ast.Attribute(value=base, attr=method)) if method in CHANGING:
                yield CHANGES_ITEMS
                yield from (f"sets {name}" for name in self.receivers().attributes_behind(base))
                if method == "set":
                    yield f"sets variable {getattr(base, 'id', getattr(base, 'attr', ''))}"
            case ast.Subscript(value=base, ctx=ast.Store() | ast.Del()):
                yield CHANGES_ITEMS
                yield from (f"sets {name}" for name in self.receivers().attributes_behind(base))
            case ast.AugAssign():
                yield CHANGES_ITEMS

    def _set(self, node: ast.Attribute) -> Iterator[str]:
        """An attribute that is written: for whom, where that is known; what a constructor writes into what it makes is new."""
        own = isinstance(node.value, ast.Name) and node.value.id == self.receiver
        if own and self.info is not None and self.info.name == "__init__":
            return
        classes = self._classes(node.value, self._known(node.value))
        yield from (f"changes {node.attr} of {cls.reference}" for cls in classes or ())
        if classes is None:
            yield f"changes {node.attr}"

    def _operated(self, node: ast.expr) -> Iterator[str]:
        """What the language calls of an object of the program that an expression gives."""
        if isinstance(node, ast.Constant | ast.JoinedStr) or isinstance(
            self._known(node), Class | Func | Module | Foreign
        ):
            return
        for one in self.receivers().type_of(node).alternatives():
            if one.cls is not None:
                yield f"of {one.cls.reference}"

    def _read_where(self, told: list[Told], parts: list[ast.AST]) -> Iterator[str]:
        """The mentions of some parts of a node, in which classes of variables are known."""
        known = len(self.narrowed)
        self.narrowed += narrowing.unbound(told, parts) if told else []
        for at, part in enumerate(parts):
            yield from self.read(part)
            after = narrowing.afterwards(part)
            self.narrowed += narrowing.unbound(after, parts[at + 1 :]) if after else []
        del self.narrowed[known:]

    def _narrowed(self, name: str) -> ast.expr | None:
        return next((kind for told, kind in reversed(self.narrowed) if told == name), None)

    def _nested(self, node: ast.AST) -> Iterator[str]:
        if node in self.read_defs:
            return
        self.read_defs.add(node)
        self.locals.append(self._scope(node))
        held, self.narrowed = self.narrowed, []
        body = getattr(node, "body", [])
        yield from self._read_where([], list(getattr(node, "decorator_list", [])))
        yield from self._read_where([], body if isinstance(body, list) else [body])
        self.narrowed = held
        for default in [*defaults(node), *getattr(node, "bases", [])]:
            yield from self.read(default)
        self.locals.pop()
        self.variables.pop()

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
        if not isinstance(node.ctx, ast.Load):
            yield from self._set(node)
        base = self._known(node.value)
        classes = None if isinstance(base, Module | Foreign) else self._classes(node.value, base)
        yield from self._field(classes, name)
        if isinstance(base, Module):
            yield from self.mentions.held.mentions(imports.member(self.m, base.name, name, self.m.world))
            return
        if isinstance(base, Foreign):
            yield f"name {name}"
            return
        yield from self.read(node.value)
        if classes is None:
            self.unknown.append(node)
        yield from self._member(classes, name, manner_of(node, self.uses))
        if not isinstance(base, Class):
            for one in self.receivers().type_of(node.value).alternatives():
                yield from self.mentions.foreign.called_back(one, name)

    def _field(self, classes: list[ClassInfo] | None, name: str) -> Iterator[str]:
        """An attribute, by the classes whose it may be."""
        if classes is None or any(may_have_any(cls, name) for cls in classes):
            yield f"field {name}"
        else:
            yield f"any field {name}"
        if name in self.m.capabilities.fields:
            yield from (f"field {name} of {cls.reference}" for cls in classes or ())

    def _member(self, classes: list[ClassInfo] | None, name: str, manner: str) -> Iterator[str]:
        """What an attribute of these classes leads to; of any class that has such a method, where they are not known."""
        found = [value for cls in classes or () if (value := cls.namespace.get(name)) is not None]
        if classes is None or (not found and any(may_have_any(cls, name) for cls in classes)):
            yield f"{manner}.{name}"
        for value in found:
            if isinstance(value, Value) and runs(value, manner):
                yield from self.mentions.held.mentions(value)

    def inside(self) -> _Reader:
        """The same reader in the function's own scope: its parameters and variables are no names of the module."""
        assert self.info is not None
        self.locals.append(self._scope(self.info.node))
        return self

    def receivers(self) -> Receivers:
        """Tells what the expressions of this function are instances of."""
        own = (self.receiver, self.owner) if self.receiver is not None and self.owner is not None else None
        return Receivers(
            self.m,
            self.module,
            self.variables,
            self._is_local,
            self._known,
            self._narrowed,
            own,
            self.mentions.fields.type_of,
        )

    def classes_of(self, node: ast.expr) -> list[ClassInfo] | None:
        return self._classes(node, self._known(node))

    def _is_local(self, name: str) -> bool:
        return any(name in names for names in self.locals)

    def _classes(self, node: ast.expr, base: Value | None) -> list[ClassInfo] | None:
        """The classes of the program whose attribute is read; None where that may be any."""
        if isinstance(base, Class):
            return base.info.family
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super" and self.owner:
            return [cls for one in self.owner.family for cls in one.mro]
        return self._of_type(self.receivers().type_of(node))

    def _of_type(self, declared: Type) -> list[ClassInfo] | None:
        found: list[ClassInfo] = []
        for one in declared.alternatives():
            if one.cls is not None and not one.cls.is_protocol:
                found += one.cls.family
            elif one.cls is None and one.path and not structural(one.path):
                found += self.mentions.foreign.behind(one.path)
            elif one.cls is not None or not (one == LIBRARY or one.name in BUILTIN_TYPES):
                return None
            else:
                found += self.mentions.foreign.built_on(one.name)
        return found

    def _known(self, node: ast.expr) -> Value | None:
        """The module, class or foreign name that an expression stands for."""
        if isinstance(node, ast.Name):
            if any(node.id in names for names in self.locals):
                return self.imported.get(node.id)
            found = self._global(node.id)
            return Foreign(path=f"builtins.{node.id}") if found is None and hasattr(builtins, node.id) else found
        if isinstance(node, ast.Attribute):
            base = self._known(node.value)
            if isinstance(base, Module):
                return imports.member(self.m, base.name, node.attr, self.m.world)
            return Foreign(path=f"{base.path}.{node.attr}") if isinstance(base, Foreign) else None
        return None

    def _call(self, node: ast.Call) -> Iterator[str]:
        """Attributes that are read by their names as texts."""
        name = called_name(node)
        if name not in REFLECTION or not node.args:
            return
        taken = name in ("attrgetter", "methodcaller")
        found = [self.receivers().texts(argument) for argument in (node.args if taken else node.args[1:2])]
        for text in (text for texts in found for text in texts or ()):
            for part in text.split("."):
                yield from (f".{part}", f"field {part}", f"name {part}")
                yield from (f"sets {part}", f"changes {part}") if name == "setattr" else ()
        if None in found and name != "hasattr":
            classes = None if taken else self._of_type(self.receivers().type_of(node.args[0]))
            yield from (ANY_NAME,) if classes is None else self._any_member(classes)

    def _any_member(self, classes: list[ClassInfo]) -> Iterator[str]:
        """What an attribute of these classes may lead to, whichever it is."""
        for cls in classes:
            yield f"{ANY_OF}{cls.reference}"
