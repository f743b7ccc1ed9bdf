"""Abstract values: what an expression may evaluate to, and what it carries.

Every value carries `labels`: the capabilities that it holds or was computed from. Values are immutable; what can be changed (lists,
dictionaries, instances) lives in the state's heap under the value's address.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection
from dataclasses import replace
from hashlib import sha256
from operator import is_
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.records import Hashed, record
from pytest_invariants.flow.domain.terms import Applied, Element, GivenUp, Literal, Named, Term
from pytest_invariants.verdict import Place, Reason

if TYPE_CHECKING:
    from pytest_invariants.program.code import ClassInfo, FunctionInfo


@record
class Label(Hashed):
    """A capability that a value carries.

    `subject` says whose it is, `also` is the result of the capability itself, which may be asked about as well. `exit` is the first
    statement by which it left a function, `cleared` the call of the seal that covered it. `missed` says what was wrong with the
    answers known when it was put into a collection, `joined` that others beside it were covered, `stale` that an earlier
    activation left it behind; `doubt` is the reason why it may be no capability at all. `answer` marks an element of
    the seal's answer, `aside` what is told of one and is no capability of the registry: it shows that the answer was used.
    """

    capability: int
    subject: Term
    read: Place
    exit: Place | None = None
    cleared: Place | None = None
    stale: bool = False
    doubt: Reason | None = None
    joined: bool = False
    suspended: bool = False
    missed: Reason | None = None
    also: Term | None = None
    answer: bool = False
    aside: bool = False


Labels = frozenset[Label]
NO_LABELS: Labels = frozenset()


@record
class Type(Hashed):
    """A type as annotations give it: a class of the program, a builtin or foreign name, or a union (`options`)."""

    name: str = ""
    cls: ClassInfo | None = None
    args: tuple[Type, ...] = ()
    options: tuple[Type, ...] = ()
    path: str = ""
    """The dotted name of a class of another package."""

    def alternatives(self) -> tuple[Type, ...]:
        return self.options or (self,)


ANY = Type()
NONE_TYPE = Type("None")
STR = Type("str")
BOOL = Type("bool")


@record
class SealCall(Hashed):
    """One consultation of the seal: where, about what, for whom. `past` marks one of an earlier activation."""

    at: Place
    number: int
    subjects: tuple[Value, ...]
    principals: tuple[tuple[str, Value], ...]
    past: bool = False
    whole: tuple[Value, ...] = ()
    """What the elements that a filtering seal lets through are elements of."""


@record
class Value(Hashed):
    labels: Labels = NO_LABELS


@record
class Const(Value):
    value: object = None


@record
class Sym(Value):
    """Known by its origin only. `why` says why a call of it cannot be followed, `abroad` that it belongs to another package."""

    term: Term = Named("?")
    type: Type = ANY
    why: Reason = Reason.UNTYPED_RECEIVER
    abroad: bool = False


@record
class Obj(Value):
    """An instance of a class of the program. `exact` excludes subclasses."""

    address: Term = Named("?")
    cls: ClassInfo = None  # type: ignore[assignment]
    exact: bool = False


@record
class Tuple(Value):
    items: tuple[Value, ...] = ()


@record
class Seq(Value):
    """A list, set, frozenset, iterator or generator whose elements stand in the heap."""

    address: Term = Named("?")
    kind: str = "list"


@record
class Dict(Value):
    address: Term = Named("?")


@record
class Func(Value):
    """A function of the program with the frames that it closes over, and its default values."""

    info: FunctionInfo = None  # type: ignore[assignment]
    chain: tuple[str, ...] = ()
    defaults: tuple[tuple[str, Value], ...] = ()
    bare: bool = False


@record
class Bound(Value):
    """A method with its receiver."""

    function: Value = Value()
    receiver: Value = Value()
    owner: ClassInfo | None = None


@record
class Method(Value):
    """A method of a builtin type, or of something unknown, by name."""

    receiver: Value = Value()
    name: str = ""


@record
class Class(Value):
    info: ClassInfo = None  # type: ignore[assignment]


@record
class Module(Value):
    name: str = ""


@record
class Foreign(Value):
    """A name of the standard library, of another package, or a builtin (`builtins.len`)."""

    path: str = ""


@record
class Partial(Value):
    function: Value = Value()
    args: tuple[Value, ...] = ()
    keywords: tuple[tuple[str, Value], ...] = ()
    more: Value | None = None
    options: Value | None = None
    """What `*args` and `**kwargs` of unknown length bring."""


@record
class Wrapped(Value):
    """A function under a decorator that is modelled: `kind` is cache, context, asynccontext, foreign, partialmethod,
    singledispatch or singledispatchmethod."""

    function: Value = Value()
    kind: str = ""
    at: Place | None = None
    fresh: bool = False
    """Whether this very activation has made it."""


@record
class Descriptor(Value):
    """property, cached_property, staticmethod or classmethod around a function; a property may have a setter."""

    function: Value = Value()
    kind: str = ""
    setter: Value | None = None


@record
class Thunk(Value):
    """A call that has not run: a coroutine, a generator, a context manager, a lazy map or filter."""

    kind: str = ""
    number: int = 0
    function: Value = Value()
    args: tuple[Value, ...] = ()
    keywords: tuple[tuple[str, Value], ...] = ()
    at: Place | None = None
    more: Value | None = None
    options: Value | None = None


@record
class Verdict(Value):
    """The seal's answer, or a truth value made of it. `aspect` is whole, truth (the answer's own truth counts) or member."""

    call: SealCall = None  # type: ignore[assignment]
    aspect: str = "whole"


@record
class Member(Value):
    """A member of an enumeration of the program."""

    cls: ClassInfo = None  # type: ignore[assignment]
    name: str = ""


@record
class Cond(Value):
    """A truth value by its form: not, and, or, all, any, or a comparison (`operator` such as `is`, `==`, `in`)."""

    operator: str = ""
    operands: tuple[Value, ...] = ()


@record
class Union(Value):
    """One of several values: what a join of paths leaves."""

    options: tuple[Value, ...] = ()


@record
class Super(Value):
    cls: ClassInfo = None  # type: ignore[assignment]
    receiver: Value = Value()


NONE = Const(value=None)
TRUE = Const(value=True)
FALSE = Const(value=False)


def with_labels(value: Value, labels: Labels) -> Value:
    """The value with these labels added."""
    if labels <= value.labels:
        return value
    if isinstance(value, Union):
        return replace(value, options=tuple(with_labels(option, labels) for option in value.options))
    return replace(value, labels=value.labels | labels)


def term_of(value: Value) -> Term:
    """The value number of a value; values that are equal by construction get equal terms."""
    match value:
        case Const():
            return Literal(value.value, type(value.value).__name__)
        case Sym():
            return value.term
        case Obj() | Seq() | Dict():
            return value.address
        case Tuple():
            return Applied("tuple", tuple(term_of(item) for item in value.items))
        case Class():
            return Named(f"{value.info.module}:{value.info.qualname}")
        case Func():
            made = f"@{value.chain[-1]}" if len(value.chain) > 1 else ""
            return Named(f"{value.info.module}:{value.info.qualname}{made}")
        case Foreign():
            return Named(value.path)
        case Module():
            return Named(value.name)
        case Member():
            return Named(f"{value.cls.module}:{value.cls.qualname}.{value.name}")
        case _:
            return _named(value)


LONGEST = 600
"""Letters of a name that are kept as they are; a longer one is told from others by what it was made from."""


def _named(value: Value) -> Named:
    """A name that equal values share, found once."""
    try:
        known: Named = value._named
    except AttributeError:
        text = repr(value)
        if len(text) > LONGEST:
            text = f"{text[: LONGEST // 2]} {sha256(text.encode()).hexdigest()} {text[-LONGEST // 2 :]}"
        known = Named(text)
        object.__setattr__(value, "_named", known)
    return known


def options_of(value: Value) -> tuple[Value, ...]:
    """The values that this one may be."""
    return value.options if isinstance(value, Union) else (value,)


def carries_nothing(value: Value) -> bool:
    """Whether nothing that it was computed from is known to be a capability."""
    return all(label.capability < 0 for label in value.labels)


def is_truth_value(value: Value) -> bool:
    """Whether it is the constant `True` or `False`."""
    return isinstance(value, Const) and isinstance(value.value, bool)


OPTIONS, OBJECTS = 12, 36
"""Values (and such as are objects) that a variable may have and that are still told apart after paths were joined."""


_NUMBERS = itertools.count(1)
"""Two values that were given up are not the same one, however alike what they were given up for."""


def union(values: list[Value]) -> Value:
    """One of these values; too many of them are known by their labels only."""
    first = values[0]
    if all(map(is_, values, itertools.repeat(first))):
        return first
    flat: list[Value] = []
    for value in values:
        for option in options_of(value):
            if option not in flat:
                flat.append(option)
    if len(flat) > OPTIONS:
        flat = _by_labels(flat)
    if len(flat) == 1:
        return flat[0]
    limit = OPTIONS if all(isinstance(value, Const | Sym) for value in flat) else OBJECTS
    return some_of(flat) if len(flat) > limit else Union(options=tuple(flat))


def put_in(labels: Labels, place: Term, what: str = "put in") -> Sym:
    """Something that code which is not followed may have left at a place; another look there may find another thing."""
    return Sym(labels, Element(0, Applied(what, (place,))))


def some_of(values: Collection[Value]) -> Value:
    """One of these values, it is not known which: what they carry is kept, and nothing else of them."""
    if len(values) == 1:
        return next(iter(values))
    labels = NO_LABELS.union(*(value.labels for value in values))
    if not all(isinstance(value, Const | Sym) for value in values):
        labels |= {Label(-1, Named("any of many"), Place("", 1), doubt=Reason.TOO_MANY_TARGETS)}
    away = all(isinstance(value, Const) or (isinstance(value, Sym) and value.abroad) for value in values)
    return Sym(labels, GivenUp(next(_NUMBERS), len(values)), _shared(values), Reason.TOO_MANY_TARGETS, away)


def _shared(values: Collection[Value]) -> Type:
    """The type that constants and symbols have in common, whichever of them it is; ANY where one of them may be anything."""
    kinds: dict[Type, None] = {}
    for value in values:
        if isinstance(value, Sym):
            kinds.update(dict.fromkeys(value.type.alternatives()))
        else:
            kinds[_of_constant(value)] = None
    return ANY if ANY in kinds else next(iter(kinds)) if len(kinds) == 1 else Type(options=tuple(kinds))


def _of_constant(value: Value) -> Type:
    if not isinstance(value, Const):
        return ANY
    return NONE_TYPE if value.value is None else Type(type(value.value).__name__)


def _by_labels(values: list[Value]) -> list[Value]:
    """What is the same but for its labels, once, with all of them."""
    labels: dict[Value, Labels] = {}
    for value in values:
        bare = replace(value, labels=NO_LABELS)
        labels[bare] = labels.get(bare, NO_LABELS) | value.labels
    return [replace(bare, labels=held) for bare, held in labels.items()]
