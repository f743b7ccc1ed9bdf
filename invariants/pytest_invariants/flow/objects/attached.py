"""Objects whose attributes are the entries of a dictionary that others hold as well: `x.__dict__ = d`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import containers, holding
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import OWN, State, Template
from pytest_invariants.flow.domain.terms import Field
from pytest_invariants.flow.domain.values import (
    Const,
    Descriptor,
    Dict,
    Func,
    Obj,
    Sym,
    Union,
    Value,
    options_of,
    term_of,
    union,
)
from pytest_invariants.program.bodies import glance
from pytest_invariants.program.code import ClassInfo, own_nodes

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

MISSING = Const(value="<missing>")
Found = list[tuple[Value | None, State]]
"""What may stand under a name; None where nothing does."""


def space_of(m: Analysis, owner: Value, state: State) -> Value | None:
    """What was put in the place of an object's own namespace."""
    held = state.field(term_of(owner), OWN)
    if held is None and isinstance(owner, Obj) and _is_set_by_constructor(m, owner.cls):
        held = m.symbolic_field(owner, OWN, state)
    return None if isinstance(held, Obj) else held  # a dictionary may be its own namespace


def _is_set_by_constructor(m: Analysis, cls: ClassInfo) -> bool:
    if cls not in m.attaching:
        found = cls.lookup("__init__")
        node = found[1].info.node if found is not None and isinstance(found[1], Func) else None
        m.attaching[cls] = False  # while its constructor is being followed
        if node is not None:
            with glance(node):
                sets = any(isinstance(n, ast.Attribute) and n.attr == OWN and _stored(n) for n in own_nodes(node))
            m.attaching[cls] = sets and m.constructed_field(cls, OWN) is not None
    return m.attaching[cls]


def _stored(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Store)


def read(m: Analysis, owner: Obj | Sym, name: str, state: State, scope: Scope, node: ast.AST) -> Found | None:
    """What the object holds under a name, where its attributes stand elsewhere."""
    held = None if name.startswith("__") else space_of(m, owner, state)
    if held is None or _is_of_class(owner, name, held):
        return None
    return [pair for one in options_of(held) for pair in _entry(m, one, owner, name, state.fork(), scope, node)]


def _is_of_class(owner: Value, name: str, held: Value) -> bool:
    """Whether the class has the last word: a property always, a method unless the entries are known."""
    found = owner.cls.lookup(name) if isinstance(owner, Obj) else None
    if found is None:
        return False
    is_method = isinstance(found[1], Func) and not isinstance(held, Dict | Union)
    return is_method or (isinstance(found[1], Descriptor) and found[1].kind == "property")


def _entry(m: Analysis, held: Value, owner: Value, name: str, state: State, scope: Scope, node: ast.AST) -> Found:
    from pytest_invariants.flow.containers import lookups

    if isinstance(held, Sym) and held.term in m.namespaces:
        return [(standing(m, m.namespaces[held.term], name, state), state)]
    key = Const(value=name)
    there = isinstance(held, Dict) and any(t.key == key for t in containers.contents(m, held, state).templates)
    results = lookups.lookup(m, held, key, state, scope, node, MISSING)
    found: Found = [(value, after) for value, after in results if value is not MISSING]
    hides = isinstance(owner, Obj) and owner.cls.lookup(name) is None
    return found if found and hides and (there or not isinstance(held, Dict)) else [*found, (None, state)]


def standing(m: Analysis, owner: Value, name: str, state: State) -> Value | None:
    """What an object's first namespace holds, whatever stands in its place by now."""
    own = state.field(term_of(owner), name)
    if own is not None:
        return own
    if isinstance(owner, Obj):
        return m.symbolic_field(owner, name, state)
    return Sym(owner.labels, Field(term_of(owner), name))


def write(m: Analysis, owner: Value, name: str, value: Value, state: State) -> bool:
    """Set an attribute where the object's attributes stand elsewhere."""
    held = None if name.startswith("__") or not isinstance(owner, Obj | Sym) else space_of(m, owner, state)
    choice = options_of(held) if held is not None else ()
    for one in choice:
        _put(m, one, name, value, state, alone=len(choice) == 1)
    return bool(choice)


def _put(m: Analysis, held: Value, name: str, value: Value, state: State, *, alone: bool) -> None:
    if isinstance(held, Sym) and held.term in m.namespaces:
        set_standing(m, m.namespaces[held.term], name, value, state, alone=alone)
    elif isinstance(held, Dict) and alone:
        containers.put_key(m, held.address, Const(value=name), value, state)
    elif isinstance(held, Dict):
        state.put(held.address, Template(value, state.facts, Const(value=name)), replaces=False)
        m.persist(held.address, f"key {name!r}", value, state, Const(value=name))
    else:
        holding.hold(m, term_of(held), (value,), state)
        m.persist(term_of(held), f"key {name!r}", value, state, Const(value=name))


def set_standing(m: Analysis, owner: Value, name: str, value: Value, state: State, *, alone: bool = True) -> None:
    """Set a name in an object's first namespace."""
    address = term_of(owner)
    old = None if alone else standing(m, owner, name, state)
    state.set_field(address, name, value if old is None else union([old, value]))
    m.persist(address, f"field {name}", value, state)


def copied(m: Analysis, owner: Obj, state: State) -> dict[str, Value]:
    """The fields of a copy: its namespace is another one with the same entries."""
    fields = m.fields_of(owner, state)
    held = fields.get(OWN)
    if isinstance(held, Dict):
        fields[OWN] = containers.merged_dict(m, [held], state)
    elif held is not None:
        names = {name for one in options_of(held) for name in _names_in(m, one, state)}
        found = {name: [v for one in options_of(held) if (v := _plain(m, one, name, state))] for name in sorted(names)}
        fields = {**fields, **{name: union(values) for name, values in found.items() if values}}
        del fields[OWN]
    return fields


def _names_in(m: Analysis, held: Value, state: State) -> list[str]:
    if isinstance(held, Dict):
        return [
            k.value
            for t in state.cell(held.address).templates
            if isinstance(k := t.key, Const) and isinstance(k.value, str)
        ]
    owner = m.namespaces.get(term_of(held))
    return list(m.fields_of(owner, state)) if isinstance(owner, Obj) else []


def _plain(m: Analysis, held: Value, name: str, state: State) -> Value | None:
    if isinstance(held, Dict):
        values = [t.value for t in state.cell(held.address).templates if t.key == Const(value=name)]
        return union(values) if values else None
    owner = m.namespaces.get(term_of(held))
    return standing(m, owner, name, state) if owner is not None else None
