"""Lists and tables of functions that modules fill while they are loaded: in which order, and whether a surface's own module sees to it.

What is added inside of a `try` may not have been. A module that nobody imports adds nothing. What another module has added stands
there for sure only where the surface's module imports that one at its top level, directly or through others.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.limits import UNROLLED
from pytest_invariants.flow.domain.state import Cell, State
from pytest_invariants.flow.domain.terms import Applied, Term
from pytest_invariants.flow.domain.values import Bound, Const, Dict, Func, Partial, Seq, Wrapped

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def appended(m: Analysis, receiver: Seq, before: Cell, state: State) -> None:
    """While modules are loaded something was appended to a list of which all elements are known: they still are."""
    after = state.cell(receiver.address)
    grown = len(after.templates) == len(before.templates) + 1 <= UNROLLED
    if receiver.kind == "list" and grown and (before.exact or _is_empty(before)) and not m.may_catch:
        state.heap[receiver.address] = replace(after, exact=True)
        m.appended.setdefault(receiver.address, set()).update(m.running[-1:])


FUNCTIONS = (Func, Bound, Partial, Wrapped)
"""What a table of hooks holds; which other objects a table holds is the deployment's affair."""


def displayed(new: Dict, entries: int, state: State) -> None:
    """A table of functions that a module writes down."""
    cell = state.cell(new.address)
    if len(cell.templates) == entries and _is_known(cell):
        state.heap[new.address] = replace(cell, exact=True)


def entered(m: Analysis, address: Term, before: Cell | None, state: State) -> None:
    """While modules are loaded an entry was set in a table of functions all of which are known: they still are."""
    after = state.cell(address)
    if before is not None and (before.exact or _is_empty(before)) and _is_known(after) and not m.may_catch:
        state.heap[address] = replace(after, exact=True)
        m.appended.setdefault(address, set()).update(m.running[-1:])


def inserted(m: Analysis, address: Term, before: Cell, state: State) -> None:
    """The same of what was put before all others in a list."""
    after = state.cell(address)
    new = [template for template in after.templates if template not in before.templates]
    if len(new) == 1 and len(after.templates) <= UNROLLED and (before.exact or _is_empty(before)) and not m.may_catch:
        state.heap[address] = replace(after, templates=(*new, *before.templates), exact=True, before=None)
        m.appended.setdefault(address, set()).update(m.running[-1:])


def _is_known(cell: Cell) -> bool:
    keys = [t.key.value for t in cell.templates if isinstance(t.key, Const) and isinstance(t.key.value, str)]
    functions = all(isinstance(template.value, FUNCTIONS) for template in cell.templates)
    return functions and 0 < len(cell.templates) <= UNROLLED and len(cell.templates) == len({*keys})


def _is_empty(cell: Cell) -> bool:
    return cell.closed and not (cell.templates or cell.filled or cell.lazy)


def uncertain(address: Term, state: State) -> None:
    """Whether all that the collection holds is there, and in which order, is not known."""
    state.heap[address] = replace(state.cell(address), exact=False)
    for part in ("keys", "values", "items"):
        if state.find(view := Applied(part, (address,))) is not None:
            state.heap[view] = None


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
            uncertain(address, state)


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
