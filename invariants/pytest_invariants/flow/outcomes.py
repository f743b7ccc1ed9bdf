"""What comes of following code: values and states, exceptions, capabilities that get out, what is left behind."""

from __future__ import annotations

from dataclasses import dataclass, field

from pytest_invariants.flow.state import Open, State
from pytest_invariants.flow.terms import Term
from pytest_invariants.flow.values import Label, Partial, Thunk, Value
from pytest_invariants.program.code import ClassInfo
from pytest_invariants.verdict import Place

Results = list[tuple[Value, State]]


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


@dataclass
class Effects:
    """What one activation did: grants, calls made, values left behind in objects that live on."""

    events: list[Event] = field(default_factory=list)
    kept: dict[tuple[Term, str], tuple[Value, Value | None]] = field(default_factory=dict)
    """Values that an object that lives on was given: by its address and the place in it, with the key, if any."""
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
        for (address, what), (value, key) in more.kept.items():
            kind, _, number = what.partition(" ")
            if kind == "element" and number.isdigit():
                what = f"element {len(self.kept)}"
            if len(self.kept) < 200:
                self.kept[address, what] = (value, key)

    def keep(self, address: Term, what: str, value: Value, key: Value | None, state: State) -> None:
        if len(self.kept) < 200:
            place = f"{what} {len(self.kept)}" if what == "element" else what
            self.kept[address, place] = (value, key)


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
