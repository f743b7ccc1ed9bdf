"""What a seal is asked about, and on whose behalf: read off the arguments that it is given."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pytest_invariants.scaffold.kinds import Types
from pytest_invariants.scaffold.natures import parts_given_back
from pytest_invariants.scaffold.seals import Call, Candidate
from pytest_invariants.scaffold.things import Things


@dataclass(frozen=True)
class Roles:
    """`principal` gives for a parameter the field that its argument comes from, where all callers agree on one."""

    subject: tuple[str, ...]
    principal: dict[str, str | None]
    state: tuple[str, ...]
    classes: tuple[str, ...]
    """The classes of the things that are asked about."""
    unsure: tuple[str, ...] = ()


def roles_of(candidate: Candidate, types: dict[str, Types], things: Things) -> Roles:
    """Callers take the principal from a parameter of their own, again and again; the subject they look up or draw."""
    names = [*candidate.function.parameters, *(["self"] if candidate.function.owner else [])]
    shares = {name: _share(candidate.calls, name) for name in names}
    about = [name for name in names if any(things.is_one(each) for each in _classes(candidate, types, name, things))]
    subject = _subject(candidate, shares, names, about)
    principal = [name for name in names if name not in subject and name != "self"]
    fields = {name: _fields(candidate, types, name) for name in names}
    origins = {name: _origin(fields[name]) for name in principal}
    unsure = [f"`{name}` comes from {' and from '.join(fields[name])}" for name in principal if len(fields[name]) > 1]
    if len(names) > 1 and len(set(shares.values())) == 1 and len(about) != 1:
        unsure.append(f"callers treat {' and '.join(names)} alike: which of them is the subject is a guess")
    return Roles(
        subject=subject,
        principal=origins,
        state=tuple(sorted({each for name in subject for each in fields[name]})),
        classes=tuple(
            sorted(
                set(_let_through(candidate, types, things))
                or {c for n in subject for c in _classes(candidate, types, n, things)}
            )
        ),
        unsure=tuple(unsure),
    )


def _subject(candidate: Candidate, shares: dict[str, float], names: list[str], about: list[str]) -> tuple[str, ...]:
    """The parameter that is one of the things that an agent gives out, or that callers look up or draw.

    Of a method that gives back what may be had it is the object that has it.
    """
    if candidate.verdict == "filters" and candidate.function.owner:
        return ("self",)
    asked = about or [name for name in names if not _is_fixed(candidate.calls, name)] or names
    low = min((shares[name] for name in asked), default=0.0)
    return tuple(name for name in asked if shares[name] == low)[:1]


def root(expression: ast.expr) -> str | None:
    """The name that an argument begins with: `skill` of `skill.categories`."""
    while isinstance(expression, ast.Attribute | ast.Subscript | ast.Starred | ast.Await):
        expression = expression.value
    return expression.id if isinstance(expression, ast.Name) else None


def _share(calls: Iterable[Call], name: str) -> float:
    """How often the argument begins with a parameter of the caller."""
    roots = [(root(call.arguments[name]), call.by) for call in calls if name in call.arguments]
    hits = sum(begin in by.parameters or begin == "self" for begin, by in roots)
    return hits / len(roots) if roots else 1.0


def _is_fixed(calls: Iterable[Call], name: str) -> bool:
    """Whether every caller writes it out: what is to be done, say, and not to what."""
    given = [call.arguments[name] for call in calls if name in call.arguments]
    return bool(given) and all(isinstance(each, ast.Constant) for each in given)


def _origin(fields: Counter[str]) -> str | None:
    """The field that the argument comes from in most calls."""
    if not fields:
        return None
    best, times = fields.most_common(1)[0]
    return best if times * 2 > fields.total() else None


def _fields(candidate: Candidate, types: dict[str, Types], name: str) -> Counter[str]:
    """`module:Class.field` of the arguments that are a field of something of a known class, with how often."""
    found: Counter[str] = Counter()
    for call, argument in _given(candidate, name):
        if not isinstance(argument, ast.Attribute) or types[call.by.ref].of(argument):
            continue  # a whole thing is no fact
        if kind := types[call.by.ref].of(argument.value):
            found[f"{kind.cls}.{argument.attr}"] += 1
    return found


def _classes(candidate: Candidate, types: dict[str, Types], name: str, things: Things) -> Iterator[str]:
    for call, argument in _given(candidate, name):
        kind = types[call.by.ref].of_or_of_owner(argument)
        if kind is not None and (kind.cls in things.survey.classes or things.is_one(kind.cls)):
            yield kind.cls


def _let_through(candidate: Candidate, types: dict[str, Types], things: Things) -> Iterator[str]:
    """The classes of what comes out of one that gives back what may be had."""
    function = candidate.function
    if candidate.verdict not in ("filters", "raises"):
        return
    for kind in parts_given_back(function, types[function.ref]):
        if kind is not None and (kind.cls in things.survey.classes or things.is_one(kind.cls)):
            yield kind.cls


def _given(candidate: Candidate, name: str) -> Iterator[tuple[Call, ast.expr]]:
    return ((call, call.arguments[name]) for call in candidate.calls if name in call.arguments)
