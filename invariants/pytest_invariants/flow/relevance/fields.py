"""What the fields of the program's classes hold, told from annotations and from what methods assign."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain import types
from pytest_invariants.flow.domain.terms import Alloc, Term
from pytest_invariants.flow.domain.values import ANY, Descriptor, Func, Type
from pytest_invariants.flow.machine.machine import Results
from pytest_invariants.flow.relevance.receivers import Receivers
from pytest_invariants.program.bodies import glance
from pytest_invariants.program.code import ClassInfo, FunctionInfo, own_nodes

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

Store = tuple[FunctionInfo, str, ast.expr]
"""A method, and what it gives a field of its receiver: `is` an expression, or `declared` by an annotation."""


class Fields:
    """Answers for one program; answers are kept."""

    def __init__(self, m: Analysis, receivers: Callable[[FunctionInfo], Receivers], earlier: Fields | None) -> None:
        self.m, self.receivers = m, receivers
        self._stores: dict[tuple[ClassInfo, str], list[Store]] = {}
        self._elsewhere: set[str] = set()
        """Fields that are also set in ways that are not read here."""
        self._known: dict[tuple[ClassInfo, str], Type] = {}
        self.noted = set(m.functions.values())
        self._asking: list[str] = []
        self._behind: dict[str, set[str]] = {}
        """By its name, the names of the fields of which was asked to tell what a field holds."""
        self.anew: frozenset[str] | None = self._take_over(earlier) if earlier is not None else None
        """Fields, by their names, of which another thing is told than earlier, of fewer functions; None where all of them may be."""
        if self.anew is None:
            self._note_all()

    def _take_over(self, earlier: Fields) -> frozenset[str] | None:
        """Add the functions that came since, and keep what they leave as it was."""
        self._stores, self._elsewhere = {key: [*held] for key, held in earlier._stores.items()}, set(earlier._elsewhere)
        for info in self.noted - earlier.noted:
            self._note(info)
        more = self._elsewhere - earlier._elsewhere
        if self._stores != earlier._stores:
            return None
        told = [key for key, kind in earlier._known.items() if key[1] in more and kind != ANY]
        anew = earlier.told_by({name for cls, name in told if self._is_by_stores(cls, name)})
        self._known = {key: kind for key, kind in earlier._known.items() if key[1] not in anew}
        self._behind = {name: set(others) for name, others in earlier._behind.items()}
        return anew

    def told_by(self, names: set[str]) -> frozenset[str]:
        """These fields, and those of which is told by them what they hold."""
        found, more = set(names), bool(names)
        while more:
            new = {name for name, others in self._behind.items() if not others.isdisjoint(found)} - found
            found, more = found | new, bool(new)
        return frozenset(found)

    def _note_all(self) -> None:
        self._stores, self._elsewhere = {}, set()
        for info in self.m.functions.values():
            self._note(info)
        for module in self.m.program.sources:
            tree = self.m.program.tree(module)
            for node in own_nodes(tree) if tree is not None else ():
                self._elsewhere |= set(_set_by(node)) if isinstance(node, ast.stmt) else set()

    def _note(self, info: FunctionInfo) -> None:
        receiver = info.receiver
        with glance(info.node):
            nodes = own_nodes(info.node)
        for node in nodes:
            match node:
                case ast.Assign(targets=targets, value=value):
                    for target, given in (pair for one in targets for pair in _pairs(one, value)):
                        self._assigned(info, target, given)
                case ast.AnnAssign(
                    target=ast.Attribute(value=ast.Name(id=name), attr=field), annotation=annotation
                ) if name == receiver and info.owner:
                    self._stores.setdefault((info.owner, field), []).append((info, "declared", annotation))
                case ast.AnnAssign() | ast.For() | ast.AsyncFor() | ast.With() | ast.AsyncWith():
                    self._elsewhere |= set(_set_by(node))
                case ast.Call(func=ast.Name(id="setattr"), args=[_, ast.Constant(value=str(field)), *_]):
                    self._elsewhere.add(field)

    def _assigned(self, info: FunctionInfo, target: ast.expr, given: ast.expr) -> None:
        match target:
            case ast.Attribute(value=ast.Name(id=name), attr=field) if name == info.receiver and info.owner:
                self._stores.setdefault((info.owner, field), []).append((info, "is", given))
            case ast.Attribute(attr=field):
                self._elsewhere.add(field)
            case ast.Starred(value=inner):
                self._assigned(info, inner, ast.Starred(given))

    def type_of(self, cls: ClassInfo, name: str) -> Type:
        """The type of a field or property; ANY where the text does not say."""
        key = (cls, name)
        if self._asking:
            self._behind.setdefault(self._asking[-1], set()).add(name)
        if key not in self._known:
            self._known[key] = ANY  # a field that is set from itself
            self._asking.append(name)
            self._known[key] = self._find(cls, name)
            self._asking.pop()
        return self._known[key]

    def given(self, cls: ClassInfo, name: str) -> list[tuple[FunctionInfo, ast.expr]]:
        """What the methods of a class give a field of their receiver."""
        stores = [store for one in cls.mro for store in self._stores.get((one, name), ())]
        return [(info, given) for info, kind, given in stores if kind == "is"]

    def set_in(self, cls: ClassInfo) -> list[str]:
        """The fields that the class's own methods set."""
        return self._set_in.get(cls, [])

    @cached_property
    def _set_in(self) -> dict[ClassInfo, list[str]]:
        found: dict[ClassInfo, list[str]] = {}
        for owner, name in self._stores:
            found.setdefault(owner, []).append(name)
        return found

    def _is_by_stores(self, cls: ClassInfo, name: str) -> bool:
        """Whether nothing tells the type of a field but what it is given."""
        return cls.field_annotation(name) is None and cls.lookup(name) is None

    def _find(self, cls: ClassInfo, name: str) -> Type:
        declared = cls.field_annotation(name)
        if declared is not None:
            return types.read(self.m, declared[1], self.m.world, self.m.scope_of_class(declared[0]))
        found = cls.lookup(name)
        if found is not None:
            return self._property(found[1])
        if name in self._elsewhere:
            return ANY
        classes = dict.fromkeys([*cls.mro, *(c for below in cls.descendants() for c in below.mro)])
        stores = [store for one in classes for store in self._stores.get((one, name), ())]
        kinds = [self._stored(*store) for store in stores]
        return types.either(kinds) if kinds and ANY not in kinds else ANY

    def _property(self, value: object) -> Type:
        inner = value.function if isinstance(value, Descriptor) and value.kind in ("property", "cached") else None
        if not isinstance(inner, Func) or isinstance(inner.info.node, ast.Lambda):
            return ANY
        return types.read(self.m, inner.info.node.returns, self.m.world, self.m.scope_of_module(inner.info.module))

    def _stored(self, info: FunctionInfo, kind: str, expression: ast.expr) -> Type:
        if kind == "declared":
            return types.read(self.m, expression, self.m.world, self.m.scope_of_module(info.module))
        with glance(info.node):
            return self.receivers(info).kept(expression)


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """The targets of an assignment, each with what it is given; of what is not known, something that has no type."""
    if not isinstance(target, ast.Tuple | ast.List):
        return [(target, value)]
    parts = value.elts if isinstance(value, ast.Tuple | ast.List) else []
    plain = len(parts) == len(target.elts) and not any(isinstance(one, ast.Starred) for one in (*target.elts, *parts))
    given = parts if plain else [ast.Starred(value)] * len(target.elts)
    return [pair for one, part in zip(target.elts, given, strict=True) for pair in _pairs(one, part)]


def _set_by(node: ast.stmt) -> list[str]:
    """The attributes that a statement sets, besides those in its body."""
    match node:
        case ast.Assign(targets=targets):
            places: list[ast.expr] = targets
        case ast.AnnAssign(target=target) | ast.For(target=target) | ast.AsyncFor(target=target):
            places = [target]
        case ast.With(items=items) | ast.AsyncWith(items=items):
            places = [item.optional_vars for item in items if item.optional_vars is not None]
        case _:
            places = []
    inner = [part for place in places for part in ast.walk(place)]
    return [part.attr for part in inner if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)]


def remember(address: Term, name: str, results: Results) -> None:
    """A `cached_property` of an object that was made here: from now on the field holds what came of it."""
    if isinstance(address, Alloc) and not address.past:
        for value, after in results:
            after.fields[address, name] = value
