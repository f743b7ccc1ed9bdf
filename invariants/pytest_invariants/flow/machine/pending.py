"""`await`, `yield` and `yield from`: where a call that is pending goes on."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.calls import meanwhile
from pytest_invariants.flow.domain.outcomes import CLOSED
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.values import NONE, Seq, Sym, Thunk
from pytest_invariants.flow.machine.machine import Raised, Results
from pytest_invariants.flow.machine.reading import split
from pytest_invariants.flow.relevance.syntax import names_in
from pytest_invariants.program.code import FunctionInfo, own_nodes

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


ENDS = frozenset({"GeneratorExit", "BaseException"})


def awaited(m: Analysis, node: ast.Await, state: State, scope: Scope) -> Results:
    from pytest_invariants.flow.calls.thunks import await_value

    found: Results = []
    for value, after in m.evaluate(node.value, state, scope):
        epoch = after.epoch
        found += meanwhile.waited(m, await_value(m, value, after, scope, node), epoch, scope, node)
    return found


def yielded(m: Analysis, node: ast.Yield, state: State, scope: Scope) -> Results:
    results: Results = []
    for value, after in m.evaluate(node.value, state, scope) if node.value else [(NONE, state)]:
        resumed = m.yields[-1](value, after, scope) if m.yields else None
        sent = m.sent if m.sent is not None else Sym(term=m.fresh("sent"))
        for going in [after] if resumed is None else resumed:
            if m.thrown:
                m.throw(Raised(going.fork(), "builtins.Exception"))
            if m.closable and scope.info is not None and _minds_its_end(scope.info):
                m.throw(Raised(going.fork(), CLOSED))
            results.append((sent, going))
    return [pair for value, end in results for pair in split(value, end)]


def _minds_its_end(info: FunctionInfo) -> bool:
    """Whether the generator has a handler that takes what comes up where it is closed."""
    handlers = [node for node in own_nodes(info.node) if isinstance(node, ast.ExceptHandler)]
    return any(one.type is None or ENDS & names_in(one.type) for one in handlers)


def yielded_from(m: Analysis, node: ast.YieldFrom, state: State, scope: Scope) -> Results:
    from pytest_invariants.flow.calls.thunks import RETURNED, continued, drained
    from pytest_invariants.flow.relevance.asking import may_ask

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
