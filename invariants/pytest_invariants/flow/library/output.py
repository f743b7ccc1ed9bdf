"""What is printed, and where it goes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import holding
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.terms import Named
from pytest_invariants.flow.domain.values import NO_LABELS, NONE, Thunk, term_of
from pytest_invariants.flow.machine.machine import Arguments, Results

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def printed(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    """What is printed stands in the file that it is printed to, or in whatever the output was directed to."""
    target = arguments.named("file")
    directed = state.field(STDOUT, "<to>")
    for file in (target, directed):
        if file is not None:
            holding.hold(m, term_of(file), arguments.positional, state)
    return [(NONE, state)]


def redirected(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    target = arguments.positional[0] if arguments.positional else NONE
    state.fields[STDOUT, "<to>"] = target
    return [(Thunk(NO_LABELS, "null", m.number(state), NONE, (target,), (), scope.at(node)), state)]


STDOUT = Named("sys.stdout")
