"""Records as plain values, and plain values as records: `asdict`, `astuple`, `SimpleNamespace`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import containers
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.terms import Applied
from pytest_invariants.flow.domain.values import Const, Dict, Obj, Seq, Sym, Tuple, Union, Value, term_of, union
from pytest_invariants.flow.machine.machine import Arguments, Results
from pytest_invariants.flow.seal.granting import deep_labels

if TYPE_CHECKING:
    from pytest_invariants.flow.library.models import Model
    from pytest_invariants.flow.machine.analysis import Analysis

NAMESPACE = "types.SimpleNamespace"


def _as_dict(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """`asdict`: a dictionary of its own with what the fields hold."""
    held = _held(m, arguments, state, scope, node)
    if held is None:
        return _unknown(m, arguments, state)
    new = Dict(address=m.allocate(state))
    state.heap[new.address] = containers.EMPTY
    for name, value in held.items():
        containers.put_entry(m, new.address, Const(value=name), value, state)
    containers.known_in_full(new, len(held), state)
    return [(new, state)]


def _as_tuple(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    held = _held(m, arguments, state, scope, node)
    return _unknown(m, arguments, state) if held is None else [(Tuple(items=tuple(held.values())), state)]


def _held(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> dict[str, Value] | None:
    """What the fields hold, where none of them is a record itself, or holds some."""
    record = arguments.positional[0]
    if m.past or not isinstance(record, Obj) or len(arguments.every()) > 1:
        return None
    names = [n for n in record.cls.field_names() if record.cls.lookup(n) is None or not _is_method(record, n)]
    found = {name: [value for value, _ in m.attribute(record, name, state, scope, node)] for name in names}
    if not names or any(not values or any(_nested(m, v, state) for v in values) for values in found.values()):
        return None
    return {name: union(values) for name, values in found.items()}


def _is_method(record: Obj, name: str) -> bool:
    found = record.cls.lookup(name)
    return found is not None and not isinstance(found[1], Const | Sym | Tuple | Seq | Dict)


def _nested(m: Analysis, value: Value, state: State) -> bool:
    match value:
        case Obj():
            return True
        case Union():
            return any(_nested(m, option, state) for option in value.options)
        case Seq() | Dict() | Tuple():
            return any(isinstance(t.value, Obj) for t in containers.elements_of(m, value, state))
        case _:
            return False


def _unknown(m: Analysis, arguments: Arguments, state: State) -> Results:
    labels = deep_labels(m, arguments.positional[0], state, objects=True)
    return [(Sym(labels, Applied("asdict", (term_of(arguments.positional[0]),))), state)]


def _namespace(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """`SimpleNamespace(a=b)`: an object with these attributes."""
    from pytest_invariants.flow.library.library import assumed

    new = assumed(m, NAMESPACE, arguments, state, scope, node)
    if isinstance(new, Sym) and not arguments.positional and not m.past:
        for name, value in arguments.keywords:
            state.set_field(new.term, name, value)
    return [(new, state)]


RECORDS: dict[str, Model] = {
    "dataclasses.asdict": _as_dict,
    "dataclasses.astuple": _as_tuple,
    NAMESPACE: _namespace,
}
