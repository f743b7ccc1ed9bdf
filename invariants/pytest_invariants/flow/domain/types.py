"""Types: reading annotations, and what a value of a type looks like."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain import abroad
from pytest_invariants.flow.domain.terms import PAST, Applied, Element, Field, Index, Literal, Term
from pytest_invariants.flow.domain.values import (
    ANY,
    BOOL,
    NONE_TYPE,
    STR,
    Class,
    Dict,
    Foreign,
    Obj,
    Seq,
    Sym,
    Tuple,
    Type,
    Union,
    Value,
)
from pytest_invariants.verdict import Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.domain.scope import Scope
    from pytest_invariants.flow.domain.state import State
    from pytest_invariants.flow.machine.analysis import Analysis

SEQUENCES = {
    "list": "list", "List": "list", "set": "set", "Set": "set", "frozenset": "set", "FrozenSet": "set", "tuple": "tuple",
    "Tuple": "tuple", "Sequence": "list", "MutableSequence": "list", "Collection": "list", "Iterable": "iterator",
    "Iterator": "iterator", "Generator": "iterator", "AsyncIterator": "iterator", "AsyncIterable": "iterator",
    "AsyncGenerator": "iterator", "AbstractSet": "set", "MutableSet": "set", "deque": "list", "KeysView": "list",
    "ValuesView": "list",
}  # fmt: skip
MAPPINGS = frozenset({"dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict", "DefaultDict"})
TRANSPARENT = frozenset({"Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly", "InitVar"})
AWAITABLES = frozenset({"Awaitable", "Coroutine", "Future", "Task"})
SCALARS = frozenset({"str", "int", "float", "bool", "bytes", "complex"})


def read(m: Analysis, node: ast.expr | None, state: State, scope: Scope) -> Type:
    """The type that an annotation means; what is not understood is ANY."""
    match node:
        case None:
            return ANY
        case ast.Constant(value=None):
            return NONE_TYPE
        case ast.Constant(value=str(text)):
            try:
                return read(m, ast.parse(text, mode="eval").body, state, scope)
            except SyntaxError:
                return ANY
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return either([read(m, left, state, scope), read(m, right, state, scope)])
        case ast.Subscript(value=base, slice=inner):
            return _generic(m, base, inner, state, scope)
        case ast.Name() | ast.Attribute():
            return _named(m, node, state, scope)
        case _:
            return ANY


def either(types: list[Type]) -> Type:
    flat = tuple(dict.fromkeys(option for kind in types for option in kind.alternatives()))
    return flat[0] if len(flat) == 1 else Type(options=flat)


def _named(m: Analysis, node: ast.expr, state: State, scope: Scope) -> Type:
    for value, _ in m.evaluate_quietly(node, state, scope):
        if isinstance(value, Class):
            return Type(value.info.name, value.info)
        if isinstance(value, Foreign):
            return Type(value.path.rpartition(".")[2], path=abroad.path_of(value.path))
    return Type(node.id) if isinstance(node, ast.Name) and node.id in SCALARS else ANY


def _generic(m: Analysis, base: ast.expr, inner: ast.expr, state: State, scope: Scope) -> Type:
    name = ast.unparse(base).rpartition(".")[2]
    parts = list(inner.elts) if isinstance(inner, ast.Tuple) else [inner]
    if name == "Optional":
        return either([read(m, inner, state, scope), NONE_TYPE])
    if name == "Union":
        return either([read(m, part, state, scope) for part in parts])
    if name in TRANSPARENT:
        return read(m, parts[0], state, scope)
    if name == "Literal":
        return STR
    if name == "ContextVar":
        return Type(name, args=tuple(read(m, part, state, scope) for part in parts))
    if name in ("type", "Type"):
        return Type("type")
    if name not in SEQUENCES and name not in MAPPINGS and name not in AWAITABLES:
        outer = read(m, base, state, scope)
        return outer if outer.cls is not None or outer.path else Type(name)
    return Type(name, args=tuple(read(m, part, state, scope) for part in parts if not _ellipsis(part)))


def _ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def element_type(declared: Type) -> Type:
    """The type of what iterating gives."""
    if declared.name == "str":
        return STR
    known = declared.name in SEQUENCES or declared.name in MAPPINGS
    return declared.args[0] if known and declared.args else ANY


def value_type(declared: Type) -> Type:
    """The type of what a subscript gives."""
    if declared.name in MAPPINGS and len(declared.args) == 2:
        return declared.args[1]
    return STR if declared.name == "str" else element_type(declared)


def type_at(m: Analysis, address: Term) -> Type:
    """The type of a collection of which only the origin is known: one that is drawn from another, or looked up in it, has the
    type of what that holds."""
    found = m.types.get(address)
    if found is not None:
        return found
    match address:
        case Element(draw=draw, base=base) if draw == PAST or (draw and isinstance(base, Element) and not base.draw):
            return type_at(m, base)
        case Element(base=base):
            return element_type(type_at(m, base))
        case Index(base=base):
            return value_type(type_at(m, base))
        case Field(base=base, name=name) if m.reach is not None and (cls := m.class_of.get(base)) is not None:
            return m.reach.mentions.fields.type_of(cls, name)
        case Applied("keys", (base,)):
            return Type("list", args=type_at(m, base).args[:1])
        case Applied("values", (base,)):
            return Type("list", args=type_at(m, base).args[1:])
        case _:
            return ANY


def awaited_type(declared: Type) -> Type:
    return declared.args[-1] if declared.name in AWAITABLES and declared.args else ANY


def type_of_constant(value: object) -> Type:
    return STR if isinstance(value, str) else BOOL if isinstance(value, bool) else Type(type(value).__name__)


def shape(m: Analysis, term: Term, declared: Type, why: Reason = Reason.UNTYPED_RECEIVER) -> Value:
    """A value of a type of which only the origin is known."""
    if declared.options:
        return _optional(m, term, declared, why)
    name = declared.name
    if declared.cls is not None and any(base.endswith("TypedDict") for base in declared.cls.foreign_bases()):
        m.types[term] = Type("dict", args=(STR, ANY))
        return Dict(address=term)
    if declared.cls is not None:
        return Sym(term=term, type=declared) if declared.cls.is_enum else Obj(address=term, cls=declared.cls)
    if name in ("tuple", "Tuple") and len(declared.args) > 1:
        parts = [shape(m, Index(term, Literal(i, "int")), kind) for i, kind in enumerate(declared.args)]
        return Tuple(items=tuple(parts))
    if name in SEQUENCES:
        m.types[term] = declared
        return Seq(address=term, kind=SEQUENCES[name])
    if name in MAPPINGS:
        m.types[term] = declared
        return Dict(address=term)
    callable_ = Reason.OPAQUE_CALLABLE if name == "Callable" else why
    return Sym(term=term, type=declared, why=callable_, abroad=abroad.typed(declared))


def _optional(m: Analysis, term: Term, declared: Type, why: Reason) -> Value:
    """A union: alternatives that have a shape are told apart, scalars are one symbol (so that its origin is not lost)."""
    shaped = [t for t in declared.options if t.cls is not None or t.name in SEQUENCES or t.name in MAPPINGS]
    if not shaped:
        return Sym(term=term, type=declared, why=why, abroad=abroad.typed(declared))
    values = [shape(m, term, t, why) for t in shaped]
    others = tuple(t for t in declared.options if t not in shaped)
    if others:
        values.append(Sym(term=term, type=either(list(others)), why=why))
    return values[0] if len(values) == 1 else Union(options=tuple(values))


def scalar(declared: Type) -> bool:
    """Whether such a value holds no object of the program."""
    return declared != ANY and all(option.name in SCALARS or option == NONE_TYPE for option in declared.alternatives())


def may_be_none(declared: Type) -> bool:
    return declared == ANY or any(option == NONE_TYPE for option in declared.alternatives())
