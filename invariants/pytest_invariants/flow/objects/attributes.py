"""Attributes: fields, methods, properties, module members."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.calls import opened
from pytest_invariants.flow.containers import holding
from pytest_invariants.flow.domain import abroad, types
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import OWN, PERHAPS, State, changes_of, lives_on
from pytest_invariants.flow.domain.terms import NOTHING, Applied, Field
from pytest_invariants.flow.domain.values import (
    NONE_TYPE,
    STR,
    Bound,
    Class,
    Const,
    Descriptor,
    Dict,
    Foreign,
    Func,
    Member,
    Method,
    Module,
    Obj,
    Partial,
    Seq,
    Super,
    Sym,
    Thunk,
    Tuple,
    Value,
    Verdict,
    Wrapped,
    options_of,
    term_of,
)
from pytest_invariants.flow.library import context_vars
from pytest_invariants.flow.machine.machine import Arguments, Raised, Results
from pytest_invariants.flow.machine.reading import read_again
from pytest_invariants.flow.objects import attached, descriptors, implicit, namespaces
from pytest_invariants.flow.objects.construct import has_generated_init
from pytest_invariants.flow.objects.labelling import labelled
from pytest_invariants.flow.objects.module_attributes import of_function, of_module
from pytest_invariants.flow.relevance import fields
from pytest_invariants.flow.seal.sealing import part_of_answer
from pytest_invariants.program.code import ClassInfo
from pytest_invariants.verdict import Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


OF_EVERY_OBJECT = {
    "__setattr__": "builtins.setattr",
    "__getattribute__": "builtins.getattr",
    "__delattr__": "builtins.delattr",
    "_asdict": "dataclasses.asdict",
    "_replace": "dataclasses.replace",
    "model_copy": "flow.model_copy",
}
"""Methods that no class of the program defines: those of every object, of a named tuple, of a pydantic model."""
OF_EVERY_CLASS = ("__setattr__", "__getattribute__", "__delattr__")
THREADS = ("threading.Thread", "multiprocessing.Process")
"""Classes whose `start` calls `run`, which those that specialise them write."""


def attribute(m: Analysis, receiver: Value, name: str, state: State, scope: Scope, node: ast.AST) -> Results:
    results = _attribute(m, receiver, name, state, scope, node)
    if m.past or not isinstance(receiver, Obj | Class | Sym):
        return results
    return [pair for value, after in results for pair in _as_it_may_be(m, receiver, name, value, after)]


def _as_it_may_be(m: Analysis, receiver: Obj | Class | Sym, name: str, value: Value, state: State) -> Results:
    """What an object that lives on, or a class, holds and some function of the program sets anew: it may have been called before."""
    if not isinstance(value, Const | Tuple | Seq | Dict | Obj | Func):
        return [(value, state)]
    address = term_of(receiver)
    if lives_on(address):
        own = (address, name) in state.fields and changes_of(address) in state.counts
    else:
        own = state.field(address, name) is not None
    classes = _classes(receiver)
    known = own or any((term_of(Class(info=cls)), name) in state.fields for cls in classes)
    loose = any(cls in m.opened.loose for cls in classes) and isinstance(value, Const)
    if known or name.startswith("__") or not (loose or _set_anew(m, receiver, name, value)):
        return [(value, state)]
    found: Results = [(value, state.fork()), (_another(m, receiver, Field(address, name), value), state)]
    return read_again(m, (address, name + PERHAPS), found)


def _classes(receiver: Obj | Class | Sym) -> tuple[ClassInfo, ...]:
    cls = receiver.cls if isinstance(receiver, Obj) else receiver.info if isinstance(receiver, Class) else None
    return tuple(cls.mro) if cls is not None else ()


def _set_anew(m: Analysis, receiver: Obj | Class | Sym, name: str, value: Value) -> bool:
    if isinstance(value, Const):
        return m.rewritten.field(name, value)
    if not isinstance(receiver, Obj) or not lives_on(receiver.address) or m.later is None:
        return False
    found = receiver.cls.lookup(name)
    if found is not None and (isinstance(found[1], Descriptor) or implicit.defines(found[1], "__get__")):
        return False  # it is told by what that reads
    return m.later.assigns(receiver.cls, name)


def _another(m: Analysis, receiver: Obj | Class | Sym, place: Field, value: Value) -> Value:
    """What may stand in its place by now, as far as the text says what that is."""
    if isinstance(value, Seq | Dict):
        return replace(value, address=place)
    if isinstance(value, Obj) and isinstance(receiver, Obj) and m.reach is not None:
        declared = m.reach.mentions.fields.type_of(receiver.cls, place.name)
        return types.shape(m, place, declared)
    return Sym(value.labels, place, why=Reason.OPAQUE_CALLABLE if isinstance(value, Func) else Reason.UNTYPED_RECEIVER)


def _attribute(m: Analysis, receiver: Value, name: str, state: State, scope: Scope, node: ast.AST) -> Results:
    match receiver:
        case Obj():
            return _of_object(m, receiver, name, state, scope, node)
        case Class():
            return _of_class(m, receiver, name, state, scope, node)
        case Module():
            return of_module(m, receiver, name, state)
        case Foreign():
            return [(m.foreign(f"{receiver.path}.{name}", receiver.labels), state)]
        case Super():
            return _of_super(m, receiver, name, state, scope, node)
        case Verdict():
            return [(part_of_answer(m, receiver, name), state)]
        case Descriptor():
            return descriptors.attribute(receiver, name, state)
        case Func() | Wrapped() | Partial() | Bound():
            return of_function(m, receiver, name, state)
        case Member():
            return _of_member(m, receiver, name, state, scope, node)
        case Const() if receiver.value is None:
            return _missing(m, state)
        case Sym():
            return _of_symbol(m, receiver, name, state, scope, node)
        case Const() | Seq() | Dict() | Tuple() | Thunk():
            return [(Method(receiver.labels, receiver, name), state)]
        case _:
            return [(Sym(receiver.labels, Field(term_of(receiver), name)), state)]


def _missing(m: Analysis, state: State) -> Results:
    """`None.x`, or an attribute that is not there: Python raises."""
    if m.may_catch:
        m.throw(Raised(state, "builtins.AttributeError"))
    return []


def _of_object(m: Analysis, receiver: Obj, name: str, state: State, scope: Scope, node: ast.AST) -> Results:
    if state.known.get(("is", receiver.address, NOTHING)) is True:
        return _missing(m, state)
    hook = receiver.cls.lookup("__getattribute__")
    if hook is not None and isinstance(hook[1], Func) and hook[1].info not in m.stack:
        return m.call(hook[1], Arguments((receiver, Const(value=name))), state, scope, node)
    if name in VALUE and receiver.cls.is_enum:
        return [(_value_of(receiver), state)]
    opened.note_class(m, receiver.address, state, scope.at(node))
    if name == OWN and (elsewhere := attached.space_of(m, receiver, state)) is not None:
        return [(option, state.fork()) for option in options_of(elsewhere)]
    shared = attached.read(m, receiver, name, state, scope, node)
    if shared is not None:
        return [
            pair for held, after in shared for pair in _held_or_of_class(m, receiver, name, held, after, scope, node)
        ]
    return _held_or_of_class(m, receiver, name, state.field(receiver.address, name), state, scope, node)


def _held_or_of_class(
    m: Analysis, receiver: Obj, name: str, own: Value | None, state: State, scope: Scope, node: ast.AST
) -> Results:
    if own is not None:
        held = labelled(m, receiver, name, m.resolve_import(own, state), scope, node)
        return read_again(m, (receiver.address, name), [(held, state)])
    if not receiver.exact:
        found = m.implementations(receiver.cls, name)
        if found is not None:
            return _from_each(m, receiver, name, found, state, scope, node)
    return _of_class_of(m, receiver, receiver.cls, name, state, scope, node)


VALUE = ("value", "_value_")


def _value_of(receiver: Obj) -> Value:
    """The value of a member that was looked up by its value is that value."""
    match receiver.address:
        case Applied(function, (term,)) if function == receiver.cls.reference:
            return Sym(term=term)
        case _:
            return Sym(term=Field(receiver.address, "value"))


def _from_each(
    m: Analysis, receiver: Obj, name: str, classes: list[ClassInfo], state: State, scope: Scope, node: ast.AST
) -> Results:
    """A class that others specialise, or a protocol: every implementation may be the one that runs."""
    if not classes:
        return [(Sym(receiver.labels, Field(receiver.address, name), why=Reason.OPEN_PROTOCOL), state)]
    results: Results = []
    for cls in classes:
        chosen = replace(receiver, cls=cls, exact=receiver.cls.is_protocol or not cls.subclasses)
        results += _of_class_of(m, chosen, cls, name, state.fork(), scope, node)
    if m.declared_open(receiver.cls):
        results.append((Sym(receiver.labels, Field(receiver.address, name), why=Reason.OPEN_PROTOCOL), state.fork()))
    return results


def _of_class_of(
    m: Analysis, receiver: Obj, cls: ClassInfo, name: str, state: State, scope: Scope, node: ast.AST
) -> Results:
    for owner in cls.mro:
        changed = state.field(term_of(Class(info=owner)), name)
        if changed is not None:
            return [
                pair
                for option, after in read_again(m, (term_of(Class(info=owner)), name), [(changed, state)])
                for pair in _bind(m, receiver, name, option, owner, after, scope, node)
            ]
        if name in owner.namespace:
            break
    found = cls.lookup(name)
    if found is not None:
        owner, value = found
        if isinstance(value, Func) and not m.past and m.later is not None and m.later.replaces(cls, name):
            other: Results = [
                (Sym(receiver.labels, Field(receiver.address, name), why=Reason.OPAQUE_CALLABLE), state.fork())
            ]
            return [*_bind(m, receiver, name, value, owner, state, scope, node), *other]
        if not (owner.field_annotation(name) and _plain(value) and m.is_symbolic(receiver)):
            return _bind(m, receiver, name, m.resolve_import(value, state), owner, state, scope, node)
    held = m.symbolic_field(receiver, name, state)
    if held is not None:
        held = labelled(m, receiver, name, held, scope, node)
        return read_again(m, (receiver.address, name), [(held, state)])
    if name == OWN:
        return [(namespaces.of(m, receiver, state), state)]
    if name in OF_EVERY_OBJECT:
        return [(Partial(function=Foreign(path=OF_EVERY_OBJECT[name]), args=(receiver,)), state)]
    if name == "__init__" and has_generated_init(cls):
        return [(Partial(function=Foreign(path="flow.initialise"), args=(receiver,)), state)]
    if name == "__class__":
        return [(Class(info=cls), state)]
    if name == "start" and cls.lookup("run") and any(base in THREADS for base in cls.foreign_bases()):
        return _of_class_of(m, receiver, cls, "run", state, scope, node)
    if cls.lookup("__getattr__"):
        return _through_proxy(m, receiver, name, state, scope, node)
    why = Reason.DYNAMIC_ATTRIBUTE if not cls.foreign_bases() and not cls.opaque_base else Reason.UNTYPED_RECEIVER
    told = m.told_by_text(cls, name)
    plain = Sym(receiver.labels | holding.held(state, receiver.address), Field(receiver.address, name), told, why=why)
    return [(labelled(m, receiver, name, plain, scope, node), state)]


def _plain(value: Value) -> bool:
    return isinstance(value, Const | Tuple | Seq | Dict | Sym | Foreign) or getattr(value, "kind", "") == "factory"


def _through_proxy(m: Analysis, receiver: Obj, name: str, state: State, scope: Scope, node: ast.AST) -> Results:
    getter = receiver.cls.lookup("__getattr__")
    assert getter is not None
    function = Bound(function=getter[1], receiver=receiver, owner=getter[0])
    results = m.call(function, Arguments((Const(value=name),)), state, scope, node)
    return [(replace(value, why=Reason.PROXY) if isinstance(value, Sym) else value, after) for value, after in results]


def _bind(
    m: Analysis, receiver: Obj, name: str, value: Value, owner: ClassInfo, state: State, scope: Scope, node: ast.AST
) -> Results:
    match value:
        case Descriptor(kind="property" | "cached"):
            bound = Bound(function=value.function, receiver=receiver, owner=owner)
            shared = value.kind == "cached" and lives_on(receiver.address)
            called = Wrapped(function=bound, kind="cache") if shared else bound
            results = m.call(called, Arguments(), state, scope, node)
            if value.kind == "cached":
                fields.remember(receiver.address, name, results)
            return [(labelled(m, receiver, name, v, scope, node), s) for v, s in results]
        case Descriptor(kind="static"):
            return [(value.function, state)]
        case Descriptor(kind="class"):
            return [(Bound(function=value.function, receiver=Class(info=receiver.cls), owner=owner), state)]
        case Func() | Wrapped() | Partial() if not getattr(value, "bare", False):
            if isinstance(value, Partial) and not isinstance(value.function, Wrapped):
                return [(value, state)]
            return [(Bound(function=value, receiver=receiver, owner=owner), state)]
        case Obj() if implicit.defines(value, "__get__"):
            given = (receiver, Class(info=receiver.cls))
            results = implicit.special(m, value, "__get__", given, state, scope, node)
            return [(labelled(m, receiver, name, v, scope, node), s) for v, s in results]
        case _:
            return [(labelled(m, receiver, name, value, scope, node), state)]


def _of_class(m: Analysis, receiver: Class, name: str, state: State, scope: Scope, node: ast.AST) -> Results:
    found = receiver.info.lookup(name)
    for owner in receiver.info.mro:
        changed = state.field(term_of(Class(info=owner)), name)
        if changed is not None:
            return read_again(m, (term_of(Class(info=owner)), name), [(changed, state)])
        if name in owner.namespace:
            break
    member = descriptors.slot(receiver.info, name)
    if member is not None:
        return [(member, state)]
    if found is None:
        if name == OWN:
            return [(namespaces.of(m, receiver, state), state)]
        if name in OF_EVERY_CLASS:
            return [(Foreign(path=f"builtins.object.{name}"), state)]
        if name in ("__name__", "__qualname__", "__module__", "__doc__"):
            return [(Sym(term=Field(term_of(receiver), name), type=STR), state)]
        made = implicit.of_metaclass(m, receiver, name, Arguments(), state, scope, node) if name == "__call__" else None
        made = made or implicit.of_metaclass(
            m, receiver, "__getattr__", Arguments((Const(value=name),)), state, scope, node
        )
        unknown = Sym(receiver.labels, Field(term_of(receiver), name), why=Reason.DYNAMIC_ATTRIBUTE)
        return made if made is not None else [(unknown, state)]
    owner, value = found
    match m.resolve_import(value, state):
        case Descriptor(kind="class"):
            return [(Bound(function=value.function, receiver=receiver, owner=owner), state)]
        case Descriptor(kind="static") as static:
            return [(static.function, state)]
        case other:
            return [(other, state)]


def _of_super(m: Analysis, receiver: Super, name: str, state: State, scope: Scope, node: ast.AST) -> Results:
    own = (
        receiver.receiver.cls
        if isinstance(receiver.receiver, Obj)
        else getattr(receiver.receiver, "info", receiver.cls)
    )
    mro = own.mro
    after = mro[mro.index(receiver.cls) + 1 :] if receiver.cls in mro else ()
    for cls in after:
        if name in cls.namespace:
            if isinstance(receiver.receiver, Obj):
                return _bind(m, receiver.receiver, name, cls.namespace[name], cls, state, scope, node)
            return [(Bound(function=cls.namespace[name], receiver=receiver.receiver, owner=cls), state)]
    if isinstance(receiver.receiver, Class) and name in ("__call__", "__new__"):
        given = (receiver.receiver,) if name == "__call__" else ()
        return [(Partial(function=Foreign(path=f"flow.object.{name}"), args=given), state)]
    if isinstance(receiver.receiver, Obj) and name in ("__setattr__", "__getattribute__"):
        return [(Partial(function=Foreign(path=f"builtins.object.{name}"), args=(receiver.receiver,)), state)]
    if isinstance(receiver.receiver, Obj) and own.foreign_bases():
        return [(Partial(function=Foreign(path="flow.inherited"), args=(receiver.receiver, Const(value=name))), state)]
    return [(m.foreign(f"object.{name}", receiver.labels), state)]


def _of_member(m: Analysis, receiver: Member, name: str, state: State, scope: Scope, node: ast.AST) -> Results:
    if name in ("value", "_value_"):
        value = m.member_value(receiver)
        return [(value or Sym(term=Field(term_of(receiver), name)), state)]
    if name in ("name", "_name_"):
        return [(Const(value=receiver.name), state)]
    found = receiver.cls.lookup(name)
    if found is not None and isinstance(found[1], Func | Descriptor):
        as_object = Obj(address=term_of(receiver), cls=receiver.cls, exact=True)
        return _bind(m, as_object, name, found[1], found[0], state, scope, node)
    return [(Sym(term=Field(term_of(receiver), name)), state)]


def _of_symbol(m: Analysis, receiver: Sym, name: str, state: State, scope: Scope, node: ast.AST) -> Results:
    """An attribute of something whose class is not known: a field by name, or a method by name."""
    term = receiver.term
    if name == OWN:
        return [(o, state.fork()) for o in options_of(namespaces.space(m, receiver, state))]
    if name == "__init__":
        return [(Partial(function=Foreign(path="flow.initialise"), args=(receiver,)), state)]
    if receiver.type == NONE_TYPE or state.known.get(("is", term, NOTHING)) is True:
        return _missing(m, state)
    shared = attached.read(m, receiver, name, state, scope, node)
    if shared is not None:
        return [(held or Sym(receiver.labels, Field(term, name)), after) for held, after in shared]
    kept = state.field(term, name)
    if kept is not None:
        return read_again(m, (term, name), [(kept, state)])
    if term in m.namespaces and name in namespaces.METHODS:
        return [(namespaces.method(receiver, name), state)]
    if receiver.type.name == context_vars.KIND and name in context_vars.METHODS:
        return [(Method(receiver.labels, receiver, name), state)]
    if receiver.type.name in ("str", "bytes", "int", "float", "bool"):
        return [(Method(receiver.labels, receiver, name), state)]
    labels = m.guessed_labels(term, name, scope.here) | holding.held(state, term)
    return [(abroad.attribute(m, receiver, name, receiver.labels | labels), state)]
