"""Whether following a callee could show that the seal is asked or that a capability gets out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.outcomes import Arguments
from pytest_invariants.flow.domain.reachable import closed_over, fields_at, leaves
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.values import ANY, Bound, Func, Obj, Partial, Sym, Value, Wrapped
from pytest_invariants.program.code import ClassInfo, FunctionInfo

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def matters(m: Analysis, function: Func, given: Arguments, state: State) -> bool:
    """Whether it could, by what its text mentions, or through something that it closes over or is given, unless it only
    looks at that. Constructors fill the fields of what they make; those of exceptions hold what is said."""
    info = function.info
    fills = info.name == "__init__" and not (info.owner is not None and info.owner.is_exception)
    if m.reach is None or fills or may_swallow(m, info) or m.reach.matters(info):
        return True
    reflects = m.reach.reflects(info)
    held = [one for value in _brought(m, function, given, state, reflects) for one in leaves(m, value, state)]
    if any(_brings(m, one, reflects) for one in held if one != function):
        return True
    if not m.reach.mattering:
        return False
    with m.program.read.glancing():
        return not m.reach.mattering.isdisjoint(_behind(m, function, given, state))


def _behind(m: Analysis, function: Func, given: Arguments, state: State) -> set[ClassInfo]:
    """The classes of what objects hold that are given and of which not all was read yet: where only attributes are read of
    one of which the callee knows the class, its text says what is done with them."""
    assert m.reach is not None
    info, found = function.info, set[ClassInfo]()
    for name, value in (*named(info, given), *closed_over(function, state)):
        alone = bool(name) and m.uncalled.only_read(info, name)
        for one in leaves(m, value, state):
            if isinstance(one, Obj) and alone and one is value:
                names = frozenset(info.mentioned)
                found |= set() if m.reach.knows(info, name) else m.reach.fillings.behind(one.cls, names)
            elif isinstance(one, Obj):
                found |= m.reach.fillings.within(one.cls)
    return found


def may_swallow(m: Analysis, info: FunctionInfo) -> bool:
    """Whether a generator, as a context manager, may end an exception of the block: by its handlers, or by a context manager
    of the program that stands around it."""
    return info.may_swallow or any(
        _may_end(m, item.context_expr)
        for node in info.stands_around
        if isinstance(node, ast.With | ast.AsyncWith)
        for item in node.items
    )


def _may_end(m: Analysis, manager: ast.expr) -> bool:
    called = manager.func if isinstance(manager, ast.Call) else None
    name = called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""
    if name in ("", "suppress", "ExitStack", "AsyncExitStack"):
        return True
    classes = [cls for cls in m.classes.values() if cls.name == name]
    functions = [info for info in m.functions.values() if info.name == name and info.stands_around]
    return any(cls.lookup("__exit__") or cls.lookup("__aexit__") for cls in classes) or any(
        may_swallow(m, info) for info in functions if not any(info is one for one in m.stack)
    )


def _brought(m: Analysis, function: Func, given: Arguments, state: State, reflects: bool) -> Iterator[Value]:
    """What a function is given and closes over: of an object that it only reads attributes of, those that it names."""
    info = function.info
    own = [(name, value) for name, value in named(info, given) if not _only_looks(m, info, name, value)]
    for name, value in (*own, *closed_over(function, state)):
        if isinstance(value, Obj) and name and not reflects and m.uncalled.only_read(info, name):
            fields = fields_at(state, value.address)
            yield from (held for (_, field), held in fields if field in info.mentioned)
        else:
            yield value


def _only_looks(m: Analysis, info: FunctionInfo, name: str, value: Value) -> bool:
    return isinstance(value, Func | Bound | Partial | Wrapped | Sym) and bool(name) and m.uncalled.parameter(info, name)


def _brings(m: Analysis, value: Value, reflects: bool) -> bool:
    """Whether something that a function is given leads to the seal or a capability once it is called or read."""
    assert m.reach is not None
    match value:
        case Func():
            return m.reach.matters(value.info)
        case Obj():
            return m.reach.class_matters(value.cls)
        case Sym():
            return reflects and value.type == ANY
        case _:
            return False


def named(info: FunctionInfo, given: Arguments) -> list[tuple[str, Value]]:
    """The arguments of a call by the parameters that they go to; those that go to none by an empty name."""
    spec = info.node.args
    names = [a.arg for a in [*spec.posonlyargs, *spec.args]]
    placed = [(names[at] if at < len(names) else "", value) for at, value in enumerate(given.positional)]
    rest = [("", value) for value in (given.more, given.options) if value is not None]
    return [*placed, *given.keywords, *rest]
