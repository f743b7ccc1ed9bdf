"""Functions that bind names of a module anew which their text does not tell: whoever may call them, and whenever."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_invariants.flow.calls.opened import INNARDS
from pytest_invariants.flow.domain.scope import Scope, module_frame
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.values import Bound, Class, Foreign, Func, Module, Partial, Sym, Value, Wrapped
from pytest_invariants.program.code import bound_names, own_nodes
from pytest_invariants.source.files import searched
from pytest_invariants.source.marks import holds, marked
from pytest_invariants.verdict import Place, Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

Function = ast.FunctionDef | ast.AsyncFunctionDef
BLOCKS = (ast.stmt, ast.ExceptHandler, ast.match_case)


def open_all(m: Analysis) -> None:
    """Open what functions of the program open. A module's `__getattr__` binds names only that are not there."""
    for name in sorted(m.program.sources):
        source = m.program.sources[name]
        lines = marked(searched(source))
        tree = m.program.tree(name) if lines else None
        for node in _functions(tree, lines) if tree is not None else ():
            if node.name != "__getattr__":
                _open(m, name, source.path, node)


def _functions(tree: ast.Module, lines: list[int]) -> Iterator[Function]:
    """The functions that have one of these lines."""
    stack: list[ast.AST] = [tree]
    while stack:
        for node in ast.iter_child_nodes(stack.pop()):
            if isinstance(node, BLOCKS) and holds(node, lines):
                stack.append(node)
                if isinstance(node, Function):
                    yield node


def _open(m: Analysis, module: str, path: str, function: Function) -> None:
    nodes = own_nodes(function)
    handed = {name for n in nodes if isinstance(n, ast.Global) for name in n.names}
    for node in nodes if handed else ():
        for name in handed.intersection(bound_names(node)):
            _bound_later(m, module, name)
    found = [row for node in nodes for row in _opens(node) if _may_lead_out(m, module, function, row[0])]
    if not found:
        return
    info = m.functions.get(function)
    if (
        info is not None
        and info.owner is not None
        and info.is_method
        and any(_is_receiver(function, base) for base, _, _ in found)
    ):
        m.opened.loose.add(info.owner)
    m.steps = 0
    scope = Scope(module, path, (module_frame(module), "opening"))
    state = _inside(m, function, scope)
    for base, why, node in found:
        values = m.evaluate_quietly(base, state, scope) if base is not None else [(Module(name=module), state)]
        for value, _ in values:
            _opened(m, value, why, node, Place(path, node.lineno))


def _may_lead_out(m: Analysis, module: str, function: Function, base: ast.expr | None) -> bool:
    """Whether an expression may be a module, class or function: its first name is none that the function is given."""
    if base is None or _is_receiver(function, base):
        return True
    root = _root(base)
    if root is None:
        return False
    value = m.world.frame(module_frame(module)).get(root)
    return (value is None and root not in _parameters(function)) or isinstance(value, Module | Func | Class | Foreign)


IMPORTERS = ("import_module", "__import__")


def _root(node: ast.expr) -> str | None:
    """The first name of `a.b.c`, of an entry in `sys.modules`, and of what an import by its name gives; None for all else."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=base):
            return _root(base)
        case ast.Subscript(value=base) if ast.unparse(base) == "sys.modules":
            return _root(base)
        case ast.Call(func=function) if ast.unparse(function).endswith(IMPORTERS):
            return _root(function)
        case _:
            return None


def _is_receiver(function: Function, base: ast.expr | None) -> bool:
    names = _parameters(function)
    return isinstance(base, ast.Name) and bool(names) and base.id == names[0]


def _parameters(function: Function) -> list[str]:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return [one.arg for one in every if one is not None]


def _bound_later(m: Analysis, module: str, name: str) -> None:
    """A function's name that is given to something else; of the seal's, `seal-sole` speaks."""
    value = m.world.frame(module_frame(module)).get(name)
    if isinstance(value, Func | Bound | Partial | Wrapped) and getattr(value, "info", None) not in m.seal.functions:
        m.opened.bound_later.add((module_frame(module), name))


def _opened(m: Analysis, value: Value, why: Reason, node: ast.expr, at: Place) -> None:
    match value:
        case Module() if isinstance(node, ast.Subscript) and why is Reason.COMPUTED_IMPORT:
            m.opened.in_its_place(value.name, at, why)
        case Module() if isinstance(node, ast.Attribute):
            _bound_later(m, value.name, node.attr)
        case Module():
            m.opened.module(value.name, at, why, m.world)
        case Class() if not isinstance(node, ast.Attribute):
            for held in value.info.namespace.values():
                if isinstance(held, Func):
                    m.opened.function(held.info, at, why)
        case Func() if isinstance(node, ast.Attribute) and node.attr in INNARDS:
            m.opened.function(value.info, at, Reason.OPAQUE_CALLABLE)


def _inside(m: Analysis, function: Function, scope: Scope) -> State:
    """What the function's own names stand for, as far as imports and plain assignments tell."""
    state = m.world.fork()
    for name in _parameters(function):
        state.bind(scope.frame, name, Sym(term=m.fresh(name)))
    for statement in sorted((n for n in own_nodes(function) if _tells(n)), key=lambda n: getattr(n, "lineno", 0)):
        with m.collecting():
            ends = m.execute([statement], state, scope)  # type: ignore[list-item]
        state = ends[0].state if ends else state
    return state


def _tells(node: ast.AST) -> bool:
    """An import, or a plain assignment of what may have been imported."""
    return isinstance(node, ast.Import | ast.ImportFrom) or (
        isinstance(node, ast.Assign) and _root(node.value) is not None
    )


Opens = Iterator[tuple[ast.expr | None, Reason, ast.expr]]


def _opens(node: ast.AST) -> Opens:
    """The modules whose names a part of a function may bind anew, each as an expression; None is the function's own."""
    match node:
        case ast.Call(func=ast.Name(id="exec"), args=[_, *spaces]):
            for space in spaces:
                yield from _namespace(space, Reason.OPAQUE_CALLABLE, node)
        case ast.Call(func=ast.Name(id="setattr") | ast.Attribute(attr="__setattr__"), args=[base, key, _]):
            if not isinstance(key, ast.Constant):
                yield base, Reason.DYNAMIC_ATTRIBUTE, node
        case ast.Call(func=ast.Attribute(value=space, attr="update"), args=[given, *_]):
            if not (isinstance(given, ast.Dict) and all(isinstance(key, ast.Constant) for key in given.keys)):
                yield from _namespace(space, Reason.DYNAMIC_ATTRIBUTE, node)
        case ast.Call(func=ast.Name(id="reload") | ast.Attribute(attr="reload"), args=[base]):
            yield base, Reason.COMPUTED_IMPORT, node
        case ast.Attribute(value=ast.Name(id="self" | "cls")):
            return
        case ast.Attribute(value=base, ctx=ast.Store()):
            yield base, Reason.DYNAMIC_ATTRIBUTE, node
        case ast.Subscript(value=space, slice=key, ctx=ast.Store()):
            yield from _entries(space, key, node)


def _entries(space: ast.expr, key: ast.expr, node: ast.Subscript) -> Opens:
    """`sys.modules["agent.rules"] = ...`, and a namespace under a computed name."""
    if ast.unparse(space) == "sys.modules":
        yield ast.Subscript(space, key, ast.Load(), lineno=node.lineno, col_offset=0), Reason.COMPUTED_IMPORT, node
    elif not isinstance(key, ast.Constant):
        yield from _namespace(space, Reason.DYNAMIC_ATTRIBUTE, node)


def _namespace(space: ast.expr, why: Reason, node: ast.expr) -> Opens:
    """The module whose namespace an expression is, where it is written as one."""
    match space:
        case ast.Call(func=ast.Name(id="globals")):
            yield None, why, node
        case ast.Call(func=ast.Name(id="vars"), args=[base]) | ast.Attribute(value=base, attr="__dict__"):
            yield base, why, node
