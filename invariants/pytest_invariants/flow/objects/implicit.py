"""Special methods: what operators, comparisons, texts and truth tests call in a class of the program."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State, Template
from pytest_invariants.flow.domain.terms import Element
from pytest_invariants.flow.domain.values import (
    NO_LABELS,
    NONE,
    Class,
    Cond,
    Const,
    Descriptor,
    Dict,
    Func,
    Labels,
    Obj,
    Seq,
    Sym,
    Tuple,
    Type,
    Value,
    Wrapped,
)
from pytest_invariants.flow.machine.comprehensions import keep
from pytest_invariants.flow.machine.machine import Arguments, Results
from pytest_invariants.flow.seal.granting import deep_labels, settle
from pytest_invariants.program.code import ClassInfo

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.MatMult: "matmul", ast.Div: "truediv", ast.FloorDiv: "floordiv",
    ast.Mod: "mod", ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitOr: "or", ast.BitAnd: "and",
    ast.BitXor: "xor",
}  # fmt: skip
UNARY: dict[type[ast.unaryop], str] = {ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Invert: "__invert__"}
COMPARED = {
    "==": ("__eq__", "__eq__"), "!=": ("__ne__", "__ne__"), "<": ("__lt__", "__gt__"), "<=": ("__le__", "__ge__"),
    ">": ("__gt__", "__lt__"), ">=": ("__ge__", "__le__"),
}  # fmt: skip
TEXTS = ("__str__", "__repr__", "__format__")


def defines(value: Value, name: str) -> bool:
    """Whether the value is an instance whose class writes the special method itself."""
    found = value.cls.lookup(name) if isinstance(value, Obj) else None
    return found is not None and isinstance(found[1], Func | Wrapped)


def special(
    m: Analysis, value: Value, name: str, given: tuple[Value, ...], state: State, scope: Scope, node: ast.AST
) -> Results:
    return [
        pair
        for method, ready in m.attribute(value, name, state, scope, node)
        for pair in m.call(method, Arguments(given), ready, scope, node)
    ]


def operated(
    m: Analysis, op: ast.operator, left: Value, right: Value, state: State, scope: Scope, node: ast.AST, place: str = ""
) -> Results | None:
    """`left op right` by the method of an operand; `place` is `i` for an operator that changes its left side."""
    name = OPERATORS[type(op)]
    for wanted in dict.fromkeys((f"__{place}{name}__", f"__{name}__")):
        if defines(left, wanted):
            return special(m, left, wanted, (right,), state, scope, node)
    if defines(right, f"__r{name}__"):
        return special(m, right, f"__r{name}__", (left,), state, scope, node)
    return None


def compared(
    m: Analysis, operator: str, left: Value, right: Value, state: State, scope: Scope, node: ast.AST
) -> Results | None:
    if operator in ("in", "not in"):
        if not defines(right, "__contains__"):
            return None
        return _turned(special(m, right, "__contains__", (left,), state, scope, node), operator == "not in")
    if operator not in COMPARED:
        return None
    own, mirrored = COMPARED[operator]
    for one, other, name in ((left, right, own), (right, left, mirrored)):
        if defines(one, name):
            return special(m, one, name, (other,), state, scope, node)
        if operator == "!=" and defines(one, "__eq__"):
            return _turned(special(m, one, "__eq__", (other,), state, scope, node), True)
    return None


def _turned(results: Results, negative: bool) -> Results:
    return [(Cond(NO_LABELS, "not", (value,)) if negative else value, after) for value, after in results]


def truth(m: Analysis, value: Obj, wanted: bool, state: State, scope: Scope) -> list[State] | None:
    """The states in which the instance counts as true (or false), where its class says which."""
    node = m.stand_in(scope.here)
    for name in ("__bool__", "__len__"):
        if defines(value, name):
            results = special(m, value, name, (), state, scope, node)
            return [end for answer, after in results for end in m.assume(answer, wanted, after, scope)]
    return None


def as_text(m: Analysis, values: Sequence[Value], state: State, scope: Scope, node: ast.AST, depth: int = 3) -> Labels:
    """What gets into a text with these values, by the methods that write instances of the program out."""
    found = NO_LABELS
    for value in values:
        names = [name for name in TEXTS if defines(value, name)]
        if isinstance(value, Obj) and names and not any(i.name in names and i.owner in value.cls.mro for i in m.stack):
            given = {"__format__": (Const(value=""),)}
            for name in names:
                for made, end in special(m, value, name, given.get(name, ()), state.fork(), scope, node):
                    found |= settle(m, deep_labels(m, made, end), end.facts, end)
                    keep(m, state, end)
        elif depth and isinstance(value, Seq | Dict | Tuple):
            from pytest_invariants.flow.containers.containers import elements_of

            inner = [t.value for t in elements_of(m, value, state) if isinstance(t.value, Obj | Tuple | Seq | Dict)]
            found |= as_text(m, inner, state, scope, node, depth - 1)
    return found


def stepped(m: Analysis, value: Value, state: State, scope: Scope, node: ast.AST) -> Results | None:
    """One element of an instance that is an iterator itself, or is iterated by numbers; of a named tuple any field."""
    for name in ("__next__", "__anext__"):
        if defines(value, name):
            from pytest_invariants.flow.calls.thunks import await_value

            results = special(m, value, name, (), state, scope, node)
            return [pair for made, after in results for pair in await_value(m, made, after, scope, node)]
    if defines(value, "__getitem__") and not defines(value, "__iter__"):
        return special(m, value, "__getitem__", (Sym(term=m.fresh("number"), type=Type("int")),), state, scope, node)
    if isinstance(value, Obj) and value.cls.is_namedtuple and not defines(value, "__iter__"):
        return [
            pair for name in value.cls.field_names() for pair in m.attribute(value, name, state.fork(), scope, node)
        ]
    return None


def all_steps(m: Analysis, value: Value, state: State, scope: Scope, node: ast.AST) -> list[Template] | None:
    """The elements that such an instance gives, each standing for all of its kind."""
    from pytest_invariants.flow.calls.thunks import standing_for_all

    held = state.draws
    results = stepped(m, value, state.fork(), scope, node)
    if results is None:
        return None
    found = []
    for made, after in results:
        found.append(standing_for_all(m, Template(made, after.facts), held))
        keep(m, state, after)
    return found


def assigned(
    m: Analysis, owner: Value, name: str, value: Value, state: State, scope: Scope, node: ast.AST
) -> list[State] | None:
    """The states after `owner.name = value` where the class has a say in it: a setter, a descriptor, `__setattr__`."""
    if not isinstance(owner, Obj):
        return None
    hook = owner.cls.lookup("__setattr__")
    if hook is not None and isinstance(hook[1], Func) and hook[1].info not in m.stack:
        results = special(m, owner, "__setattr__", (Const(value=name), value), state, scope, node)
        return [after for _, after in results]
    found = owner.cls.lookup(name)
    held = found[1] if found is not None else None
    if isinstance(held, Descriptor) and held.setter is not None:
        return [after for _, after in m.call(held.setter, Arguments((owner, value)), state, scope, node)]
    if held is not None and defines(held, "__set__"):
        return [after for _, after in special(m, held, "__set__", (owner, value), state, scope, node)]
    return None


def metaclass(m: Analysis, cls: ClassInfo) -> ClassInfo | None:
    """The program's class that makes this class, if there is one."""
    for one in cls.mro:
        for keyword in one.node.keywords:
            if keyword.arg == "metaclass":
                values = m.evaluate_quietly(keyword.value, m.world, m.scope_of_class(one))
                return next((v.info for v, _ in values if isinstance(v, Class)), None)
    return None


def of_metaclass(
    m: Analysis, receiver: Class, name: str, given: Arguments, state: State, scope: Scope, node: ast.AST
) -> Results | None:
    meta = metaclass(m, receiver.info)
    found = meta.lookup(name) if meta is not None else None
    if found is None or not isinstance(found[1], Func) or found[1].info in m.stack:
        return None
    return m.call(found[1], replace(given, positional=(receiver, *given.positional)), state, scope, node)


__all__ = ["NONE", "Element", "all_steps", "as_text", "assigned", "compared", "operated", "stepped", "truth"]
