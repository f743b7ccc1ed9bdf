"""Functions and classes of the program, as the source defines them."""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pytest_invariants.program.bodies import Body, glance, note
from pytest_invariants.program.nodes import below, children
from pytest_invariants.verdict import Place

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
MODELS = ("BaseModel", "BaseSettings")
"""The classes that pydantic's models derive from, without their module."""
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(eq=False)
class FunctionInfo:
    """A function, method or lambda. Identity is the place in the source."""

    module: str
    qualname: str
    path: str
    node: FunctionNode
    owner: ClassInfo | None = None

    def __repr__(self) -> str:
        return f"<{self.reference}>"

    @property
    def reference(self) -> str:
        return f"{self.module}:{self.qualname}"

    @property
    def name(self) -> str:
        return self.qualname.rpartition(".")[2]

    @property
    def place(self) -> Place:
        return Place(self.path, self.node.lineno)

    @property
    def is_async(self) -> bool:
        return isinstance(self.node, ast.AsyncFunctionDef)

    @cached_property
    def is_method(self) -> bool:
        """Whether it stands in a class's own body; a function inside a method does not."""
        return self.owner is not None and self.qualname == f"{self.owner.qualname}.{self.name}"

    @cached_property
    def takes_receiver(self) -> bool:
        """Whether its first parameter is the object, or the class, that it is called on."""
        decorators = [ast.unparse(d) for d in getattr(self.node, "decorator_list", [])]
        return self.is_method and "staticmethod" not in decorators

    @property
    def receiver(self) -> str | None:
        """The name of that parameter."""
        arguments = [*self.node.args.posonlyargs, *self.node.args.args]
        return arguments[0].arg if self.takes_receiver and arguments else None

    @property
    def mentioned(self) -> tuple[str, ...]:
        """The names and attributes in it, nested functions included."""
        if isinstance(self.node.body, Body):
            self.node.body.note_names()
        return self._mentioned

    def speaks_of(self, bearing: Collection[str]) -> bool:
        """Whether one of these names is mentioned in it: of those that bear on the answer in any case (`flow.bearing`)."""
        return not self._mentioned_names.isdisjoint(bearing)

    @cached_property
    def _mentioned_names(self) -> frozenset[str]:
        return frozenset(self._mentioned)

    @cached_property
    def _mentioned(self) -> tuple[str, ...]:
        with glance(self.node):
            inner = [n for n in below(self.node) if isinstance(n, ast.Name | ast.Attribute)]
        return tuple(dict.fromkeys(n.id if isinstance(n, ast.Name) else n.attr for n in inner))

    @cached_property
    def is_generator(self) -> bool:
        with glance(self.node):
            return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own_nodes(self.node))

    @cached_property
    def _around(self) -> list[ast.Try | ast.TryStar | ast.With | ast.AsyncWith]:
        with glance(self.node):
            around = [
                n for n in own_nodes(self.node) if isinstance(n, ast.Try | ast.TryStar | ast.With | ast.AsyncWith)
            ]
            return [n for n in around if any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in ast.walk(n))]

    @property
    def stands_around(self) -> list[ast.Try | ast.TryStar | ast.With | ast.AsyncWith]:
        """What stands around the places where a generator waits, as in a context manager."""
        if self._around:
            note(self.node)
        return self._around

    @property
    def may_swallow(self) -> bool:
        """Whether it may end an exception of what happens while it waits, by its own handlers."""
        return any(isinstance(node, ast.Try | ast.TryStar) and _ends_exceptions(node) for node in self._around)

    @cached_property
    def declared(self) -> frozenset[str]:
        """Names that `global` or `nonlocal` hand to another scope."""
        return frozenset(
            name for node in own_nodes(self.node) if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names
        )

    @cached_property
    def globals(self) -> frozenset[str]:
        return frozenset(name for node in own_nodes(self.node) if isinstance(node, ast.Global) for name in node.names)

    @cached_property
    def locals(self) -> frozenset[str]:
        """Names bound in the function's own scope."""
        arguments = self.node.args
        names = {a.arg for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]}
        names |= {a.arg for a in (arguments.vararg, arguments.kwarg) if a}
        names |= {name for node in own_nodes(self.node) for name in bound_names(node)}
        return frozenset(names - self.declared)


@dataclass(eq=False)
class ClassInfo:
    """A class. `bases` and `namespace` are filled when the class statement is evaluated; what the
    namespace holds is the evaluator's affair."""

    module: str
    qualname: str
    path: str
    node: ast.ClassDef
    bases: list[ClassInfo] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    namespace: dict[str, Any] = field(default_factory=dict)
    annotations: dict[str, ast.expr] = field(default_factory=dict)
    chain: tuple[str, ...] = ()
    subclasses: list[ClassInfo] = field(default_factory=list)
    opaque_base: bool = False

    def __repr__(self) -> str:
        return f"<{self.reference}>"

    @property
    def reference(self) -> str:
        return f"{self.module}:{self.qualname}"

    @property
    def name(self) -> str:
        return self.qualname.rpartition(".")[2]

    @cached_property
    def mro(self) -> tuple[ClassInfo, ...]:
        """C3 linearisation over the program's classes; an inconsistent hierarchy falls back to depth first."""
        sequences = [list(base.mro) for base in self.bases] + [list(self.bases)]
        order: list[ClassInfo] = [self]
        while any(sequences):
            heads = [s[0] for s in sequences if s]
            good = next((h for h in heads if not any(h in s[1:] for s in sequences)), heads[0])
            order.append(good)
            sequences = [[c for c in s if c is not good] for s in sequences]
        return tuple(order)

    @property
    def family(self) -> list[ClassInfo]:
        """The class, its bases and whatever an instance of a subclass brings."""
        found = dict.fromkeys(self.mro)
        for derived in self.descendants():
            found.update(dict.fromkeys(derived.mro))
        return list(found)

    def foreign_bases(self) -> list[str]:
        return [name for cls in self.mro for name in cls.foreign]

    @property
    def is_protocol(self) -> bool:
        return any(name.rpartition(".")[2] == "Protocol" for name in self.foreign)

    @property
    def is_model(self) -> bool:
        return any(name.rpartition(".")[2] in MODELS for name in self.foreign_bases())

    @property
    def is_enum(self) -> bool:
        return any(name.startswith("enum.") for name in self.foreign_bases())

    @property
    def is_exception(self) -> bool:
        return any(name.endswith(("Error", "Exception")) for name in self.foreign_bases())

    @property
    def is_namedtuple(self) -> bool:
        return "typing.NamedTuple" in self.foreign_bases()

    def lookup(self, name: str) -> tuple[ClassInfo, Any] | None:
        for cls in self.mro:
            if name in cls.namespace:
                return cls, cls.namespace[name]
        return None

    def field_annotation(self, name: str) -> tuple[ClassInfo, ast.expr] | None:
        for cls in self.mro:
            if name in cls.annotations:
                return cls, cls.annotations[name]
        return None

    def field_names(self) -> list[str]:
        """Annotated fields in definition order, parents first."""
        names: dict[str, None] = {}
        for cls in reversed(self.mro):
            names.update(dict.fromkeys(cls.annotations))
        return list(names)

    def descendants(self) -> list[ClassInfo]:
        found: list[ClassInfo] = []
        for cls in self.subclasses:
            found += [c for c in [cls, *cls.descendants()] if c not in found]
        return found


LEAVING = (ast.Return, ast.Break, ast.Continue)


def _ends_exceptions(node: ast.Try | ast.TryStar) -> bool:
    """Whether a handler may do without raising, or the `finally` has the last word."""
    last = [inner for statement in node.finalbody for inner in ast.walk(statement)]
    return any(isinstance(inner, LEAVING) for inner in last) or not all(map(_raises, node.handlers))


def _raises(handler: ast.ExceptHandler) -> bool:
    inner = [node for statement in handler.body for node in ast.walk(statement)]
    return isinstance(handler.body[-1], ast.Raise) and not any(isinstance(node, LEAVING) for node in inner)


def own_nodes(node: ast.AST) -> list[ast.AST]:
    """All nodes of a function's own scope: nested functions and classes appear, their bodies do not."""
    body = getattr(node, "body", [])
    body = body if isinstance(body, list) else [body]
    stack: list[ast.AST] = list(body)
    found: list[ast.AST] = []
    while stack:
        current = stack.pop()
        found.append(current)
        if not isinstance(current, SCOPES):
            stack.extend(children(current))
    return found


BINDING = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.ExceptHandler, ast.MatchAs, ast.MatchStar,
    ast.MatchMapping,
)  # fmt: skip
"""What binds names, besides names that are set or deleted."""


def bound_names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Name):
        return [] if isinstance(node.ctx, ast.Load) else [node.id]
    if not isinstance(node, BINDING):
        return []
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Import(names=names):
            return [alias.asname or alias.name.split(".")[0] for alias in names]
        case ast.ImportFrom(names=names):
            return [alias.asname or alias.name for alias in names]
        case ast.ExceptHandler(name=str(name)):
            return [name]
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [name]
        case ast.MatchMapping(rest=str(name)):
            return [name]
        case _:
            return []
