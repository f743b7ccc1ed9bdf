"""Changes in place that are no method calls: `x += y`, `operator.setitem(x, k, v)`, `dict.update(x, y)`."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import containers
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.values import NONE, Const, Dict, Foreign, Method, Obj, Partial, Seq, Sym, Value
from pytest_invariants.flow.machine import deleting, targets
from pytest_invariants.flow.machine.machine import Arguments, Results
from pytest_invariants.flow.objects import implicit, namespaces

if TYPE_CHECKING:
    from pytest_invariants.flow.library.models import Model
    from pytest_invariants.flow.machine.analysis import Analysis


def augmented(
    m: Analysis, op: ast.operator, old: Value, more: Value, state: State, scope: Scope, node: ast.AST
) -> bool:
    """`old op= more` where the left side stays the object that it is."""
    if isinstance(old, Seq) and isinstance(op, ast.Add | ast.BitOr):
        containers.extend(m, old.address, more, state)
    elif isinstance(old, Dict) and isinstance(op, ast.BitOr):
        containers.update(m, old, more, state)
    elif isinstance(old, Sym) and old.term in m.namespaces and isinstance(op, ast.BitOr):
        namespaces.call_method(m, "update", Arguments((old, more)), state, scope, node)
    else:
        return False
    return True


def _operated(op: type[ast.operator]) -> Model:
    return partial(_in_place, op)


def _in_place(
    op: type[ast.operator], m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST
) -> Results:
    from pytest_invariants.flow.machine.expressions import combine

    old, more = arguments.positional[:2]
    made = implicit.operated(m, op(), old, more, state, scope, node, "i")
    if made is not None:
        return made
    if augmented(m, op(), old, more, state, scope, node):
        return [(old, state)]
    return [(combine(m, op(), old, more, state), state)]


def _set_item(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    owner, key, value = arguments.positional[:3]
    return [(NONE, end) for end in targets.set_item(m, owner, key, scope, node, value, state)]


def _delete_item(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    owner, key = arguments.positional[:2]
    return [(NONE, end) for end in deleting.entry(m, owner, key, state, scope, node)]


def _set_attribute(m: Analysis, arguments: Arguments, state: State, scope: Scope, _node: ast.AST) -> Results:
    target, name, value = arguments.positional[:3]
    namespaces.write(m, target, name, value, state, scope)
    return [(NONE, state)]


def _delete_attribute(m: Analysis, arguments: Arguments, state: State, scope: Scope, _node: ast.AST) -> Results:
    owner, name = arguments.positional[:2]
    if isinstance(name, Const) and isinstance(name.value, str):
        return [(NONE, deleting.attribute(m, owner, name.value, state, scope))]
    namespaces.remove(m, owner, name, state, scope)
    return [(NONE, state)]


UNBOUND = ("builtins.dict.", "builtins.list.", "builtins.set.", "collections.OrderedDict.", "collections.UserDict.")


def method_of(m: Analysis, path: str, arguments: Arguments) -> tuple[Value, Arguments] | None:
    """`dict.update(x, y)` as `x.update(y)`."""
    name = path.rpartition(".")[2]
    if not path.startswith(UNBOUND) or not arguments.positional or name in ("fromkeys", "__init__", "__new__"):
        return None
    owner, *given = arguments.positional
    rest = Arguments(tuple(given), arguments.keywords, arguments.more, arguments.options)
    match owner:
        case Dict() | Seq():
            return Method(owner.labels, owner, name), rest
        case Sym() if owner.term in m.namespaces and name in namespaces.METHODS:
            return namespaces.method(owner, name), rest
        case Obj() if owner.cls.foreign_bases():
            return Partial(function=Foreign(path="flow.inherited"), args=(owner, Const(value=name))), rest
        case _:
            return None


IN_PLACE: dict[str, Model] = {
    "operator.setitem": _set_item,
    "operator.delitem": _delete_item,
    "operator.ior": _operated(ast.BitOr),
    "operator.iadd": _operated(ast.Add),
    "operator.iconcat": _operated(ast.Add),
    **dict.fromkeys(
        (
            "builtins.setattr", "object.__setattr__", "type.__setattr__", "builtins.type.__setattr__",
            "builtins.object.__setattr__",
        ),
        _set_attribute,
    ),
    **dict.fromkeys(("builtins.delattr", "builtins.object.__delattr__", "object.__delattr__"), _delete_attribute),
}  # fmt: skip
