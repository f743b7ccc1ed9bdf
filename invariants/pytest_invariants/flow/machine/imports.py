"""Imports: of the program's own modules, which are run abstractly when first imported, and of foreign names."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.calls import opened
from pytest_invariants.flow.domain.records import record
from pytest_invariants.flow.domain.scope import Scope, module_frame
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.values import Const, Foreign, Func, Module, Seq, Sym, Tuple, Value, union
from pytest_invariants.flow.machine import names
from pytest_invariants.flow.machine.machine import Arguments, Outcome, OutOfBudget, Raised
from pytest_invariants.verdict import Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


@record
class Later(Value):
    """`from module import name`, where the module is still being run (a cycle of imports)."""

    module: str = ""
    name: str = ""


def plain(m: Analysis, node: ast.Import, state: State, scope: Scope) -> list[Outcome]:
    for alias in node.names:
        parts = alias.name.split(".")
        for end in range(1, len(parts) + 1):
            m.load(".".join(parts[:end]))
        if alias.asname:
            names.assign(m, alias.asname, module_value(m, alias.name), state, scope)
        else:
            names.assign(m, parts[0], module_value(m, parts[0]), state, scope)
    _may_be_absent(m, state, [module_value(m, alias.name) for alias in node.names])
    return [Outcome("next", state)]


def selected(m: Analysis, node: ast.ImportFrom, state: State, scope: Scope) -> list[Outcome]:
    module = m.program.resolve_relative(scope.module, node.level, node.module)
    values = []
    for alias in node.names:
        if alias.name == "*":
            _star(m, module, state, scope)
            continue
        value = member(m, module, alias.name, state)
        values.append(value)
        names.assign(m, alias.asname or alias.name, value, state, scope)
        _handed_on(m, (module_frame(module), alias.name), alias.asname or alias.name, state, scope)
    _may_be_absent(m, state, values)
    return [Outcome("next", state)]


def for_annotations(m: Analysis, body: list[ast.stmt], scope: Scope) -> None:
    """Imports that a type checker alone makes: the names are known later, and no module is run for them."""
    for node in (statement for statement in body if isinstance(statement, ast.ImportFrom)):
        module = m.program.resolve_relative(scope.module, node.level, node.module)
        inside = m.program.has(module) or m.program.is_package_prefix(module)
        for alias in (a for a in node.names if a.name != "*"):
            foreign = Foreign(path=f"{module}.{alias.name}")
            value = Later(module=module, name=alias.name) if inside else foreign
            names.assign(m, alias.asname or alias.name, value, m.world, scope)


def _may_be_absent(m: Analysis, state: State, values: list[Value]) -> None:
    """An optional package: the handler of `ImportError` is another way on."""
    if m.may_catch and any(isinstance(value, Foreign) for value in values):
        m.throw(Raised(state.fork(), "builtins.ImportError"))


def module_value(m: Analysis, name: str) -> Value:
    return Module(name=name) if m.load(name) else Foreign(path=name)


def member(m: Analysis, module: str, name: str, state: State) -> Value:
    """What `from module import name` gives."""
    if not m.load(module):
        return Foreign(path=f"{module}.{name}")
    value = state.frame(module_frame(module)).get(name)
    if value is not None:
        return resolve(m, value, state)
    if m.load(f"{module}.{name}"):
        return Module(name=f"{module}.{name}")
    if m.loaded.get(module) is False:
        return Later(module=module, name=name)
    getter = state.frame(module_frame(module)).get("__getattr__")
    results = _given_by(m, getter, name, state, module) if isinstance(getter, Func) else []
    return union(results) if results else Sym(term=m.fresh(f"{module}.{name}"), why=Reason.DYNAMIC_ATTRIBUTE)


def _given_by(m: Analysis, getter: Func, name: str, state: State, module: str) -> list[Value]:
    """What a module's `__getattr__` gives. Names are looked up at any time: what was run before counts for none of it."""
    held, m.steps = m.steps, 0
    try:
        arguments = Arguments((Const(value=name),))
        return [made for made, _ in m.call(getter, arguments, state, m.scope_of_module(module), getter.info.node)]
    except OutOfBudget:
        return []
    finally:
        m.steps = held


def resolve(m: Analysis, value: Value, state: State) -> Value:
    """Follow a name that was imported before its module had run."""
    for _ in range(8):
        if not isinstance(value, Later):
            return value
        found = state.frame(module_frame(value.module)).get(value.name)
        if found == value and m.load(f"{value.module}.{value.name}"):
            return Module(name=f"{value.module}.{value.name}")  # `from . import part`, in the package itself
        if found is None:
            return member(m, value.module, value.name, state) if m.loaded.get(value.module) else value
        value = found
    return value


def _star(m: Analysis, module: str, state: State, scope: Scope) -> None:
    if not m.load(module):
        return
    frame = state.frame(module_frame(module))
    exported = _exported(frame.get("__all__"), state)
    for name, value in list(frame.items()):
        if name in exported if exported is not None else not name.startswith("_"):
            names.assign(m, name, value, state, scope)
            _handed_on(m, (module_frame(module), name), name, state, scope)


def _handed_on(m: Analysis, source: tuple[str, str], name: str, state: State, scope: Scope) -> None:
    """What unknown code may have bound anew is no better known where it is imported."""
    if scope.info is None:
        m.opened.handed_on(source, (scope.frame, name))
    else:
        opened.note_import(m, *source, state)


def _exported(value: Value | None, state: State) -> set[str] | None:
    """The names in `__all__`; None where there is none."""
    if isinstance(value, Tuple):
        items = list(value.items)
    elif isinstance(value, Seq):
        items = [t.value for t in state.cell(value.address).templates]
    else:
        return None
    return {str(item.value) for item in items if isinstance(item, Const)}
