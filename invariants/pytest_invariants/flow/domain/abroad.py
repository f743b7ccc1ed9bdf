"""Objects of other packages: they hold no capability of the program and ask no seal, unless they are handed something of it.

A value is abroad where its annotation names a class of another package, where a function of one gave it and was given nothing of
the program, or where it is an attribute, an element or the answer of a method of such an object. An attribute by whose name the
seal or a capability can be reached is not: a class of the program may stand behind the foreign one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.terms import Alloc, Applied, Field, Literal, Named, Term, parts, roots
from pytest_invariants.flow.domain.values import NONE_TYPE, Labels, Partial, Sym, Type, Value

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

WORDS = frozenset({"builtins", "typing", "typing_extensions", "collections", "types", "abc", "enum", "contextvars"})
"""Modules whose names say of what form a value is, or what holds it, and not whose it is."""
SCALARS = frozenset({"str", "int", "float", "bool", "bytes", "complex"})

OF_DATA = frozenset(name for kind in (str, bytes, list, dict, set) for name in dir(kind))
"""Methods of texts and collections: what a method of another package gave is asked for its data by them."""


def path_of(path: str) -> str:
    """The path of a foreign name that stands for a class of another package, else nothing."""
    return "" if path.partition(".")[0] in WORDS else path


def typed(declared: Type) -> bool:
    """Whether every class that the type names belongs to another package."""
    options = declared.alternatives()
    return any(t.path for t in options) and all(t.path or t.name in SCALARS or t == NONE_TYPE for t in options)


def member(m: Analysis, receiver: Sym, name: str) -> bool:
    """Whether an attribute of this object is abroad as well. An attribute of an attribute may be anything that was put there."""
    nested = isinstance(receiver.term, Field) and not typed(receiver.type)
    if not receiver.abroad or nested or m.reach is None:
        return False
    return name not in m.reach.names or (name in OF_DATA and not typed(receiver.type))


def attribute(m: Analysis, receiver: Sym, name: str, labels: Labels) -> Value:
    """An attribute of something of which no class of the program is known: a capability that is a method of a foreign class, or
    whatever there is of that name."""
    for one in receiver.type.alternatives():
        if one.path and f"{one.path}.{name}" in m.capabilities.foreign:
            return Partial(function=m.foreign(f"{one.path}.{name}", labels), args=(receiver,))
    return Sym(labels, Field(receiver.term, name), why=receiver.why, abroad=member(m, receiver, name))


def is_method(function: Value) -> bool:
    """Whether calling this leads out of the program: it is a method of an object that is abroad."""
    return isinstance(function, Sym) and function.abroad and isinstance(function.term, Field)


def may_bring(m: Analysis, function: Value) -> bool:
    """Whether what this method gives may have been put there by the program, which has a granting one of the same name: what a
    function of a library chose from, or wrapped up, comes out of it again."""
    if not isinstance(function, Sym) or not isinstance(function.term, Field):
        return False
    name = function.term.name
    if name not in m.granting_names:
        return False
    if function.abroad:
        return True
    if _instance(m, function.term.base):  # the method is its own, and none of the program's
        return False
    made = [t for t in parts(function.term.base) if isinstance(t, Applied) and _foreign(m, t.function)]
    given = [argument for t in made for argument in t.arguments]
    if name in OF_DATA:
        return any(argument in m.class_of or isinstance(argument, Alloc) or _holds(m, argument) for argument in given)
    return not all(_plain(m, argument) for argument in given)


def _instance(m: Analysis, term: Term) -> bool:
    """Whether this is an instance of a foreign class, which has a number of its own behind what it was made of."""
    return (
        isinstance(term, Applied)
        and _foreign(m, term.function)
        and (
            bool(term.arguments)
            and isinstance(term.arguments[-1], Alloc)
            and term.function.rpartition(".")[2][:1].isupper()
        )
    )


def _plain(m: Analysis, term: Term) -> bool:
    """Whether this is a text or a number, by its own form or by what the constructor of its owner keeps in the field."""
    if isinstance(term, Field) and term.base in m.class_of:
        kept = m.constructed_field(m.class_of[term.base], term.name)
        kinds = kept.type.alternatives() if isinstance(kept, Sym) else ()
        return bool(kinds) and all(kind.name in SCALARS for kind in kinds)
    return isinstance(term, Literal)


def _holds(m: Analysis, term: Term) -> bool:
    declared = m.types.get(term)
    return declared is not None and not all(t.name in SCALARS for t in declared.args)


def of_names(m: Analysis, term: Term) -> bool:
    """Whether a term was made of constants and of names of other packages alone (`re.MULTILINE | flags.DOTALL`)."""
    return all(isinstance(t, Literal) or (isinstance(t, Named) and _foreign(m, t.name)) for t in roots(term))


def _foreign(m: Analysis, name: str) -> bool:
    words = name.split(".")
    inside = m.program.has(words[0]) or m.program.is_package_prefix(words[0])
    return len(words) > 1 and not inside and all(word.isidentifier() for word in words)


__all__ = ["attribute", "is_method", "may_bring", "member", "of_names", "path_of", "typed"]
