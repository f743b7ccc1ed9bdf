"""Classes and their instances: which implementation may run, and what a field of some instance holds."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, cast

from pytest_invariants.flow.calls import escaping
from pytest_invariants.flow.domain.state import State, lives_on
from pytest_invariants.flow.domain.terms import Term
from pytest_invariants.flow.domain.values import Func, Labels, Obj, Value
from pytest_invariants.flow.objects import construct
from pytest_invariants.flow.seal.registered import Registered
from pytest_invariants.program.code import ClassInfo, FunctionInfo
from pytest_invariants.verdict import Place

if TYPE_CHECKING:
    pass

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def whole(part: Hierarchy) -> Analysis:
    """The machine that this is a part of."""
    return cast("Analysis", part)


class Hierarchy(Registered):
    """The class side of the machine."""

    classes: dict[str, ClassInfo]
    _initial: dict[ClassInfo, tuple[dict[str, Value], State]]
    world: State
    functions: dict[ast.AST, FunctionInfo]
    _named = -1
    _by_name: dict[str, list[FunctionInfo]]
    _meant: dict[FunctionInfo, list[FunctionInfo]]
    _asks: dict[FunctionInfo, bool]

    @property
    def by_name(self) -> dict[str, list[FunctionInfo]]:
        """The functions that are known so far, by their names."""
        if self._named != len(self.functions):
            self._by_name, self._meant, self._asks = {}, {}, {}
            for info in self.functions.values():
                self._by_name.setdefault(info.name, []).append(info)
            self._named = len(self.functions)
        return self._by_name

    @property
    def by_name_asks(self) -> dict[FunctionInfo, bool]:
        """Whether functions would ask the seal by the names that they mention, as long as no others are known."""
        return self._asks if self.by_name else {}

    def meant_in(self, info: FunctionInfo) -> list[FunctionInfo]:
        """The functions that are known so far by one of the names that this one mentions."""
        by_name = self.by_name
        if info not in self._meant:
            found = (one for name in info.mentioned for one in by_name.get(name, ()))
            self._meant[info] = list(dict.fromkeys(found))
        return self._meant[info]

    def implementations(self, cls: ClassInfo, name: str) -> list[ClassInfo] | None:
        """The classes whose `name` may run for a receiver declared as `cls`; None where that is `cls` alone."""
        below = cls.descendants()
        if cls.is_protocol:
            return [c for c in (below or self._structural(cls)) if not c.is_protocol]
        if not below:
            return [] if self._abstract(cls, name) else None
        found = cls.lookup(name)
        candidates = [cls, *below] if not self._abstract(cls, name) else below
        if found is None and not any(c.lookup(name) for c in below):
            return None
        distinct: dict[object, ClassInfo] = {}
        for candidate in candidates:
            own = candidate.lookup(name)
            if own is not None:
                distinct.setdefault(self._deed(own[1]) or id(own[0]), candidate)
        if found is not None and not isinstance(found[1], Func):
            return None
        return list(distinct.values()) if len(distinct) > 1 or self._abstract(cls, name) else None

    def _deed(self, method: object) -> tuple[int, bool, bool] | None:
        """Which capability a method exercises, and in what form: it makes no difference whose it is."""
        if not isinstance(method, Func) or method.info not in self.capabilities.functions:
            return None
        return self.capabilities.functions[method.info], method.info.is_async, method.info.is_generator

    def _abstract(self, cls: ClassInfo, name: str) -> bool:
        found = cls.lookup(name)
        if found is None or not isinstance(found[1], Func):
            return False
        node = found[1].info.node
        return not isinstance(node, ast.Lambda) and any("abstract" in ast.unparse(d) for d in node.decorator_list)

    def _structural(self, protocol: ClassInfo) -> list[ClassInfo]:
        """Classes that have every method of a protocol."""
        wanted = [n for n, v in protocol.namespace.items() if isinstance(v, Func) and not n.startswith("__")]
        wanted = wanted or [n for n in protocol.namespace if n == "__call__"]
        return [c for c in self.classes.values() if c is not protocol and wanted and all(c.lookup(n) for n in wanted)]

    def is_symbolic(self, receiver: Obj) -> bool:
        return lives_on(receiver.address)

    def is_owner(self, cls: ClassInfo) -> bool:
        """Whether instances carry capabilities or the seal's state."""
        owners = {c.reference for held in self.capabilities.fields.values() for _, c in held}
        states = {ref.qualname.rpartition(".")[0] for ref in self.seal.declared.state}
        return any(c.reference in owners or c.qualname in states for c in cls.mro)

    def symbolic_field(self, receiver: Obj, name: str, state: State) -> Value | None:
        return construct.symbolic_field(whole(self), receiver, name, state)

    def constructed_field(self, cls: ClassInfo, name: str) -> Value | None:
        return self._initial_fields(cls)[0].get(name)

    def constructed_fields(self, cls: ClassInfo) -> list[str]:
        return list(self._initial_fields(cls)[0])

    def _initial_fields(self, cls: ClassInfo) -> tuple[dict[str, Value], State]:
        """What the constructor leaves in an instance of which nothing else is known."""
        if cls not in self._initial:
            self._initial[cls] = ({}, State(self.world))
            self._initial[cls] = escaping.construct_symbolically(whole(self), cls)
        return self._initial[cls]

    def try_constructors_again(self) -> None:
        """Constructors that took too long while modules were loaded may take more time afterwards."""
        self._initial = {cls: made for cls, made in self._initial.items() if made[0]}

    def moved(self, value: Value, cls: ClassInfo, address: Term, name: str, state: State) -> Value:
        return escaping.move(whole(self), value, cls, address, self._initial_fields(cls)[1], state)

    def fields_of(self, value: Obj, state: State) -> dict[str, Value]:
        base = state.base.fields if state.base is not None else {}
        own = {name: v for (address, name), v in base.items() if address == value.address}
        own.update({name: v for (address, name), v in state.fields.items() if address == value.address})
        return own

    def owned_labels(self, value: Obj, state: State) -> Labels:
        at = Place(value.cls.path, value.cls.node.lineno)
        return self.owner_labels(value, at)
