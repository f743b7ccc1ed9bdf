"""Descriptors by hand: `Row.s.__set__(row, v)`, `Row.skill.fset(row, v)`, `inspect.getattr_static(Row, "s")`."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.terms import Field
from pytest_invariants.flow.domain.values import (
    NONE,
    Class,
    Const,
    Descriptor,
    Foreign,
    Obj,
    Partial,
    Sym,
    Value,
    term_of,
)
from pytest_invariants.flow.machine import deleting
from pytest_invariants.flow.machine.machine import Arguments, Results
from pytest_invariants.program.code import ClassInfo
from pytest_invariants.verdict import Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.library.models import Model
    from pytest_invariants.flow.machine.analysis import Analysis

SLOTS = "__slots__"
SLOTTED = frozenset({"define", "frozen", "mutable", "attrs", "attr.s"})
"""Decorators that make a class with slots."""
MEMBER = "member"
"""The kind of a descriptor that stands for a slot; its function is the slot's name."""
BY_HAND = ("__get__", "__set__", "__delete__")
PARTS = {"fget": "function", "func": "function", "fset": "setter"}
TYPES = ("types.MemberDescriptorType", "types.GetSetDescriptorType", "builtins.property", "functools.cached_property")


def slot(cls: ClassInfo, name: str) -> Descriptor | None:
    """What a class shows under the name of one of its slots."""
    for owner in () if name.startswith("__") else cls.mro:
        if SLOTS in owner.namespace and name not in owner.namespace:
            return Descriptor(function=Const(value=name), kind=MEMBER)
        if name in owner.annotations and any(_makes_slots(d) for d in owner.node.decorator_list):
            return Descriptor(function=Const(value=name), kind=MEMBER)
    return None


def _makes_slots(decorator: ast.expr) -> bool:
    if not isinstance(decorator, ast.Call):
        return ast.unparse(decorator).rpartition(".")[2] in SLOTTED
    given = {k.arg: k.value for k in decorator.keywords}.get("slots")
    if given is None:
        return _makes_slots(decorator.func)
    return not (isinstance(given, ast.Constant) and given.value is False)


def attribute(receiver: Descriptor, name: str, state: State) -> Results:
    if name in BY_HAND:
        return [(Partial(function=Foreign(path=f"flow.descriptor.{name}"), args=(receiver,)), state)]
    if name in ("setter", "getter", "deleter"):
        return [(Partial(function=Foreign(path=f"flow.{name}"), args=(receiver,)), state)]
    if name in PARTS and receiver.kind != MEMBER:
        return [(getattr(receiver, PARTS[name]) or NONE, state)]
    return [(Sym(receiver.labels, Field(term_of(receiver), name), why=Reason.DYNAMIC_ATTRIBUTE), state)]


def type_of(receiver: Descriptor) -> Foreign | None:
    kinds = {MEMBER: TYPES[0], "property": TYPES[2], "cached": TYPES[3]}
    return Foreign(path=kinds[receiver.kind]) if receiver.kind in kinds else None


def _by_hand(name: str) -> Model:
    return partial(_called, name)


def _called(name: str, m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    descriptor, owner, *given = arguments.positional
    if not isinstance(descriptor, Descriptor):
        return [
            pair
            for method, ready in m.attribute(descriptor, name, state, scope, node)
            for pair in m.call(method, Arguments((owner, *given)), ready, scope, node)
        ]
    if name == "__get__":
        return _got(m, descriptor, owner, state, scope, node)
    key = descriptor.function.value if isinstance(descriptor.function, Const) else None
    if name == "__set__" and given and descriptor.setter is not None:
        return m.call(descriptor.setter, Arguments((owner, given[0])), state, scope, node)
    if name == "__set__" and given and isinstance(key, str):
        m.set_attribute(owner, key, given[0], state, scope)
    elif name == "__delete__" and isinstance(key, str):
        return [(NONE, deleting.attribute(m, owner, key, state, scope))]
    return [(NONE, state)]


def _got(m: Analysis, descriptor: Descriptor, owner: Value, state: State, scope: Scope, node: ast.AST) -> Results:
    if owner == NONE:
        return [(descriptor, state)]
    if isinstance(descriptor.function, Const):
        return m.attribute(owner, str(descriptor.function.value), state, scope, node)
    return m.call(descriptor.function, Arguments((owner,)), state, scope, node)


def _static(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """`inspect.getattr_static`: what the class has under a name, before any descriptor has its say."""
    owner, name = arguments.positional[:2]
    key = str(name.value) if isinstance(name, Const) else ""
    if isinstance(owner, Obj) and (slot(owner.cls, key) is not None or owner.cls.lookup(key) is not None):
        owner = Class(info=owner.cls)
    return m.attribute(owner, key, state, scope, node) if key else [(Sym(owner.labels, m.fresh("static")), state)]


DESCRIPTORS: dict[str, Model] = {
    **{f"{owner}.{name}": _by_hand(name) for owner in ("flow.descriptor", *TYPES) for name in BY_HAND},
    "inspect.getattr_static": _static,
}
