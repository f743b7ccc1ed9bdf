"""Lists that modules append to while they are loaded: in which order, and whether a surface's own module sees to it.

A module that nobody imports appends nothing. What another module has appended stands in the list for sure only where the
surface's module imports that one at its top level, directly or through others.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.limits import UNROLLED
from pytest_invariants.flow.domain.state import Cell, State
from pytest_invariants.flow.domain.values import Seq

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def appended(m: Analysis, receiver: Seq, before: Cell, state: State) -> None:
    """While modules are loaded something was appended to a list of which all elements are known: they still are."""
    after = state.cell(receiver.address)
    grown = len(after.templates) == len(before.templates) + 1 <= UNROLLED
    empty = before.closed and not (before.templates or before.filled or before.lazy)
    if receiver.kind == "list" and grown and (before.exact or empty):
        state.heap[receiver.address] = replace(after, exact=True)
        m.appended.setdefault(receiver.address, set()).update(m.running[-1:])


def by_others(m: Analysis, module: str, state: State) -> None:
    """Lists of which it is not sure, for a surface in this module, that they hold what another module appends."""
    if not m.appended:
        return
    surely = m.surely_loaded.get(module)
    if surely is None:
        surely = m.surely_loaded[module] = surely_loaded(m, module)
    for address, modules in m.appended.items():
        cell = state.find(address)
        if cell is not None and cell.exact and not modules <= surely:
            state.heap[address] = replace(cell, exact=False)


def surely_loaded(m: Analysis, module: str) -> set[str]:
    """The modules that have run once this one has."""
    found: set[str] = set()
    stack = [module]
    while stack:
        name = stack.pop()
        if name not in found and m.program.has(name):
            found.add(name)
            stack += _imports(m, name)
    return found


def _imports(m: Analysis, name: str) -> Iterator[str]:
    tree = m.program.tree(name)
    yield from _parents(name)
    for node in tree.body if tree is not None else ():
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    yield from (*_parents(alias.name), alias.name)
            case ast.ImportFrom(module=module, names=aliases, level=level):
                base = m.program.resolve_relative(name, level, module)
                yield from (*_parents(base), base, *(f"{base}.{alias.name}" for alias in aliases))


def _parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts))]
