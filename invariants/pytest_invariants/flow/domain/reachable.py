"""Which functions of the program a value may lead to, once somebody calls it or reads what it holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.terms import Term
from pytest_invariants.flow.domain.types import type_at
from pytest_invariants.flow.domain.values import (
    ANY,
    Bound,
    Class,
    Descriptor,
    Dict,
    Foreign,
    Func,
    Obj,
    Partial,
    Seq,
    Thunk,
    Tuple,
    Union,
    Value,
    Wrapped,
)

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

LABELLED = "<capability>"
"""What a value leads to that carries a capability itself."""
SURROUNDINGS = frozenset({"locals", "vars", "eval", "exec"})
"""Builtins by which a function may reach variables that it does not name."""
DEPTH = 6


def parts(m: Analysis, value: Value, state: State) -> Iterator[Value]:
    """What a value holds, one step down: elements, fields, arguments, the variables that a function closes over."""
    match value:
        case Tuple(items=items) | Union(options=items):
            yield from items
        case Seq() | Dict():
            cell = state.find(value.address)
            if cell is None and type_at(m, value.address) != ANY:
                cell = m.as_declared(value)
            for template in cell.templates if cell is not None else ():
                yield template.value
        case Obj():
            yield from (v for (address, _), v in fields_at(state, value.address))
        case Func():
            yield from (held for _, held in closed_over(value, state))
        case Bound():
            yield from (value.function, value.receiver)
        case Partial() | Thunk():
            yield from (value.function, *value.args, *(v for _, v in value.keywords))
            yield from (v for v in (value.more, value.options) if v is not None)
        case Wrapped() | Descriptor():
            yield value.function


def closed_over(function: Func, state: State) -> Iterator[tuple[str, Value]]:
    """The variables around a function that it names, and the defaults of its parameters."""
    inner = [frame for frame in function.chain if not frame.startswith("module ")]
    names = set(function.info.mentioned) if inner else set()
    for frame in inner:
        yield from ((n, v) for n, v in state.frame(frame).items() if n in names or names & SURROUNDINGS)
    yield from function.defaults


def fields_at(state: State, address: Term) -> Iterator[tuple[tuple[Term, str], Value]]:
    for one in (state, state.base):
        if one is not None:
            yield from ((key, v) for key, v in one.fields.items() if key[0] == address)


def leaves(m: Analysis, value: Value, state: State, depth: int = DEPTH) -> Iterator[Value]:
    """The value and all that it holds, no deeper than `depth` steps, each once."""
    seen = {value}
    stack = [(value, depth)]
    while stack:
        one, left = stack.pop()
        yield one
        for part in parts(m, one, state) if left else ():
            if part not in seen:
                seen.add(part)
                stack.append((part, left - 1))


class Held:
    """What values of the loaded world lead to. Answers are kept."""

    def __init__(self, m: Analysis) -> None:
        self.m = m
        self._fields: dict[Term, list[Value]] = {}
        for (address, _), value in m.world.fields.items():
            self._fields.setdefault(address, []).append(value)
        self._known: dict[Value, frozenset[str]] = {}

    def mentions(self, value: Value) -> frozenset[str]:
        if value not in self._known:
            self._known[value] = frozenset(text for one in self._leaves(value) for text in self._own(one))
        return self._known[value]

    def _leaves(self, value: Value) -> Iterator[Value]:
        seen, stack = {value}, [(value, DEPTH)]
        while stack:
            one, left = stack.pop()
            yield one
            inner = self._fields.get(one.address, ()) if isinstance(one, Obj) else parts(self.m, one, self.m.world)
            for part in inner if left else ():
                if part not in seen:
                    seen.add(part)
                    stack.append((part, left - 1))

    def _own(self, value: Value) -> Iterator[str]:
        if value.labels:
            yield LABELLED
        match value:
            case Func():
                yield value.info.reference
            case Class():
                yield f"class {value.info.reference}"
            case Obj():
                yield f"of {value.cls.reference}"
            case Foreign():
                yield f"name {value.path.rpartition('.')[2]}"


__all__ = ["LABELLED", "Held", "leaves", "parts"]
