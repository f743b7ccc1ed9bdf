"""Namespaces as dictionaries: `globals()`, `vars(x)`, `x.__dict__`, and text that is run as code."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import entries
from pytest_invariants.flow.containers.containers import known_items, put_key
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import OWN, Cell, State, Template, lives_on
from pytest_invariants.flow.domain.terms import Applied, Field, Term
from pytest_invariants.flow.domain.values import (
    NO_LABELS,
    NONE,
    Class,
    Const,
    Dict,
    Foreign,
    Label,
    Labels,
    Module,
    Obj,
    Partial,
    Sym,
    Tuple,
    Value,
    options_of,
    term_of,
    union,
    with_labels,
)
from pytest_invariants.flow.machine.machine import Arguments, Event, Outcome, Results
from pytest_invariants.flow.objects import attached
from pytest_invariants.flow.seal.granting import deep_labels
from pytest_invariants.verdict import Place, Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


METHODS = frozenset({
    "get", "update", "pop", "popitem", "setdefault", "clear", "__getitem__", "__setitem__", "__delitem__", "__ior__",
})  # fmt: skip


def space(m: Analysis, owner: Value, state: State) -> Value:
    """The dictionary in which the names of a module, class or instance stand now."""
    return attached.space_of(m, owner, state) or of(m, owner, state)


def of(m: Analysis, owner: Value, state: State) -> Sym:
    """The namespace that a module, class or instance came with."""
    term = Field(term_of(owner), OWN)
    m.namespaces[term] = owner
    labels = deep_labels(m, owner, state)
    if isinstance(owner, Obj):
        labels |= m.owned_labels(owner, state)
    return Sym(labels, term, why=Reason.DYNAMIC_ATTRIBUTE)


def method(receiver: Sym, name: str) -> Value:
    return Partial(function=Foreign(path=f"flow.namespace.{name}"), args=(receiver,))


def read(m: Analysis, owner: Value, key: Value, state: State, scope: Scope, node: ast.AST) -> Results:
    if isinstance(key, Const) and isinstance(key.value, str):
        return _named(m, owner, key.value, state, scope, node)
    seen = of(m, owner, state)
    labels = seen.labels | _unseen(scope.at(node)) if isinstance(owner, Module) else seen.labels
    return [(Sym(labels, Applied("entry", (seen.term, term_of(key))), why=Reason.DYNAMIC_ATTRIBUTE), state)]


def _named(m: Analysis, owner: Value, name: str, state: State, scope: Scope, node: ast.AST) -> Results:
    if attached.space_of(m, owner, state) is None:
        return m.attribute(owner, name, state, scope, node)
    value = attached.standing(m, owner, name, state)
    return [(value or Sym(term=Field(term_of(owner), name), why=Reason.DYNAMIC_ATTRIBUTE), state)]


def put(m: Analysis, owner: Value, key: Value, value: Value, state: State, scope: Scope) -> None:
    """Set a name in the namespace that the owner came with, whatever stands in its place by now."""
    if attached.space_of(m, owner, state) is None:
        write(m, owner, key, value, state, scope)
    elif isinstance(key, Const) and isinstance(key.value, str):
        attached.set_standing(m, owner, key.value, value, state)
    else:
        for name in _fields(m, owner, state):
            attached.set_standing(m, owner, name, value, state, alone=False)


def remove(m: Analysis, owner: Value, key: Value | None, state: State, scope: Scope) -> None:
    """A name is gone; without a key, or under one that is not known, it may be any of them."""
    from pytest_invariants.flow.machine import deleting

    names = [key.value] if isinstance(key, Const) and isinstance(key.value, str) else list(_fields(m, owner, state))
    for name in names if not isinstance(owner, Module) else ():
        if isinstance(key, Const) or key is None:
            deleting.attribute(m, owner, name, state, scope)
        else:
            put(
                m,
                owner,
                Const(value=name),
                Sym(term=Field(term_of(owner), name), why=Reason.DYNAMIC_ATTRIBUTE),
                state,
                scope,
            )


def write(m: Analysis, owner: Value, key: Value, value: Value, state: State, scope: Scope) -> None:
    """Under a name that is not known the value may have come to stand anywhere."""
    if isinstance(key, Const) and isinstance(key.value, str):
        m.set_attribute(owner, key.value, value, state, scope)
    elif isinstance(owner, Module):
        m.program.read.namespaces = True
        for name, old in state.frame(f"module {owner.name}").items():
            m.set_attribute(owner, name, union([old, value]), state, scope)
    else:
        for name, old in _fields(m, owner, state).items():
            m.set_attribute(owner, name, union([old, value]), state, scope)


def _fields(m: Analysis, owner: Value, state: State) -> dict[str, Value]:
    if isinstance(owner, Sym):
        names = {n for ref in m.seal.declared.principal.values() if ref for n in [ref.qualname.rpartition(".")[2]]}
        names |= {name.rpartition("_")[2] for name in m.seal.declared.principal} | set(m.seal.declared.principal)
        names |= {name for address, name in state.fields if address == owner.term}
        return {name: state.field(owner.term, name) or Sym(term=Field(owner.term, name)) for name in names}
    if isinstance(owner, Class):
        own = {name: value for name, value in owner.info.namespace.items() if not name.startswith("_")}
        return own | {n: v for (address, n), v in state.fields.items() if address == term_of(owner)}
    return _fields_of_object(m, owner, state) if isinstance(owner, Obj) else {}


def _fields_of_object(m: Analysis, owner: Obj, state: State) -> dict[str, Value]:
    """Its own fields, and what its classes hold for it: methods stay what they are."""
    plain = {n for cls in owner.cls.mro for n, v in cls.namespace.items() if isinstance(v, Const)}
    own_names = {*plain, *owner.cls.field_names(), *m.fields_of(owner, state), *m.constructed_fields(owner.cls)}
    found = {}
    for name in sorted(own_names):
        own = state.field(owner.address, name) or m.symbolic_field(owner, name, state)
        found[name] = own or Sym(term=Field(owner.address, name))
    return found


def _unseen(at: Place) -> Labels:
    return frozenset({Label(-1, Applied("unseen", ()), at, doubt=Reason.DYNAMIC_ATTRIBUTE)})


def call_method(m: Analysis, name: str, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    namespace, *given = arguments.positional
    owner = m.namespaces[term_of(namespace)]
    if name in ("get", "pop", "__getitem__") and given:
        default = [(given[1], state.fork())] if len(given) > 1 else []
        found = read(m, owner, given[0], state, scope, node)
        for _, after in found if name == "pop" else []:
            remove(m, owner, given[0], after, scope)
        return [*found, *default]
    if name in ("clear", "popitem", "__delitem__"):
        seen = Sym(namespace.labels, Applied("entry", (term_of(namespace), term_of(NONE))))
        remove(m, owner, given[0] if given else None, state, scope)
        return [(NONE if name != "popitem" else Tuple(items=(Sym(term=m.fresh("name")), seen)), state)]
    if name in ("setdefault", "__setitem__") and len(given) > 1:
        put(m, owner, given[0], given[1], state, scope)
        return [(given[1], state)]
    pairs: list[tuple[Value, Value]] = [(Const(value=key), value) for key, value in arguments.keywords]
    for more in given:
        known = known_items(more, state) if isinstance(more, Dict) else _of_one_made_here(m, more, state)
        if known is not None:
            pairs += [(Const(value=key), value) for key, value in known]
        else:
            pairs.append((Sym(term=m.fresh("name")), with_labels(Sym(term=m.fresh("value")), more.labels)))
    for key, value in pairs:
        put(m, owner, key, value, state, scope)
    return [(namespace if name == "__ior__" else NONE, state)]


SETTERS = frozenset({"__set__", "__delete__", "__setattr__", "__delattr__", "__setstate__"})
"""Methods that change the attributes of what they are given."""


def set_unseen(m: Analysis, function: Term, arguments: Arguments, state: State, scope: Scope, at: Place) -> None:
    """A method that is not followed and goes by the name of one that sets attributes: it may have set any."""
    entries.by_method(m, function, arguments, state)
    for value in arguments.every() if isinstance(function, Field) and function.name in SETTERS else ():
        if isinstance(value, Obj):
            some = Sym(_unseen(at), m.fresh("set"), why=Reason.DYNAMIC_ATTRIBUTE)
            write(m, value, Sym(term=m.fresh("name")), some, state, scope)


def _of_one_made_here(m: Analysis, space: Value, state: State) -> tuple[tuple[str, Value], ...] | None:
    """The entries of the namespace that an object came with, where all of them are known."""
    owner = m.namespaces.get(term_of(space)) if isinstance(space, Sym) else None
    known = isinstance(owner, Obj) and not lives_on(owner.address) and not owner.cls.foreign_bases()
    fields = m.fields_of(owner, state) if known and isinstance(owner, Obj) else {OWN: space}
    return None if OWN in fields else tuple(fields.items())


def globals_of(m: Analysis, _arguments: Arguments, state: State, scope: Scope, _node: ast.AST) -> Results:
    return [(of(m, Module(name=scope.module), state), state)]


def locals_of(m: Analysis, _arguments: Arguments, state: State, scope: Scope, _node: ast.AST) -> Results:
    """A copy of the function's own names; at the top of a module its names themselves."""
    if scope.frame.startswith("module "):
        m.program.read.namespaces = True
        return [(of(m, Module(name=scope.module), state), state)]
    new = Dict(address=m.allocate(state))
    frame = {name: value for name, value in state.frame(scope.frame).items() if not name.startswith("<")}
    entries = tuple(Template(value, state.facts, Const(value=name)) for name, value in frame.items())
    state.heap[new.address] = Cell(entries)
    return [(new, state)]


def vars_of(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    if not arguments.positional:
        return locals_of(m, arguments, state, scope, node)
    value = arguments.positional[0]
    if isinstance(value, Obj | Class | Module | Sym):
        return [(option, state.fork()) for option in options_of(space(m, value, state))]
    labels = deep_labels(m, value, state, objects=True)
    return [(Sym(labels, Applied("asdict", (term_of(value),))), state)]


def executed(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """`exec`: a text that is written out is followed; any other may do anything with the names that it is given."""
    text, *spaces = arguments.every()
    if isinstance(text, Const) and isinstance(text.value, str) and not spaces:
        ends: list[Outcome] = m.execute(_parsed(text.value, node), state, scope)
        return [(NONE, end.state) for end in ends if end.kind == "next"]
    label = Label(-1, Applied("unseen", ()), scope.at(node), doubt=Reason.OPAQUE_CALLABLE)
    _unseen_code(m, label, spaces, state, scope)
    for space in spaces:
        if isinstance(space, Dict):
            made = Sym(frozenset({label}), m.fresh("made by exec"))
            put_key(m, space.address, Sym(term=m.fresh("name")), made, state)
    return [(NONE, state)]


def _unseen_code(m: Analysis, label: Label, spaces: list[Value], state: State, scope: Scope) -> None:
    """Code that is not read may do anything with what stands in its namespaces, or in those around it."""
    from pytest_invariants.flow.calls.calls import of_program

    if spaces and all(isinstance(space, Dict) and not of_program(m, space, state, 3) for space in spaces):
        return
    if not m.past:
        m.effects.events.append(Event(label, scope.here, state.fork(), None))
    owners = [m.namespaces.get(space.term) for space in spaces if isinstance(space, Sym)]
    around = [Module(name=scope.module)] if not spaces and scope.info is None else []
    for owner in (*owners, *around):
        if isinstance(owner, Module):
            m.opened.module(owner.name, label.read, Reason.OPAQUE_CALLABLE, state)


def evaluated(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    text, *spaces = arguments.every()
    if isinstance(text, Const) and isinstance(text.value, str) and not spaces:
        body = _parsed(text.value, node)
        if len(body) == 1 and isinstance(body[0], ast.Expr):
            return m.evaluate(body[0].value, state, scope)
    labels = NO_LABELS.union(*(deep_labels(m, value, state, objects=True) for value in arguments.every()))
    label = Label(-1, Applied("unseen", ()), scope.at(node), doubt=Reason.OPAQUE_CALLABLE)
    if not isinstance(text, Const) and not m.past:
        _unseen_code(m, label, spaces, state, scope)
    return [(Sym(labels | {label}, m.fresh("evaluated"), why=Reason.OPAQUE_CALLABLE), state)]


def reloaded(m: Analysis, arguments: Arguments, state: State, scope: Scope, _node: ast.AST) -> Results:
    """`importlib.reload`: the same names, bound to new things."""
    for value in arguments.positional:
        if isinstance(value, Module):
            m.opened.module(value.name, scope.here, Reason.COMPUTED_IMPORT, state)
    return [(arguments.positional[0] if arguments.positional else NONE, state)]


def _parsed(text: str, node: ast.AST) -> list[ast.stmt]:
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return []
    for part in (inner for statement in body for inner in ast.walk(statement)):
        if hasattr(part, "lineno"):
            part.lineno = getattr(node, "lineno", 1)
    return body
