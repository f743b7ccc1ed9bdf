"""`await`, `yield` and `yield from`: where a call that is pending goes on."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.machine import Raised, Results
from pytest_invariants.flow.scope import Scope
from pytest_invariants.flow.state import State
from pytest_invariants.flow.values import NONE, Seq, Sym, Thunk

if TYPE_CHECKING:
    from pytest_invariants.flow.analysis import Analysis


def awaited(m: Analysis, node: ast.Await, state: State, scope: Scope) -> Results:
    from pytest_invariants.flow.thunks import await_value

    return [
        pair
        for value, after in m.evaluate(node.value, state, scope)
        for pair in await_value(m, value, after, scope, node)
    ]


def yielded(m: Analysis, node: ast.Yield, state: State, scope: Scope) -> Results:
    from pytest_invariants.flow.expressions import split

    results: Results = []
    for value, after in m.evaluate(node.value, state, scope) if node.value else [(NONE, state)]:
        resumed = m.yields[-1](value, after, scope) if m.yields else None
        sent = m.sent if m.sent is not None else Sym(term=m.fresh("sent"))
        for going in [after] if resumed is None else resumed:
            if m.thrown:
                m.throw(Raised(going.fork(), "builtins.Exception"))
            results.append((sent, going))
    return [pair for value, end in results for pair in split(value, end)]


def yielded_from(m: Analysis, node: ast.YieldFrom, state: State, scope: Scope) -> Results:
    from pytest_invariants.flow.asking import may_ask
    from pytest_invariants.flow.thunks import RETURNED, continued, drained

    results: Results = []
    for value, middle in m.evaluate(node.value, state, scope):
        inner = continued(m, value, middle, scope, node) if may_ask(m, value) else None
        if inner is not None:
            results += inner
            continue
        source = drained(m, value, middle) if isinstance(value, Thunk) else value
        for element, after in m.iterate(source, middle.fork(), scope, node):
            if m.yields:
                m.yields[-1](element, after, scope)
        returned = middle.field(source.address, RETURNED) if isinstance(source, Seq) else None
        results.append((returned or Sym(term=m.fresh("result")), middle))
    return results
