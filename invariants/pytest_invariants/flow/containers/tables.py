"""Models of what shows dictionaries without holding anything itself: proxies, and chains; and of counters."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import containers, tallies
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.terms import Applied
from pytest_invariants.flow.domain.values import Const, Dict, Seq, Sym, Type, term_of
from pytest_invariants.flow.library.models import BUILTINS, Model, iterable
from pytest_invariants.flow.machine.machine import Arguments, Results

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def _shown(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """A view of a whole dictionary shows whatever is in it: it is as good as the dictionary itself."""
    first = arguments.positional[0] if arguments.positional else None
    return [(first, state)] if isinstance(first, Dict) else BUILTINS["builtins.dict"](m, arguments, state, scope, node)


def _chained(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """The first dictionary that has the key gives it, whatever they hold by then."""
    parts = [part for part in arguments.positional if isinstance(part, Dict)]
    if len(parts) < max(2, len(arguments.positional)) or arguments.more is not None:
        last_first = replace(arguments, positional=arguments.positional[::-1])
        return _shown(m, last_first, state, scope, node)
    return [(containers.chained(m, parts, state), state)]


def _counter(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """`Counter`: how often each element comes; of one that never came it says 0, and does not keep it."""
    new = Dict(address=m.allocate(state))
    state.heap[new.address] = containers.EMPTY
    m.counters.setdefault(new.address, None)
    for source in arguments.positional:
        rows = containers.elements_of(m, iterable(m, source, state, scope, node), state)
        for row in rows:
            count = Sym(term=Applied("count", (new.address, term_of(row.value))), type=Type("int"))
            state.put(new.address, replace(row, value=count, key=row.value, about=None), replaces=False)
    for name, value in arguments.keywords:
        containers.put_key(m, new.address, Const(value=name), value, state)
    given = arguments.every()
    if len(given) == 1 and isinstance(given[0], Seq):
        tallies.noted(m, new, given[0], state)
    return [(new, state)]


TABLES: dict[str, Model] = {
    "types.MappingProxyType": _shown,
    "collections.ChainMap": _chained,
    "collections.Counter": _counter,
}
