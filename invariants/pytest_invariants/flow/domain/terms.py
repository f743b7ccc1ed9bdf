"""Value numbers: what the analysis calls the same thing.

A term names a value by where it came from (an access path in the sense of value numbering). Equal terms are the same value in one
activation; terms that differ may still alias, which can only cost a proof, never make a wrong one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pytest_invariants.flow.domain.records import Shared, record


@record
class Term(Shared):
    """Base of all value numbers."""


@record
class Literal(Term):
    """A constant of the source. `kind` keeps `1` and `True` apart."""

    value: object
    kind: str


@record
class Param(Term):
    """A parameter of the surface, or of the constructor of the object that it is a method of (`owner`)."""

    name: str
    owner: str = ""


@record
class Named(Term):
    """Something that exists once in the program: a module, a class, a function, a foreign name."""

    name: str


@record
class Fresh(Term):
    """A value of which nothing is known but that it is itself."""

    number: int
    hint: str = ""


@record
class GivenUp(Term):
    """One of so many values that it is not known which; another one of them is another value."""

    number: int
    count: int


@record
class Alloc(Term):
    """An object made by the code. `past` marks one that was made before the activation under judgement."""

    number: int
    past: bool = False


@record
class Field(Term):
    base: Term
    name: str


@record
class Index(Term):
    """`base[key]`. `names` says that the key identifies the object that comes out."""

    base: Term
    key: Term
    names: bool = False


@record
class Applied(Term):
    """The result of a call that was not followed, or of a conversion that keeps its argument's content."""

    function: str
    arguments: tuple[Term, ...]


@record
class Element(Term):
    """Some element of `base`, drawn at one place of the program. `age` counts the rounds since it was drawn.

    The draw `PAST` stands for what `base` was in some earlier activation.
    """

    draw: int
    base: Term
    age: int = 0


PAST = -1
Mapper = Callable[[Term], "Term | None"]


IDENTITY = frozenset({"name", "id", "key", "slug", "uid", "uuid", "qualified_name", "identifier"})
"""Attributes that say which object it is, by convention; others have to be declared as `relations`."""


def is_identity(attribute: str) -> bool:
    return attribute in IDENTITY or (attribute.endswith(("_id", "_key")) and not attribute.startswith("parent"))


def rewrite(term: Term, mapper: Mapper) -> Term:
    """Replace sub-terms, outermost first, where `mapper` gives a replacement."""
    found = mapper(term)
    if found is not None:
        return found
    match term:
        case Field(base, name):
            return Field(rewrite(base, mapper), name)
        case Index(base, key, names):
            return Index(rewrite(base, mapper), rewrite(key, mapper), names)
        case Applied(function, arguments):
            return Applied(function, tuple(rewrite(argument, mapper) for argument in arguments))
        case Element(draw, base, age):
            return Element(draw, rewrite(base, mapper), age)
        case _:
            return term


def contains(term: Term, wanted: Callable[[Term], bool]) -> bool:
    """Whether some sub-term satisfies `wanted`."""
    return any(wanted(part) for part in subterms(term))


def subterms(term: Term) -> Iterator[Term]:
    """The term and everything that it is made of, outermost first."""
    yield term
    match term:
        case Field(base, _) | Element(_, base, _):
            yield from subterms(base)
        case Index(base, key, _):
            yield from subterms(base)
            yield from subterms(key)
        case Applied(_, arguments):
            for argument in arguments:
                yield from subterms(argument)


def parts(term: Term) -> frozenset[Term]:
    """The sub-terms as a set, found once."""
    try:
        return term._parts
    except AttributeError:
        found = frozenset(subterms(term))
        object.__setattr__(term, "_parts", found)
        return found


def given_up(term: Term) -> bool:
    """Whether it speaks of one of many values, of which it is not known which."""
    return any(isinstance(part, GivenUp) for part in parts(term))


def made_from(term: Term) -> frozenset[Term]:
    """What the calls in it were made with, found once."""
    try:
        return term._made_from
    except AttributeError:
        found = frozenset(argument for part in parts(term) if isinstance(part, Applied) for argument in part.arguments)
        object.__setattr__(term, "_made_from", found)
        return found


def elements_in(term: Term) -> frozenset[Element]:
    """The drawn elements in it, found once."""
    try:
        return term._drawn
    except AttributeError:
        found = frozenset(part for part in parts(term) if isinstance(part, Element))
        object.__setattr__(term, "_drawn", found)
        return found


def roots(term: Term) -> frozenset[Term]:
    """The leaves that a term was made from."""
    match term:
        case Field(base, _) | Element(_, base, _):
            return roots(base)
        case Index(base, key, _):
            return roots(base) | roots(key)
        case Applied(_, arguments):
            return frozenset().union(*(roots(argument) for argument in arguments))
        case _:
            return frozenset({term})


NOTHING = Literal(None, "NoneType")
"""The value number of `None`."""
