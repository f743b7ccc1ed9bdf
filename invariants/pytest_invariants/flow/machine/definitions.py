"""`def` and `class`: what the statement binds, after its decorators have been applied from the bottom up."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.values import (
    Bound,
    Class,
    Const,
    Descriptor,
    Foreign,
    Func,
    Member,
    Method,
    Obj,
    Partial,
    Sym,
    Value,
    Wrapped,
    with_labels,
)
from pytest_invariants.flow.machine import names
from pytest_invariants.flow.machine.hooks import class_made
from pytest_invariants.flow.machine.machine import Arguments, Outcome
from pytest_invariants.flow.machine.merging import join
from pytest_invariants.program.code import ClassInfo
from pytest_invariants.verdict import Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def function(m: Analysis, node: ast.FunctionDef | ast.AsyncFunctionDef, state: State, scope: Scope) -> list[Outcome]:
    outcomes: list[Outcome] = []
    m.captured.update(scope.chain)
    for plain, after in names.define(m, node, state, scope):
        for value, ready in decorated(m, node.decorator_list, plain, after, scope):
            m.note_definition(node, value)
            names.assign(m, node.name, value, ready, scope)
            outcomes.append(Outcome("next", ready))
    return outcomes


def decorated(
    m: Analysis, decorators: list[ast.expr], value: Value, state: State, scope: Scope
) -> list[tuple[Value, State]]:
    """Decorators are evaluated from the top and applied from the bottom."""
    results = [(value, state)]
    for node in reversed(decorators):
        onward: list[tuple[Value, State]] = []
        for current, before in results:
            for decorator, after in m.evaluate(node, before, scope):
                onward += _apply(m, decorator, current, after, scope, node)
        results = onward or (results if m.past else [])
    return results


def _apply(
    m: Analysis, decorator: Value, value: Value, state: State, scope: Scope, node: ast.expr
) -> list[tuple[Value, State]]:
    if m.is_foreign_decorator(decorator) and isinstance(value, Func | Wrapped | Descriptor | Class | Partial | Bound):
        m.effects.escaped.append(value)
        number = m.capabilities.decorators.get(_path(decorator))
        if isinstance(value, Class):
            return [(value, state)]
        kind = "registered" if m.registers(node) and not m.hands_over(node, state, scope) else "foreign"
        wrapped = Wrapped(function=value, kind=kind, at=scope.at(node))
        return [(with_labels(wrapped, m.decorated_labels(number, value, scope.at(node))), state)]
    return m.call(decorator, Arguments((value,)), state, scope, node)


def _path(decorator: Value) -> str:
    match decorator:
        case Foreign():
            return decorator.path
        case Sym():
            return m_path(repr(decorator.term))
        case _:
            return ""


def m_path(text: str) -> str:
    return text.split("'")[1] if "'" in text else text


def class_(m: Analysis, node: ast.ClassDef, state: State, scope: Scope) -> list[Outcome]:
    info = ClassInfo(scope.module, names.qualify(scope, node.name), scope.path, node, chain=scope.chain)
    known = m.classes.get(info.reference)
    if known is not None and known.node is node:
        info = known
    else:
        m.classes[info.reference] = info
        _bases(m, info, state, scope)
    frame = f"class {info.reference}"
    state.frames[frame] = {}
    inner = Scope(scope.module, scope.path, (*scope.chain, frame), None, info, info.qualname, node.lineno)
    ends = [o.state for o in m.execute(node.body, state, inner) if o.kind == "next"]
    after = join(m, ends) if ends else state
    info.namespace.update(_members(info, after.frames.pop(frame, {})))
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            info.annotations[statement.target.id] = statement.annotation
    after = class_made(m, info, after, scope)
    results = decorated(m, node.decorator_list, Class(info=info), after, scope)
    value, ready = results[0]
    names.assign(m, node.name, value, ready, scope)
    return [Outcome("next", ready)]


def _bases(m: Analysis, info: ClassInfo, state: State, scope: Scope) -> None:
    for base in info.node.bases:
        values = [value for value, _ in m.evaluate_quietly(base, state, scope)]
        if values and isinstance(values[0], Class) and info in values[0].info.mro:
            info.opaque_base = True  # a class below itself, which Python would not make
        elif values and isinstance(values[0], Class):
            info.bases.append(values[0].info)
            values[0].info.subclasses.append(info)
        elif values and isinstance(values[0], Foreign):
            info.foreign.append(values[0].path)
            info.opaque_base |= not m.harmless_base(values[0].path)
        else:
            info.opaque_base = True
            m.unresolved[info] = scope


def resolve_bases(m: Analysis) -> None:
    """Look once more for the bases that were not there yet when their classes were defined: their modules have run by now."""
    for info, scope in list(m.unresolved.items()):
        for base in info.bases:
            base.subclasses.remove(info)
        info.bases, info.foreign, info.opaque_base = [], [], False
        _bases(m, info, m.world, scope)
        for cls in (info, *info.descendants()):
            cls.__dict__.pop("mro", None)
    m.unresolved.clear()


def _members(info: ClassInfo, frame: dict[str, Value]) -> dict[str, Value]:
    """The class's namespace without its frame; an enumeration's constants become its members."""
    if not info.is_enum:
        return {name: _unframed(info, value) for name, value in frame.items()}
    members: dict[str, Value] = {}
    for name, value in frame.items():
        if isinstance(value, Func | Descriptor | Wrapped | Class) or name.startswith("_"):
            members[name] = _unframed(info, value)
        else:
            members[name] = Member(cls=info, name=name)
            members[f"_value_of_{name}"] = value
    return members


def _unframed(info: ClassInfo, value: Value) -> Value:
    """Methods do not see the class body's names."""
    if isinstance(value, Func) and value.chain and value.chain[-1] == f"class {info.reference}":
        return Func(value.labels, value.info, value.chain[:-1], value.defaults)
    if isinstance(value, Descriptor | Wrapped):
        inner = _unframed(info, value.function)
        if isinstance(value, Descriptor):
            setter = _unframed(info, value.setter) if value.setter is not None else None
            return Descriptor(value.labels, inner, value.kind, setter)
        return Wrapped(value.labels, inner, value.kind, value.at)
    return value


__all__ = ["Const", "Method", "Obj", "Reason", "class_", "decorated", "function"]
