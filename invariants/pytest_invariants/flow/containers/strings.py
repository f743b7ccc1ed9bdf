"""Methods of strings that take them apart, or put them together."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.terms import Applied
from pytest_invariants.flow.domain.values import STR, Seq, Sym, Tuple, Type, Value, term_of
from pytest_invariants.flow.machine.machine import Arguments, Results

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

Model = Callable[["Analysis", Value, Arguments, State, Scope, ast.AST], Results]


def _join_text(
    m: Analysis, receiver: Value, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST
) -> Results:
    from pytest_invariants.flow.containers.methods import computed

    return [(computed(m, "join", receiver, arguments, state, STR), state)]


def _split(m: Analysis, receiver: Value, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    term = Applied("split", (term_of(receiver), *(term_of(v) for v in arguments.positional)))
    m.types.setdefault(term, Type("list", args=(STR,)))
    return [(Seq(receiver.labels, term), state)]


def _partition(
    m: Analysis, receiver: Value, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST
) -> Results:
    term = Applied("partition", (term_of(receiver), *(term_of(v) for v in arguments.positional)))
    parts = tuple(Sym(receiver.labels, Applied(part, (term,)), STR) for part in ("head", "separator", "tail"))
    return [(Tuple(items=parts), state)]


OF_STRINGS: dict[str, Model] = {
    "join": _join_text, "split": _split, "rsplit": _split, "splitlines": _split, "partition": _partition,
    "rpartition": _partition,
}  # fmt: skip
