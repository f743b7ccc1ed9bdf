"""One path through the program: variables, heap, and what has been found out on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_invariants.flow.domain.records import Hashed, record
from pytest_invariants.flow.domain.terms import Alloc, Applied, Field, Literal, Param, Term, made_from, parts
from pytest_invariants.flow.domain.values import SealCall, Value
from pytest_invariants.verdict import Place, Reason, Step


@record
class Open(Hashed):
    """The seal said yes: the fact that a pass edge establishes. `epoch` counts the suspensions before it."""

    call: SealCall
    epoch: int = 0
    asserted: bool = False


@record
class Related(Hashed):
    """`left` equals `right`, or is a member of it (`member`)."""

    left: Term
    right: Term
    member: bool = False


@record
class Unless(Hashed):
    """Unless `key` stands in the collection at `address`, the seal has said yes: a loop has noted there whatever it refused.
    `losses` counts what had been taken out of the collection by then."""

    address: Term
    key: Term
    fact: Open
    losses: int


Fact = Open | Related | Unless


@record
class Template(Hashed):
    """An element that a collection may hold, with what was known when it was put in."""

    value: Value
    facts: frozenset[Fact] = frozenset()
    key: Value | None = None
    """The key, where the collection is a dictionary."""
    about: Term | None = None
    """The element of the source that this one was made from, where a comprehension or `map` made it."""


def absorb(templates: tuple[Template, ...], more: Iterable[Template]) -> tuple[Template, ...]:
    """The templates with more of them: of those that differ only in what is known, the one of which least is known stays."""
    kept = dict.fromkeys(templates)
    groups: dict[object, list[Template]] = {}
    for one in kept:
        groups.setdefault((one.value, one.key, one.about), []).append(one)
    for new in more:
        alike = groups.setdefault((new.value, new.key, new.about), [])
        if any(t.facts <= new.facts for t in alike):
            continue
        for less in [t for t in alike if t.facts >= new.facts]:
            alike.remove(less)
            del kept[less]
        alike.append(new)
        kept[new] = None
    return tuple(kept)


SET = "<set>"
"""The field of a context variable under which stands what was set on this very path."""
OWN = "__dict__"
"""The field that says where an object's attributes stand; without it they stand with the object itself."""
ENTRY, PERHAPS = "[", "?"
"""What the fields begin with under which stand the entries of a mapping that is not known, and end with where they may not."""
UNSTEADY = "<unsteady>"
"""The field of what code may change that runs at any time: two reads of it may find different things."""
RUNNING = "running"
"""The frame that holds what has been started."""
WRITTEN = 0
"""The place under which `counts` holds how often objects that live on, and variables further out, have been written to."""


def changes_of(address: Term) -> int:
    """The place under which `counts` holds how often an object has been changed."""
    return (1 << 64) + hash(address)


ABSENT: Any = object()
"""Stands where a path says nothing of a collection, not even that nothing is known of it."""


def losses_of(address: Term) -> int:
    """The place under which `counts` holds how often something may have been taken out of a collection."""
    return (1 << 67) + hash(address)


def made_of(address: Term) -> int:
    """The place under which `counts` holds that an object has been made on this path, and is complete."""
    return (1 << 68) + hash(address)


def writes_of(address: Term) -> int:
    """The place under which `counts` holds how often a field of it may have been set since."""
    return (1 << 69) + hash(address)


NOTED = "noted"
"""The mark of a path on which a round has put something into a collection: its value, or its key."""
VERSIONS = 2
"""Changes of a collection that are told apart."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The content of a list, set, iterator or dictionary.

    `source` is the collection that this one holds element by element, in the same order, where `whole` says that none was left out;
    `closed` says that nothing but the templates can be in it; `filled` that something has
    been put in on this path; `exact` that the templates are the elements, in order;
    `lazy` that they are made when they are drawn.
    """

    templates: tuple[Template, ...] = ()
    source: Term | None = None
    whole: bool = False
    closed: bool = True
    filled: bool = False
    exact: bool = False
    lazy: bool = False
    before: tuple[Template, ...] | None = None
    """The elements before the last one was added, where that is known: what `pop()` leaves."""
    same: Term | None = None
    """The collection whose elements these are, all of them, in whatever order."""
    perhaps: frozenset[Value] = frozenset()
    """Of a dictionary the keys that it has on some of the paths that were joined, and not on others."""
    version: int = 0
    """How often it has been changed, up to `VERSIONS`: what was computed from it before is another value afterwards."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A call that cannot be followed and may have asked the seal about these roots."""

    reason: Reason
    at: Place
    roots: frozenset[Term]
    note: str = ""


def doubt_of_all(reason: Reason, at: Place, note: str) -> Doubt:
    """One that concerns whatever gets out on the path."""
    return Doubt(reason, at, frozenset({Param("")}), note)


@dataclass(frozen=True, slots=True)
class Trail:
    """The steps of a path, newest first."""

    step: Step
    before: Trail | None

    def steps(self) -> tuple[Step, ...]:
        found: list[Step] = []
        trail: Trail | None = self
        while trail is not None:
            found.append(trail.step)
            trail = trail.before
        return tuple(reversed(found))


Atom = tuple[str, Term, Term]
Spot = tuple[Term, str | Term]
"""A place that is read: an object and the name of its attribute, a dictionary and a key, a list and a number."""


@dataclass(frozen=True, slots=True)
class Read:
    """What a place that may hold several values (`options`) was found to hold, and how often the surface had waited by then."""

    value: Value
    options: tuple[Value, ...]
    epoch: int


@dataclass(slots=True)
class State:
    """A path's state. `fork()` before changing it where another path goes on from the same point.

    `base` is the program after all its modules have run; frames, heap and fields hold what this path changed since.
    """

    base: State | None = None
    world: bool = False
    frames: dict[str, dict[str, Value]] = field(default_factory=dict)
    heap: dict[Term, Cell | None] = field(default_factory=dict)
    fields: dict[tuple[Term, str], Value] = field(default_factory=dict)
    facts: frozenset[Fact] = frozenset()
    known: dict[Atom, bool] = field(default_factory=dict)
    reads: dict[Spot, Read] = field(default_factory=dict)
    """Places that may hold one of several values, and were read on this very path: another read finds the same one."""
    outcomes: dict[int, str] = field(default_factory=dict)
    decided: dict[int, str] = field(default_factory=dict)
    """Answers that were tested on this very path: another test of the same answer goes the same way."""
    calls: dict[int, SealCall] = field(default_factory=dict)
    pending: frozenset[tuple[int, str, Place]] = frozenset()
    doubts: frozenset[Doubt] = frozenset()
    epoch: int = 0
    trail: Trail | None = None
    counts: dict[int, int] = field(default_factory=dict)
    """How often each place of the program has made something on this path."""
    draws: frozenset[int] = frozenset()
    """The places that have drawn an element on this path."""
    left: Place | None = None
    """The statement by which a function was left last."""
    touched: set[Term] = field(default_factory=set)
    """Of the world: the collections in it that any path of an activation has changed, other than by adding an element."""

    def fork(self) -> State:
        if self.world:
            return State(self)
        return State(
            self.base,
            False,
            dict(self.frames),
            dict(self.heap),
            dict(self.fields),
            self.facts,
            dict(self.known),
            dict(self.reads),
            dict(self.outcomes),
            dict(self.decided),
            dict(self.calls),
            self.pending,
            self.doubts,
            self.epoch,
            self.trail,
            dict(self.counts),
            self.draws,
            self.left,
        )

    def made_at(self, place: int) -> int:
        """How often a place has made something so far."""
        found = self.counts.get(place)
        if found is not None:
            return found
        return self.base.made_at(place) if self.base is not None else 0

    def frame(self, name: str) -> dict[str, Value]:
        found = self.frames.get(name)
        if found is None and self.base is not None:
            found = self.base.frames.get(name)
        return found or {}

    def bind(self, frame: str, name: str, value: Value) -> None:
        self.frames[frame] = {**self.frame(frame), name: value}

    def unbind(self, frame: str, name: str) -> None:
        self.frames[frame] = {k: v for k, v in self.frame(frame).items() if k != name}

    def field(self, address: Term, name: str) -> Value | None:
        found = self.fields.get((address, name))
        return found if found is not None or self.base is None else self.base.fields.get((address, name))

    def set_field(self, address: Term, name: str, value: Value) -> None:
        self.fields[address, name] = value
        self.note_change(address)
        if self.made_at(made_of(address)):
            self.counts[writes_of(address)] = self.made_at(writes_of(address)) + 1
        changed = Field(address, name)
        self._drop([a for a in self.known if bears_on(a[1], address, changed) or bears_on(a[2], address, changed)])

    def note_change(self, address: Term) -> None:
        for place in (changes_of(address), WRITTEN) if lives_on(address) else (changes_of(address),):
            self.counts[place] = self.counts.get(place, 0) + 1
        self.read_anew(lambda spot: spot[0] == address)

    def note_loss(self, address: Term) -> None:
        self.counts[losses_of(address)] = self.made_at(losses_of(address)) + 1
        if self.base is not None:
            self.base.touched.add(address)

    def note_made(self, address: Term) -> None:
        if not lives_on(address):
            self.counts[made_of(address)] = 1

    def step(self, at: Place, note: str) -> None:
        self.trail = Trail(Step(at, note), self.trail)

    def find(self, address: Term) -> Cell | None:
        found: Cell | None = self.heap.get(address, ABSENT)
        if found is not ABSENT:
            return found
        return self.base.find(address) if self.base is not None else None

    def cell(self, address: Term) -> Cell:
        return self.find(address) or Cell()

    def add(self, address: Term, template: Template) -> None:
        """Put an element in; what was known of the whole collection no longer holds."""
        cell = self.cell(address)
        templates = absorb(cell.templates, (template,))
        self.heap[address] = replace(
            cell, templates=templates, source=None, whole=False, filled=True, exact=False, before=None
        )
        self.forget(address, grown=True)

    def put(self, address: Term, template: Template, replaces: bool = True) -> None:
        """Set a key: an entry under the same key is replaced, unless the key is one of many."""
        if replaces:
            self.drop(address, [template.key])
        cell = self.cell(address)
        templates = absorb(cell.templates, (template,))
        perhaps = cell.perhaps - {template.key} if cell.perhaps and replaces else cell.perhaps
        self.heap[address] = replace(
            cell, templates=templates, source=None, whole=False, filled=True, exact=False, perhaps=perhaps
        )
        self.forget(address, grown=True)
        if self.base is not None:  # it may have taken another one's place
            self.base.touched.add(address)

    def drop(self, address: Term, keys: list[Value | None]) -> None:
        cell = self.cell(address)
        others = tuple(t for t in cell.templates if t.key not in keys)
        if len(others) < len(cell.templates):
            self.heap[address] = replace(cell, templates=others, perhaps=cell.perhaps - {*keys})

    def forget(self, address: Term, *, grown: bool = False) -> None:
        """Drop what was concluded about a collection that has just been changed: tests of it, its views, and that others
        are its copies, element by element."""
        self.note_change(address)
        if not grown:
            self.note_loss(address)
        kept = NOTED if grown else ""
        self._drop([a for a in self.known if a[0] != kept and (mentions(a[1], address) or mentions(a[2], address))])
        here = self.find(address) if address in self.heap or lives_on(address) else None
        if here is not None:
            self.heap[address] = replace(here, version=min(here.version + 1, VERSIONS), same=None)
        for other, cell in self._made_from_others(address):
            if isinstance(other, Applied) and other.arguments == (address,):
                self.heap[other] = None
            elif cell is not None and address in (cell.source, cell.same):
                self.heap[other] = replace(cell, source=None, whole=False, same=None)

    def _made_from_others(self, address: Term) -> list[tuple[Term, Cell | None]]:
        """The collections that are views or copies of others, or were filled from them."""
        heaps = [self.heap] if self.base is None or not lives_on(address) else [self.heap, self.base.heap]
        return [
            (other, cell)
            for heap in heaps
            for other, cell in heap.items()
            if (type(other) is Applied or (cell is not None and (cell.source is not None or cell.same is not None)))
            and other != address
            and (heap is self.heap or other not in self.heap)
        ]

    def disturb(self, term: Term) -> None:
        """Drop what was found out about an object that may have been changed out of sight."""
        self.read_anew(lambda spot: mentions(spot[0], term))
        self._drop([a for a in self.known if mentions(a[1], term) or mentions(a[2], term)])

    def read_anew(self, which: Callable[[Spot], bool]) -> None:
        """Places that may hold something else by now."""
        for spot in [spot for spot in self.reads if which(spot)]:
            del self.reads[spot]

    def _drop(self, atoms: list[Atom]) -> None:
        for atom in atoms:
            del self.known[atom]


def mentions(term: Term, address: Term) -> bool:
    return address in parts(term)


def bears_on(term: Term, address: Term, changed: Term) -> bool:
    """Whether a value was read from the field, or computed from the object that has it."""
    return changed in parts(term) or address in made_from(term)


def lives_on(address: Term) -> bool:
    """Whether an object outlives the activation: it was there before, or the caller brought it. What a method of one that does
    not gives back for constants does not either."""
    match address:
        case Alloc(_, past):
            return past
        case Applied(function, (*_, Alloc(_, past))) if "." in function:
            return past
        case Applied("result", (Field(base, _), *given)):
            return lives_on(base) or not all(isinstance(one, Literal) for one in given)
        case _:
            return True
