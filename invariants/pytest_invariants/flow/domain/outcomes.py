"""What comes of following code: values and states, exceptions, capabilities that get out, what is left behind."""

from __future__ import annotations

from dataclasses import dataclass, field

from pytest_invariants.flow.domain.state import Open, State
from pytest_invariants.flow.domain.terms import Term
from pytest_invariants.flow.domain.values import Label, Partial, Thunk, Value
from pytest_invariants.program.code import ClassInfo
from pytest_invariants.verdict import Place

Results = list[tuple[Value, State]]


CLOSED = "builtins.GeneratorExit"
"""What comes up at the `yield` of a generator that is closed."""


class OutOfBudget(Exception):
    """The surface has more paths than are looked at."""


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception on its way: its class where known, and whether it is a refusal of the seal."""

    state: State
    cls: ClassInfo | str | None
    refusal: bool = False
    value: Value | None = None
    by_seal: bool = False

    @property
    def plain(self) -> bool:
        """Whether it may come of any statement: nobody raised it on purpose."""
        return not (self.refusal or self.by_seal) and self.value is None


@dataclass(frozen=True, slots=True)
class Event:
    """A capability that gets out: on which path, where, and by which answer of the seal (`by`), if any."""

    label: Label
    at: Place
    state: State
    by: Open | None


@dataclass(frozen=True, slots=True)
class Kept:
    """A value that an object that lives on was given, and the place in it: a field, a variable, or an element, with its key."""

    address: Term
    what: str
    value: Value
    key: Value | None = None


MOST_KEPT = 400
"""Values left behind by one activation; where there are more, what a later one finds is not known."""


@dataclass
class Effects:
    """What one activation did: grants, calls made, values left behind in objects that live on."""

    events: list[Event] = field(default_factory=list)
    kept: dict[Kept, None] = field(default_factory=dict)
    """What objects that live on were given, on whatever path: one place may be given several values."""
    edges: set[tuple[str, str]] = field(default_factory=set)
    escaped: list[Value] = field(default_factory=list)
    asked: bool = False
    refused: set[Place] = field(default_factory=set)
    unresolved: list[tuple[str, Place, str]] = field(default_factory=list)

    def take(self, more: Effects) -> None:
        """Add what a part of the activation did."""
        self.events += more.events
        self.escaped += more.escaped
        self.unresolved += more.unresolved
        self.edges |= more.edges
        self.refused |= more.refused
        self.asked = self.asked or more.asked
        self.kept |= more.kept

    def keep(self, kept: Kept) -> None:
        self.kept[kept] = None
        if len(self.kept) > MOST_KEPT:
            raise OutOfBudget


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a block ended: next, return, break or continue."""

    kind: str
    state: State
    value: Value | None = None


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a call. `more` holds what `*args` of unknown length may bring, `options` what `**kwargs` may."""

    positional: tuple[Value, ...] = ()
    keywords: tuple[tuple[str, Value], ...] = ()
    more: Value | None = None
    options: Value | None = None

    def every(self) -> tuple[Value, ...]:
        extra = tuple(v for v in (self.more, self.options) if v is not None)
        return (*self.positional, *(value for _, value in self.keywords), *extra)

    def named(self, name: str) -> Value | None:
        return next((value for key, value in self.keywords if key == name), None)


def kept_arguments(value: Thunk | Partial) -> Arguments:
    """The arguments that were given to a call that has not run."""
    return Arguments(value.args, value.keywords, value.more, value.options)
