"""What functions of the program do to variables and collections that were there before, whoever calls them: bind a variable of a
module anew, take elements out of a collection, set entries of a table under keys that the text does not say.

Told by names: of a field the class whose method does it, where it does so through its receiver, or any; of a variable the name alone.
A collection within another one goes by the other one's name; a local variable by what it was read from, an argument of a function
that changes its parameter by what stands there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.terms import Term
from pytest_invariants.flow.domain.values import Dict, Func, Module, Seq
from pytest_invariants.flow.relevance.instances import MAKING
from pytest_invariants.flow.relevance.syntax import called_name, named_parameters
from pytest_invariants.program.code import ClassInfo, FunctionInfo, own_nodes

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

TAKING = frozenset({
    "clear", "pop", "popitem", "popleft", "remove", "discard", "difference_update", "intersection_update",
    "symmetric_difference_update", "__delitem__",
})  # fmt: skip
SETTING = frozenset({"update", "setdefault", "__setitem__"})
ADDING = frozenset({"append", "appendleft", "extend", "extendleft", "insert", "add", "update"})
ANYTHING = "<any>"
"""In the place of the name of a variable: whichever it is."""
Place = tuple[ClassInfo | None, str]
"""A field by its class, or, with None, a variable, or a field of some class that is not known."""


class Later:
    """Answers for one program."""

    def __init__(self, m: Analysis) -> None:
        self.m = m
        self._taken: set[Place] = set()
        self._set: set[Place] = set()
        self._numbered: dict[Place, set[tuple[int, object]]] = {}
        self._told: set[ast.AST] = set()
        """Elements whose number and new value stand in the text."""
        self._bound: dict[tuple[str, str], list[tuple[FunctionInfo, ast.expr | None]]] = {}
        self._added: set[Place] = set()
        self._assigned: set[Place] = set()
        self._methods: set[tuple[ClassInfo, str]] = set()
        self._known: dict[Term, tuple[bool, ...]] = {}

    def bound(self, module: str, name: str) -> list[tuple[FunctionInfo, ast.expr | None]]:
        """The functions that bind a variable of a module anew, and what they bind it to where that is an expression."""
        self._asked(name)
        return [*self._bound.get((module, name), ()), *self._bound.get((module, ANYTHING), ())]

    def assigns(self, cls: ClassInfo, name: str) -> bool:
        """Whether some function besides the constructors sets a field of such an instance."""
        self._asked(name)
        return self._meets((cls, name), self._assigned)

    def takes(self, address: Term) -> bool:
        """Whether something may have been taken out of a collection that was there before."""
        return self._of(address)[0]

    def elements(self, address: Term) -> set[tuple[int, object]]:
        """The constants that elements by number are set to."""
        places = self._names_of(address)
        met = [held for other, held in self._numbered.items() if any(self._meets(place, {other}) for place in places)]
        found = set[tuple[int, object]]().union(*met)
        self.m.program.read.stores |= {str(at) for at, _ in found}
        return found

    def adds(self, address: Term) -> bool:
        """Whether something may have been added to a list or a set."""
        return self._of(address)[2]

    def changes(self, address: Term) -> bool:
        """Whether entries of a table may have been set under any key, or taken out."""
        return any(self._of(address)[:2])

    def replaces(self, cls: ClassInfo, name: str) -> bool:
        """Whether some function gives an instance, or the class, another method."""
        self._asked(name)
        return bool(self._methods) and any((one, name) in self._methods for one in _around(cls))

    def _of(self, address: Term) -> tuple[bool, ...]:
        """Whether a collection is taken from, set under any key, added to."""
        if address not in self._known:
            places, every = self._names_of(address), (self._taken, self._set, self._added)
            self._known[address] = tuple(any(self._meets(place, among) for place in places) for among in every)
        return self._known[address]

    def _names_of(self, address: Term) -> list[Place]:
        """By which names a collection is known: those of the loaded world, and of the fields that constructors leave it in."""
        fields = [(self.m.class_of.get(place.base), place.name) for place in self.m.kept_as.get(address, ())]
        places = [*self._places.get(address, ()), *fields]
        for _, name in places:
            self._asked(name)
        return places

    def _asked(self, name: str) -> None:
        self.m.program.read.stores.add(name)
        _ = self._scanned

    def _meets(self, place: Place, among: set[Place]) -> bool:
        cls, name = place
        if (None, name) in among:
            return True
        return any(
            name == other and owner is not None and (cls is None or owner in _around(cls)) for owner, other in among
        )

    @cached_property
    def _places(self) -> dict[Term, list[Place]]:
        """By which names the collections of the loaded world are known."""
        world, found = self.m.world, dict[Term, list[Place]]()
        held: list[tuple[Place, object]] = []
        held += [((None, name), value) for frame in world.frames.values() for name, value in frame.items()]
        held += [((None, name), value) for (_, name), value in world.fields.items()]
        held += [((cls, n), value) for cls in self.m.classes.values() for n, value in cls.namespace.items()]
        while held:
            place, value = held.pop()
            if isinstance(value, Seq | Dict) and place not in found.setdefault(value.address, []):
                found[value.address].append(place)
                held += [(place, template.value) for template in world.cell(value.address).templates]
        return found

    @cached_property
    def _scanned(self) -> bool:
        with self.m.program.read.glancing():
            every = {info: own_nodes(info.node) for info in self.m.functions.values()}
            for info, nodes in every.items():
                for node in nodes:
                    self._note(info, node, nodes)
            self._note_arguments(every)
        return True

    def _note_arguments(self, every: dict[FunctionInfo, list[ast.AST]]) -> None:
        """Collections that are handed to a function which takes something out of its parameter."""
        takers = {info.name for info, nodes in every.items() if _takes_out_of_parameter(info, nodes)}
        for info, nodes in every.items() if takers else ():
            for node in nodes:
                if isinstance(node, ast.Call) and called_name(node) in takers:
                    self._taken.update(place for one in node.args for place in _places_of(info, one, nodes))

    def _note(self, info: FunctionInfo, node: ast.AST, nodes: list[ast.AST]) -> None:
        match node:
            case ast.Call(func=ast.Attribute(value=base, attr=method)) if method in TAKING | SETTING | ADDING:
                for names, among in ((TAKING, self._taken), (SETTING, self._set), (ADDING, self._added)):
                    among.update(_places_of(info, base, nodes) if method in names else ())
            case ast.Call(func=ast.Name(id="setattr"), args=[base, ast.Constant(value=str(field)), *_]):
                self._assigned.add((None, field))
                self._replace(info, base, field, None)
            case ast.Subscript(value=ast.Call(func=ast.Name(id="globals")), slice=key, ctx=ast.Store()) if (
                info.is_method or info.name != "__getattr__"  # which is asked for names that the module does not have
            ):
                name = key.value if isinstance(key, ast.Constant) else ANYTHING
                self._bound.setdefault((info.module, str(name)), []).append((info, None))
            case ast.Assign(
                targets=[ast.Subscript(value=base, slice=ast.Constant(value=int(at))) as told],
                value=ast.Constant(value=value),
            ):
                self._told.add(told)
                for place in _places_of(info, base, nodes):
                    self._numbered.setdefault(place, set()).add((at, value))
            case ast.Subscript() if node in self._told:
                pass
            case ast.Subscript(value=base, slice=key, ctx=ast.Store() | ast.Del()) if not _is_text(key, node):
                among = self._taken if isinstance(node.ctx, ast.Del) or not isinstance(key, ast.Name) else self._set
                among.update(_places_of(info, base, nodes))
            case ast.AugAssign(target=ast.Name() | ast.Attribute() as base, op=op):
                among = self._added if isinstance(op, ast.Add) else self._taken
                among.update(_places_of(info, base, nodes))
            case ast.Attribute(ctx=ast.Store() | ast.Del()):
                own = isinstance(node.value, ast.Name) and node.value.id == info.receiver
                if not (own and info.name in MAKING):
                    self._assigned.add((info.owner if own else None, node.attr))
                self._replace(info, node.value, node.attr, _given(node, nodes))
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) if name in info.globals:
                self._bound.setdefault((info.module, name), []).append((info, _given(node, nodes)))

    def _replace(self, info: FunctionInfo, base: ast.expr, name: str, given: ast.expr | None) -> None:
        """A variable of a module that is set from outside, and a method that an instance or its class is given anew."""
        assert self.m.reach is not None
        known = Module(name=info.module) if _is_this_module(base) else self.m.reach.mentions.known(info, base)
        if isinstance(known, Module):
            self._bound.setdefault((known.name, name), []).append((info, given if info.module == known.name else None))
        elif name in self.m.method_names:
            classes = self.m.reach.mentions.classes_of(info, base) or ()
            self._methods.update((cls, name) for cls in classes if isinstance(_held(cls, name), Func))


def _is_this_module(base: ast.expr) -> bool:
    """`sys.modules[__name__]`"""
    match base:
        case ast.Subscript(value=ast.Attribute(attr="modules"), slice=ast.Name(id="__name__")):
            return True
        case _:
            return False


def _held(cls: ClassInfo, name: str) -> object:
    found = cls.lookup(name)
    return found[1] if found is not None else None


def _takes_out_of_parameter(info: FunctionInfo, nodes: list[ast.AST]) -> bool:
    names = {parameter.arg for parameter in named_parameters(info.node)} - {info.receiver}
    for node in nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if (
                method in TAKING and name in names
            ):
                return True
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()) if name in names:
                return True
    return False


def _is_text(key: ast.expr, node: ast.Subscript) -> bool:
    """An entry that is set under a key in the text: who asks for it is told by what the text gives it."""
    return isinstance(node.ctx, ast.Store) and isinstance(key, ast.Constant) and isinstance(key.value, str)


def _given(name: ast.expr, nodes: list[ast.AST]) -> ast.expr | None:
    """What an assignment gives one variable."""
    for node in nodes:
        match node:
            case ast.Assign(targets=[target], value=value) if target is name:
                return value
            case ast.AnnAssign(target=target, value=value) if target is name:
                return value
    return None


def _places_of(info: FunctionInfo, base: ast.expr, nodes: list[ast.AST], depth: int = 3) -> Iterator[Place]:
    match base:
        case ast.Attribute(value=ast.Name(id=name), attr=field) if name == info.receiver and info.owner is not None:
            yield info.owner, field
        case (
            ast.Subscript(value=inner)
            | ast.Call(func=ast.Attribute(value=inner, attr="get" | "values" | "items" | "setdefault"))
        ):
            yield from _places_of(info, inner, nodes, depth)
        case ast.Attribute(attr=field):
            yield None, field
        case ast.Name(id=name) if name in info.locals:
            for source in _sources(name, nodes) if depth else ():
                yield from _places_of(info, source, nodes, depth - 1)
        case ast.Name(id=name):
            yield None, name


def _sources(name: str, nodes: list[ast.AST]) -> Iterator[ast.expr]:
    """What a local variable was read from."""
    for node in nodes:
        match node:
            case ast.Assign(targets=targets, value=value) if any(name in _names_in(target) for target in targets):
                yield value
            case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value) if name in _names_in(
                target
            ):
                yield value
            case ast.NamedExpr(target=ast.Name(id=bound), value=value) if bound == name:
                yield value


def _names_in(target: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def _around(cls: ClassInfo) -> list[ClassInfo]:
    return [base for one in cls.family for base in one.mro]
