"""Finding in the program what the registry names: `module:qualname` to a value."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_invariants.flow.domain import types
from pytest_invariants.flow.domain.scope import module_frame
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.values import (
    Bound,
    Class,
    Descriptor,
    Dict,
    Foreign,
    Func,
    Member,
    Seq,
    Sym,
    Union,
    Value,
    Wrapped,
)
from pytest_invariants.flow.domain.wrapped import plain_function
from pytest_invariants.flow.judging.activation import activate, receiver_for
from pytest_invariants.flow.judging.outside import is_outside
from pytest_invariants.flow.machine.analysis import Analysis
from pytest_invariants.flow.relevance.asking import asks
from pytest_invariants.flow.seal.answers import returns_members
from pytest_invariants.flow.seal.registered import Capabilities
from pytest_invariants.flow.seal.sealing import SealModel, returns_booleans
from pytest_invariants.program.code import ClassInfo, FunctionInfo, own_nodes
from pytest_invariants.registry.model import Reference, Registry, VerdictKind
from pytest_invariants.registry.suggest import closest
from pytest_invariants.verdict import Place

MAKING = 4_000
"""Steps that the maker of a surface may take: only what the surface will see is asked of it."""


@dataclass(frozen=True, slots=True)
class Target:
    """A function that can be activated: its value (bound to a receiver if it is a method) and the function as named."""

    value: Value
    declared: FunctionInfo | None
    start: State | None = None


@dataclass(frozen=True, slots=True)
class Missing:
    """Something that the registry names and the program does not have."""

    at: Place
    message: str
    remedy: str


def look_up(m: Analysis, reference: Reference) -> Value | None:
    """The value that a reference names, without a receiver; None where there is none."""
    if not m.load(reference.module):
        return None
    if not reference.qualname:
        return None
    first, *rest = reference.qualname.split(".")
    value = m.world.frame(module_frame(reference.module)).get(first)
    current = m.resolve_import(value, m.world) if value is not None else None
    for part in rest:
        if isinstance(current, Class):
            found = current.info.lookup(part)
            current = found[1] if found else None
        else:
            return None
    return current


def target_of(m: Analysis, reference: Reference) -> Target | None:
    """What a surface's reference activates. What was run before counts for none of it."""
    m.steps = 0
    if "<locals>" in reference.qualname:
        return _nested(m, reference)
    value = look_up(m, reference)
    if value is None:
        return None
    owner = (
        look_up(m, Reference(reference.module, reference.qualname.rpartition(".")[0]))
        if "." in reference.qualname
        else None
    )
    declared = _declared(m, reference, value)
    if isinstance(value, Class):
        called = value.info.lookup("__call__")
        if called is None:
            return None
        return Target(Bound(function=called[1], receiver=receiver_for(m, value)), declared)
    if isinstance(owner, Class):
        return Target(_bound(m, owner, value, reference.qualname.rpartition(".")[2]), declared)
    return (
        Target(value, declared)
        if plain_function(value) or isinstance(value, Wrapped | Sym) or _callable(value) or _either(value)
        else None
    )


def _either(value: Value) -> bool:
    """Whether a decorator has left one of several functions."""
    return isinstance(value, Union) and all(plain_function(option) is not None for option in value.options)


def _callable(value: Value) -> bool:
    cls = getattr(value, "cls", None)
    return isinstance(cls, ClassInfo) and cls.lookup("__call__") is not None


def _bound(m: Analysis, owner: Class, value: Value, name: str) -> Value:
    if isinstance(value, Descriptor) and value.kind == "static":
        return value.function
    found = owner.info.lookup(name)
    holder = found[0] if found else owner.info
    if isinstance(value, Descriptor) and value.kind == "class":
        return Bound(function=value.function, receiver=owner, owner=holder)
    inner = value.function if isinstance(value, Descriptor) else value
    return Bound(function=inner, receiver=receiver_for(m, _server(m, owner, inner)), owner=holder)


def _server(m: Analysis, owner: Class, method: Value) -> Class:
    """The class whose instance a mixin's method is called on: the one that annotates `self`, or its only heir."""
    function = plain_function(method)
    first = (
        next(iter([*function.info.node.args.posonlyargs, *function.info.node.args.args]), None) if function else None
    )
    if function is not None and first is not None and first.annotation is not None:
        declared = types.read(m, first.annotation, m.world, m.scope_of_function(function))
        if declared.cls is not None:
            return Class(info=declared.cls)
    heirs = owner.info.descendants()
    mixin = owner.info.name.endswith("Mixin") and len(heirs) == 1
    return Class(info=heirs[0]) if mixin else owner


def _declared(m: Analysis, reference: Reference, value: Value) -> FunctionInfo | None:
    """The function that the name was first defined as: decorators do not change what the caller passes."""
    named = [i for i in m.functions.values() if i.module == reference.module and i.qualname == reference.qualname]
    if named:
        return named[-1]
    inner = plain_function(value)
    return inner.info if inner is not None else None


def _nested(m: Analysis, reference: Reference) -> Target | None:
    """A function made by another one: the maker is activated, and its frames are kept."""
    outer, _, _name = reference.qualname.rpartition(".<locals>.")
    maker = target_of(m, Reference(reference.module, outer))
    if maker is None:
        return None
    frames: list[State] = []
    from pytest_invariants.flow.judging import activation

    with m.preparing(MAKING):
        made = activation.activate(m, maker.value, maker.declared, str(reference), m.world, maker.start)
    m.steps = 0
    info = next((i for i in m.functions.values() if i.reference == str(reference)), None)
    value = m.definitions.get(info.node) if info is not None else None
    inner = plain_function(value) if value is not None else None
    if inner is None and info is not None:
        value = inner = m.plain.get(info)
    if info is None or inner is None or value is None:
        return None
    frames = [s for s in made.states if all(f in s.frames or f in m.world.frames for f in inner.chain)]
    start = State(m.world)
    if frames:
        start.frames, start.heap, start.fields = dict(frames[0].frames), dict(frames[0].heap), dict(frames[0].fields)
    return Target(value, info, start)


def seal_model(m: Analysis, registry: Registry) -> SealModel | Missing:
    functions: set[FunctionInfo] = set()
    for reference in (registry.seal.function, *registry.seal.aliases):
        if is_outside(reference, m.program, registry):
            continue
        value = look_up(m, reference)
        if isinstance(value, Union):  # replaced by another module, once that is loaded: the first is the seal
            value = value.options[0]
        inner = plain_function(value) if value is not None else None
        if inner is None and not (isinstance(value, Class)):
            return Missing(registry.seal.at, f"the seal `{reference}` is not in the code", _remedy(m, reference))
        if inner is not None:
            functions.add(inner.info)
    allowed = None
    if registry.seal.allowed_value is not None and not is_outside(registry.seal.function, m.program, registry):
        allowed = look_up(m, registry.seal.allowed_value)
        if allowed is None:
            at = registry.seal.at
            return Missing(
                at,
                f"the value `{registry.seal.allowed_value}` that allows is not in the code",
                "name the member that means allowed",
            )
    boolean = all(returns_booleans(info) for info in functions)
    looks_up = any(
        isinstance(n, ast.Subscript | ast.Call) and not _type_call(n)
        for info in functions
        for n in _without_raises(_body_of(info))
    )
    complete = isinstance(allowed, Member) and all(returns_members(info, allowed.cls.name) for info in functions)
    fields = _answer_fields(m, functions)
    refusals = tuple(dict.fromkeys(cls for info in functions for cls in _refusals(m, info) or ()))
    known = refusals if all(_refusals(m, info) for info in functions) else ()
    return SealModel(registry.seal, frozenset(functions), allowed, fields, boolean, complete, known, looks_up)


WITHIN = 3
"""Functions within each other up to which it is told what they raise."""


def _refusals(m: Analysis, info: FunctionInfo, within: int = WITHIN) -> list[ClassInfo | str] | None:
    """The classes of what a function raises, itself or by functions of the program; None where it raises again, or where that is
    not known."""
    nodes = [] if isinstance(info.node, ast.Lambda) else own_nodes(info.node)
    found: list[ClassInfo | str] = []
    for node in nodes:
        if isinstance(node, ast.Raise):
            raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            cls = _class_named(m, info, raised) if raised is not None else None
            if cls is None:
                return None
            found.append(cls)
        elif isinstance(node, ast.Call) and not _harmless(m, info, node.func):
            inner = _refusals_of_callee(m, info, node.func, within - 1) if within else None
            if inner is None:
                return None
            found += inner
    return found


def _refusals_of_callee(m: Analysis, info: FunctionInfo, node: ast.expr, within: int) -> list[ClassInfo | str] | None:
    """The same of a plain function that is called by its name."""
    held = m.evaluate_quietly(node, m.world, m.scope_of_module(info.module)) if isinstance(node, ast.Name) else []
    callees = [value.info for value, _ in held if isinstance(value, Func)]
    if len(callees) != 1 or len(held) != 1 or callees[0].is_generator or callees[0].is_async:
        return None
    return _refusals(m, callees[0], within)


def _harmless(m: Analysis, info: FunctionInfo, function: ast.expr) -> bool:
    """Whether a call leads to no function of the program: by its name, or by that of the method."""
    if isinstance(function, ast.Attribute):
        return all(one.name != function.attr for one in m.functions.values())
    return isinstance(function, ast.Name) and _class_named(m, info, function) is not None


def _class_named(m: Analysis, info: FunctionInfo, node: ast.expr) -> ClassInfo | str | None:
    for value, _ in m.evaluate_quietly(node, m.world, m.scope_of_module(info.module)):
        if isinstance(value, Class):
            return value.info
        if isinstance(value, Foreign):
            return value.path
    return None


def _body_of(info: FunctionInfo) -> ast.AST:
    if isinstance(info.node, ast.Lambda):
        return info.node.body
    return ast.Module(list(info.node.body), [])


def _without_raises(body: ast.AST) -> Iterator[ast.AST]:
    """What is evaluated before a refusal is raised, or instead of it."""
    yield body
    for node in ast.iter_child_nodes(body):
        if not isinstance(node, ast.Raise):
            yield from _without_raises(node)


def _type_call(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("bool", "set", "len", "isinstance")
    )


def _answer_fields(m: Analysis, functions: set[FunctionInfo]) -> tuple[str, ...]:
    """The fields of the seal's answer in order, where its class can be told by a constructor call or the annotation."""
    for info in functions:
        for node in ast.walk(info.node):
            name = node.func if isinstance(node, ast.Call) else None
            if isinstance(name, ast.Name):
                value = look_up(m, Reference(info.module, name.id))
                if isinstance(value, Class) and value.info.field_names():
                    return tuple(value.info.field_names())
    return ()


def capabilities(m: Analysis, registry: Registry) -> tuple[Capabilities, list[Missing]]:
    found, missing = Capabilities(), []
    for number, capability in enumerate(registry.capabilities):
        if capability.decorated is not None:
            found.decorators[str(capability.decorated).replace(":", ".")] = number
            continue
        assert capability.of is not None
        problem = _capability(m, found, number, capability.of, capability.at)
        if problem is not None:
            missing.append(problem)
    return found, missing


def _capability(m: Analysis, found: Capabilities, number: int, reference: Reference, at: Place) -> Missing | None:
    if not m.program.has(reference.module) and not m.program.is_package_prefix(reference.module):
        root = reference.module.partition(".")[0]
        if any(name.partition(".")[0] == root for name in m.program.sources):
            return Missing(at, f"the module of the capability `{reference}` is not in the code", _remedy(m, reference))
        found.foreign[f"{reference.module}.{reference.qualname}"] = number
        return None
    owner_name, _, name = reference.qualname.rpartition(".")
    owner = look_up(m, Reference(reference.module, owner_name)) if owner_name else None
    value = look_up(m, reference)
    inner = plain_function(value) if value is not None else None
    if isinstance(value, Descriptor) and value.kind in ("property", "cached") and isinstance(owner, Class):
        found.fields.setdefault(name, []).append((number, owner.info))
    elif inner is not None:
        found.functions[inner.info] = number
        if isinstance(owner, Class):
            _overrides(m, found, number, owner.info, name)
    elif isinstance(owner, Class) and _has_field(m, owner.info, name):
        found.fields.setdefault(name, []).append((number, owner.info))
    elif isinstance(value, Dict | Seq | Sym | Member):
        found.tables[reference.module, reference.qualname] = number
    elif isinstance(value, Class):
        pass
    else:
        return Missing(at, f"the capability `{reference}` is not in the code", _remedy(m, reference))
    return None


def _overrides(m: Analysis, found: Capabilities, number: int, owner: ClassInfo, name: str) -> None:
    """A method that overrides a capability is that capability, unless it is a surface or asks the seal itself."""
    surfaces = {(s.function.module, s.function.qualname) for s in m.registry.surfaces}
    for cls in owner.descendants():
        inner = plain_function(cls.namespace[name]) if name in cls.namespace else None
        if inner is None or (inner.info.module, inner.info.qualname) in surfaces or asks(m, inner.info):
            continue
        found.functions.setdefault(inner.info, number)


def _has_field(m: Analysis, cls: ClassInfo, name: str) -> bool:
    if cls.field_annotation(name) is not None or cls.lookup(name) is not None:
        return True
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == name
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
        for c in cls.mro
        for node in ast.walk(c.node)
    )


def _remedy(m: Analysis, reference: Reference) -> str:
    known = [f"{i.module}:{i.qualname}" for i in m.functions.values()] + list(m.classes)
    near = closest(str(reference), known) or closest(str(reference), list(m.program.sources))
    return (
        f"did you mean `{near}`?" if near else "name a function, class or field of the code roots as `module:qualname`"
    )


__all__ = ["Missing", "Target", "VerdictKind", "activate", "capabilities", "look_up", "seal_model", "target_of"]
