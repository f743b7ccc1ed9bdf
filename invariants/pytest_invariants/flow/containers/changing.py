"""Calls that change a collection in a way of their own: what may have been put in, and that nothing stands where it stood."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import containers
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State, Template, lives_on
from pytest_invariants.flow.domain.terms import Applied, Field, Term
from pytest_invariants.flow.domain.values import NONE, Const, Dict, Label, Seq, Sym, Tuple, Value
from pytest_invariants.flow.machine.machine import Arguments, Results
from pytest_invariants.verdict import Place, Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

FUNCTIONS = frozenset({
    "random.shuffle", "heapq.heapify", "heapq.heappush", "heapq.heappop", "heapq.heapreplace", "heapq.heappushpop",
    "bisect.insort", "bisect.insort_left", "bisect.insort_right", "operator.setitem", "operator.delitem", "operator.iadd",
    "operator.ior", "operator.iand", "operator.ixor", "operator.isub", "operator.imul", "operator.iconcat",
})  # fmt: skip
"""Functions of the standard library that change the first collection that they are given."""
METHODS = frozenset({"shuffle", "readinto", "readinto1"})
"""Methods of its objects that change what they are given."""
PURE = frozenset({
    "index", "count", "copy", "issubset", "issuperset", "isdisjoint", "most_common", "elements", "total", "symmetric_difference",
    "tolist", "keys", "values", "items", "get", "__len__", "__iter__", "__reversed__", "__contains__", "__eq__", "__ne__", "__lt__",
    "__le__", "__gt__", "__ge__", "__add__", "__radd__", "__mul__", "__rmul__", "__or__", "__ror__", "__and__", "__rand__", "__sub__",
    "__rsub__", "__xor__", "__rxor__", "__repr__", "__str__", "__hash__", "__bool__", "__class__", "__sizeof__", "__format__",
})  # fmt: skip
"""Methods of collections that leave them as they are."""


def disorder(m: Analysis, value: Value, state: State) -> None:
    """Nothing in the collection is known to stand where it stood."""
    if isinstance(value, Seq | Dict):
        state.forget(value.address)
        cell = containers.contents(m, value, state)
        state.heap[value.address] = replace(cell, source=None, whole=False, filled=False, exact=False, before=None)


def changed(m: Analysis, value: Value, given: tuple[Value, ...], state: State) -> None:
    """The collection may hold what the call was given, or what that holds."""
    if isinstance(value, Seq):
        for one in given:
            if isinstance(one, Seq | Dict | Tuple):
                containers.extend(m, value.address, one, state)
            elif not isinstance(one, Const) or isinstance(one.value, str):
                containers.put_in(m, value.address, one, state)
    elif isinstance(value, Dict):
        _changed_entries(m, value, given, state)
    disorder(m, value, state)


def _changed_entries(m: Analysis, value: Dict, given: tuple[Value, ...], state: State) -> None:
    for one in given:
        if isinstance(one, Dict):
            containers.update(m, value, one, state)
        else:
            containers.put_key(m, value.address, Sym(term=m.fresh("key")), one, state)


def by_function(m: Analysis, arguments: Arguments, state: State) -> None:
    first, *others = arguments.every() or (NONE,)
    changed(m, first, tuple(others), state)


def set_item(m: Analysis, receiver: Value, arguments: Arguments, state: State, _s: Scope, _n: ast.AST) -> Results:
    """`x.__setitem__(key, value)`."""
    key, value = arguments.positional[:2]
    if isinstance(receiver, Dict):
        containers.put_key(m, receiver.address, key, value, state)
    else:
        changed(m, receiver, (value,), state)
    return [(NONE, state)]


def by_others(m: Analysis, function: Term, of_library: bool, given: tuple[Value, ...], state: State) -> None:
    """A function of another package may turn a collection round; one of the library does where it says so."""
    named = isinstance(function, Field) and function.name in METHODS
    for value in given if named or not of_library else ():
        if isinstance(value, Seq | Dict) and not lives_on(value.address):
            disorder(m, value, state)


def spoil(given: tuple[Value, ...], state: State, at: Place, why: Reason) -> None:
    """What is not followed may put anything into a collection that it is given."""
    for value in given:
        if isinstance(value, Seq | Dict) and not lives_on(value.address):
            unseen = Label(-1, Applied("unseen", (value.address,)), at, doubt=why)
            some = Sym(frozenset({unseen}), Applied("put in", (value.address,)))
            key = Sym(term=Applied("key put in", (value.address,))) if isinstance(value, Dict) else None
            state.add(value.address, Template(some, key=key))
            state.note_loss(value.address)
