"""Making instances: constructors, dataclasses, named tuples, and symbolic instances of which only the class is known."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import holding, keeping
from pytest_invariants.flow.domain import types
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.terms import Applied, Field, Param
from pytest_invariants.flow.domain.values import (
    ANY,
    NO_LABELS,
    STR,
    Class,
    Const,
    Descriptor,
    Dict,
    Foreign,
    Func,
    Member,
    Obj,
    Seq,
    Sym,
    Type,
    Value,
    options_of,
    term_of,
)
from pytest_invariants.flow.machine.machine import Arguments, Results
from pytest_invariants.flow.objects import implicit
from pytest_invariants.program.code import ClassInfo

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


GENERATED = ("dataclass", "dataclasses.dataclass", "define", "frozen", "attrs", "attr.s", "mutable")


def construct(m: Analysis, cls: ClassInfo, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    results = _constructed(m, cls, arguments, state, scope, node)
    for value, after in results:
        if isinstance(value, Obj):
            after.note_made(value.address)
    if cls.lookup("__del__") is not None and not m.past:
        for value, after in results:
            _may_be_gone(m, value, after, scope, node)
    return results


def _may_be_gone(m: Analysis, value: Value, state: State, scope: Scope, node: ast.AST) -> None:
    """Whatever `__del__` does may have been done at any time from now on."""
    from pytest_invariants.flow.machine.comprehensions import keep
    from pytest_invariants.flow.machine.reading import unsteady

    with m.collecting():
        for method, ready in m.attribute(value, "__del__", state.fork(), scope, node):
            for _, after in m.call(method, Arguments(), ready, scope, node):
                unsteady(state, after)
                keep(m, state, after)


def _constructed(
    m: Analysis, cls: ClassInfo, arguments: Arguments, state: State, scope: Scope, node: ast.AST
) -> Results:
    if cls.is_enum:
        address = Applied(cls.reference, tuple(term_of(v) for v in arguments.positional))
        m.class_of[address] = cls
        return [(Obj(address=address, cls=cls, exact=True), state)]
    made = implicit.of_metaclass(m, Class(info=cls), "__call__", arguments, state, scope, node)
    if made is not None:
        return made
    maker = cls.lookup("__new__")
    if maker is not None and isinstance(maker[1], Func) and not m.past:
        return _made_by(m, cls, maker[1], arguments, state, scope, node)
    new = Obj(address=m.allocate(state), cls=cls, exact=True)
    m.class_of[new.address] = cls
    if m.past and m.is_owner(cls):
        labels = NO_LABELS.union(*(value.labels for value in arguments.every()))
        return [(replace(new, labels=labels), state)]
    initialiser = cls.lookup("__init__")
    if initialiser is not None and isinstance(initialiser[1], Func):
        given = replace(arguments, positional=(new, *arguments.positional))
        return [(new, after) for _, after in m.call(initialiser[1], given, state, scope, node)]
    if cls.foreign_bases():
        holding.hold(m, new.address, arguments.every(), state)
    set_fields(m, new, arguments, state, scope, node)
    return _after_init(m, new, arguments, state, scope, node)


def _made_by(
    m: Analysis, cls: ClassInfo, maker: Func, arguments: Arguments, state: State, scope: Scope, node: ast.AST
) -> Results:
    """`__new__` says what comes out; only an instance of the class is initialised."""
    given = replace(arguments, positional=(Class(info=cls), *arguments.positional))
    initialiser = cls.lookup("__init__")
    results: Results = []
    for value, after in m.call(maker, given, state, scope, node):
        own = isinstance(value, Obj) and cls in value.cls.mro
        if own and initialiser is not None and isinstance(initialiser[1], Func):
            more = replace(arguments, positional=(value, *arguments.positional))
            results += [(value, end) for _, end in m.call(initialiser[1], more, after, scope, node)]
        else:
            results.append((value, after))
    return results


def _after_init(m: Analysis, new: Obj, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    hook = new.cls.lookup("__post_init__") or new.cls.lookup("model_post_init")
    if hook is None or not isinstance(hook[1], Func):
        return [(new, state)]
    passed = _passed_on(m, new.cls, arguments, state, scope, node)
    return [(new, after) for _, after in m.call(hook[1], Arguments((new, *passed)), state, scope, node)]


def _passed_on(
    m: Analysis, cls: ClassInfo, arguments: Arguments, state: State, scope: Scope, node: ast.AST
) -> list[Value]:
    """What a generated constructor hands on to `__post_init__`, and keeps no field for."""
    names = init_fields(cls)
    given = {**dict(zip(names, arguments.positional, strict=False)), **dict(arguments.keywords)}
    passed = [name for name in names if is_passed_on(cls, name)]
    values = [given[n] if n in given else _default(m, cls, n, state, scope, node) for n in passed]
    return [value if value is not None else Sym(term=m.fresh("init")) for value in values]


def has_generated_init(cls: ClassInfo) -> bool:
    decorators = [ast.unparse(d.func if isinstance(d, ast.Call) else d) for c in cls.mro for d in c.node.decorator_list]
    return cls.is_namedtuple or any(d.endswith(GENERATED) for d in decorators) or bool(cls.foreign_bases())


def init_fields(cls: ClassInfo) -> list[str]:
    """The fields that a generated constructor takes, in order."""
    return [name for name in _fields(cls) if not _is_set_later(cls, name)]


def _fields(cls: ClassInfo) -> list[str]:
    return [name for name in cls.field_names() if not _annotated(cls, name, "ClassVar")]


def is_passed_on(cls: ClassInfo, name: str) -> bool:
    """Whether the constructor hands this on to `__post_init__`, and keeps no field for it."""
    return _annotated(cls, name, "InitVar")


def _is_set_later(cls: ClassInfo, name: str) -> bool:
    """Whether the field is none that the constructor takes: `field(init=False)`."""
    found = cls.field_annotation(name)
    values = [
        node.value
        for node in (found[0].node.body if found is not None else ())
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name
    ]
    return any(
        isinstance(value, ast.Call)
        and any(
            k.arg == "init" and isinstance(k.value, ast.Constant) and k.value.value is False for k in value.keywords
        )
        for value in values
    )


def _annotated(cls: ClassInfo, name: str, kind: str) -> bool:
    found = cls.field_annotation(name)
    return found is not None and ast.unparse(found[1]).partition("[")[0].rpartition(".")[2] == kind


def set_fields(m: Analysis, new: Obj, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> None:
    names = init_fields(new.cls)
    given = dict(zip(names, arguments.positional, strict=False))
    given.update(dict(arguments.keywords))
    for name in _fields(new.cls):
        if name not in given:
            default = _default(m, new.cls, name, state, scope, node)
            if default is not None:
                given[name] = default
    for name, value in given.items():
        state.set_field(new.address, name, value)


def _default(m: Analysis, cls: ClassInfo, name: str, state: State, scope: Scope, node: ast.AST) -> Value | None:
    found = cls.lookup(name)
    if found is None:
        return None
    value = m.resolve_import(found[1], state)
    if isinstance(value, Descriptor) and value.kind == "factory":
        results = m.call(value.function, Arguments(), state.fork(), scope, node)
        for made, after in results[:1]:
            state.heap.update(after.heap)
            return made
        return None
    return value


def symbolic_field(m: Analysis, receiver: Obj, name: str, state: State) -> Value | None:
    """A field of an instance that was not made here: by its annotation, or by what its constructor puts there."""
    address = Field(receiver.address, name)
    m.class_of.setdefault(receiver.address, receiver.cls)
    found = receiver.cls.field_annotation(name)
    if found is not None:
        owner, annotation = found
        declared = _declared(m, owner, annotation, state)
        value = types.shape(m, address, declared)
        if declared != ANY:
            return _noted(m, value)
    kept = m.constructed_field(receiver.cls, name)
    if kept is None:
        return Sym(term=address) if found is not None else None
    value = _noted(m, m.moved(kept, receiver.cls, receiver.address, name, state))
    for option in options_of(value):
        m.kept_as.setdefault(term_of(option), set()).add(address)
    keeping.as_left(m, state, [option.address for option in options_of(value) if isinstance(option, Seq | Dict)])
    return value


def _declared(m: Analysis, owner: ClassInfo, annotation: ast.expr, state: State) -> Type:
    """The type that a class's body gives a field; of a class of a module it is read once, when all modules have run."""
    if annotation not in m.declared_fields:
        scope = m.scope_of_class(owner)
        declared = types.read(m, annotation, m.world_or(state), scope)
        if m.reach is None or len(scope.chain) > 1:
            return declared
        m.declared_fields[annotation] = declared
    return m.declared_fields[annotation]


def _noted(m: Analysis, value: Value) -> Value:
    for option in options_of(value):
        if isinstance(option, Obj):
            m.class_of[option.address] = option.cls
    return value


def symbolic_arguments(m: Analysis, function: Func, owner: str, state: State) -> Arguments:
    """The arguments that somebody outside gives: one symbol a parameter, shaped by its annotation.

    A parameter with a default may also be left out.
    """
    spec = function.info.node.args
    positional = [*spec.posonlyargs, *spec.args]
    if function.info.takes_receiver:
        positional = positional[1:]
    shaped = [_parameter(m, function, a, owner, state) for a in positional]
    keywords = tuple((a.arg, _parameter(m, function, a, owner, state)) for a in spec.kwonlyargs)
    more = _any_number(m, function, spec.vararg, "tuple", (), owner, state)
    return Arguments(tuple(shaped), keywords, more, _any_number(m, function, spec.kwarg, "dict", (STR,), owner, state))


def _any_number(
    m: Analysis, function: Func, node: ast.arg | None, kind: str, keys: tuple[Type, ...], owner: str, state: State
) -> Value | None:
    """What somebody outside gives for `*args` or `**kwargs`: as many as they like, each of the annotated type."""
    if node is None:
        return None
    declared = types.read(m, node.annotation, m.world_or(state), m.scope_of_function(function))
    return _noted(m, types.shape(m, Param(node.arg, owner), Type(kind, args=(*keys, declared))))


def _parameter(m: Analysis, function: Func, node: ast.arg, owner: str, state: State) -> Value:
    scope = m.scope_of_function(function)
    declared = types.read(m, node.annotation, m.world_or(state), scope)
    default = dict(function.defaults).get(node.arg)
    if declared == ANY and isinstance(default, Obj):
        declared = Type(default.cls.name, default.cls)
    return _noted(m, types.shape(m, Param(node.arg, owner), declared))


__all__ = [
    "Const",
    "Foreign",
    "Member",
    "construct",
    "has_generated_init",
    "init_fields",
    "is_passed_on",
    "symbolic_arguments",
    "symbolic_field",
]
