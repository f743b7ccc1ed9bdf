"""How likely a candidate is the seal: points, each with its reason in words.

Structure comes first: what is asked about, what the askers let out afterwards, and who calls them. Names and docstrings
add to that, and are never enough: a candidate that decides about nothing that an agent gives out is no seal.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from pytest_invariants.scaffold.annotations import Kind
from pytest_invariants.scaffold.graph import Graph
from pytest_invariants.scaffold.natures import drops_some, finds_fault, given_back
from pytest_invariants.scaffold.seals import Candidate
from pytest_invariants.scaffold.survey import Function
from pytest_invariants.scaffold.things import IDENTITY, Things
from pytest_invariants.scaffold.words import CONTENT, DECIDES, EXERCISE, HINTS, SHAPES, THINGS, word_set, words


@dataclass(frozen=True)
class Reason:
    points: float
    said: str
    counts: bool = False
    """Whether it says how many, and not why."""


@dataclass(frozen=True)
class Weighed:
    """A candidate with what speaks for it."""

    candidate: Candidate
    reasons: tuple[Reason, ...]

    @property
    def points(self) -> float:
        return sum(reason.points for reason in self.reasons)


@dataclass(frozen=True)
class Scales:
    """Weighs candidates; `called` are the functions that a framework, or somebody outside, calls."""

    graph: Graph
    things: Things
    called: Collection[str]
    handed: Collection[str] = ()
    """Tools and handlers: what they do is what the agent can do."""
    gates: Collection[str] = ()
    """Functions that a framework asks about a tool."""
    _exercising: dict[str, bool] = field(default_factory=dict)
    _through: dict[str, Through] = field(default_factory=dict)

    def ranked(self, found: Collection[Candidate]) -> list[Weighed]:
        """The likeliest first; those that decide about nothing that an agent gives out come last."""
        self._through.update(through(found))
        alone = {one.function.ref: Weighed(one, tuple(self.reasons(one))) for one in found}
        weighed = [self._with_inner(one, alone) for one in alone.values()]
        return sorted(weighed, key=lambda one: (-one.points, one.candidate.function.ref))

    def _with_inner(self, one: Weighed, every: Mapping[str, Weighed]) -> Weighed:
        """One that only hands on what a likelier one answers is less likely."""
        within = self._through[one.candidate.function.ref].asks
        inner = (ref for ref in within if every[ref].points > one.points + _HANDED_ON)
        asked = next(inner, None)
        return replace(one, reasons=(*one.reasons, Reason(_HANDED_ON, f"it asks {asked} itself"))) if asked else one

    def reasons(self, one: Candidate) -> Iterator[Reason]:
        yield from self._from_structure(one)
        yield from self._from_names(one.function)
        yield from self._against(one)

    def _from_structure(self, one: Candidate) -> Iterator[Reason]:
        through = self._through[one.function.ref]
        askers = [self.graph.survey.functions[ref] for ref in through.askers]
        doors = [asker for asker in askers if self.gives_out(asker.ref) or self._is_called(asker.ref)]
        modules = len({asker.module for asker in doors})
        yield Reason(
            math.log2(1 + len(doors)), f"{len(askers)} functions obey it, {len(doors)} of them near a door", True
        )
        if modules > 1:
            yield Reason(math.log2(modules), f"these are in {modules} modules", True)
        if len(askers) == 1:
            yield Reason(-1.5, "nobody else does")
        if about := self.subject(one):
            yield Reason(3.0 if words(about) & THINGS else 2.0, f"it decides about `{about}`")
        for points, test, said in (
            (4.0, self.gives_out, "let out or run what an agent gives out"),
            (2.0, self._is_called, "are called by a framework or from outside, or by what is"),
        ):
            if hits := sum(test(each.ref) for each in askers):
                yield Reason(points * hits / (len(askers) + 1), f"{hits} of {len(askers)} {said}")
        if one.function.ref in self.gates:
            yield Reason(3.0, "a framework asks it about a tool")
        if one.verdict == "filters":
            leaves = drops_some(one.function)
            yield Reason(1.5, "it leaves some out") if leaves else Reason(-2.0, "it leaves none out itself")
        if len(one.function.parameters) + (one.function.owner is not None) > 1:
            yield Reason(1.0, "it is told who asks, or decides for an object that knows")

    def _from_names(self, function: Function) -> Iterator[Reason]:
        named = words(function.name)
        if found := named & DECIDES:
            yield Reason(2.5, f"its name says {_listed(found)}")
        elif found := named & HINTS:
            yield Reason(0.7, f"its name says {_listed(found)}")
        if found := named & THINGS:
            yield Reason(1.0, f"its name says {_listed(found)}")
        told = words(ast.get_docstring(function.node) or "")
        if found := told & DECIDES:
            yield Reason(1.0, f"its docstring says {_listed(found)}")

    def _against(self, one: Candidate) -> Iterator[Reason]:
        if finds_fault(one.function):
            yield Reason(-4.0, "it only finds fault with its arguments")
        if only_types(one.function):
            yield Reason(-4.0, "it only tells kinds of values apart")
        if found := words(one.function.name) & SHAPES:
            yield Reason(-1.5, f"its name says {_listed(found)}")
        if not self.subject(one):
            few = self._near(one.askers) < _FEW
            yield (
                Reason(-5.0, "little that an agent gives out depends on it")
                if few
                else Reason(-1.0, "about what is open")
            )

    def subject(self, one: Candidate) -> str | None:
        """The thing that is decided about: a parameter's, an argument's, the owner, or what comes out."""
        types = self.graph.types[one.function.ref]
        back = given_back(one.function, types)
        if one.verdict in ("filters", "raises") and back is not None and self.things.points(back.cls) >= 2:
            return back.cls.rpartition(":")[2]
        kinds = [types.names.get(name) for name in one.function.parameters]
        for call in one.calls[:12]:
            asker = self.graph.types[call.by.ref]
            for name, argument in call.arguments.items():
                if name != "self":
                    kinds.append(asker.of_or_of_owner(argument))
        if one.function.owner and words(one.function.owner.rpartition(":")[2]) & _OWNERS:
            kinds.append(Kind(one.function.owner))
        return next((k.cls.rpartition(":")[2] for k in kinds if k is not None and self.things.is_one(k.cls)), None)

    def _near(self, askers: Collection[Function]) -> float:
        """The share of those near something that gets out; one alone is not yet a share of one."""
        return sum(self.gives_out(each.ref) for each in askers) / (len(askers) + 1)

    def gives_out(self, ref: str) -> bool:
        """Whether a function, or one that it calls, reads or calls a member of a thing that is for the model."""
        if ref in self.handed:
            return True
        if ref not in self._exercising:
            near = self.graph.below({ref}, 1)
            self._exercising[ref] = any(self._touches(each) for each in near)
        return self._exercising[ref]

    def _touches(self, ref: str) -> bool:
        for member in self.graph.members.get(ref, ()):
            telling = member.name not in IDENTITY and words(member.name) & (CONTENT | EXERCISE)
            if telling and self.things.points(member.cls) >= 2:
                return True
        return False

    def _is_called(self, ref: str) -> bool:
        return ref in self._outer

    @cached_property
    def _outer(self) -> frozenset[str]:
        """What is called from outside, and what that calls, two calls deep."""
        return frozenset(self.graph.below(set(self.called), 2))


@dataclass(frozen=True)
class Through:
    """Who obeys a candidate, also by another candidate that asks it, and which other ones it asks."""

    askers: frozenset[str]
    asks: tuple[str, ...] = ()


def through(found: Collection[Candidate]) -> dict[str, Through]:
    """For each candidate; one that only hands on another's answer leaves it those who obey it."""
    known = {one.function.ref: one for one in found}
    direct = {ref: {asker.ref for asker in one.askers} for ref, one in known.items()}
    asks = {ref: sorted(c for c, askers in direct.items() if ref in askers and c != ref) for ref in known}
    made = {}
    for ref in known:
        everyone: set[str] = set()
        layer = {ref}
        for _ in range(3):
            asking = {asker for each in layer for asker in direct.get(each, ())} - everyone
            everyone, layer = everyone | asking, asking & known.keys()
        made[ref] = Through(frozenset(everyone - {ref}), tuple(asks[ref]))
    return made


def speaks_of_a_right(function: Function) -> bool:
    """Whether its name or its docstring says that it is about what may be had."""
    named = words(function.name)
    return bool(named & (DECIDES | HINTS - {"is", "check"}) or words(ast.get_docstring(function.node) or "") & DECIDES)


def only_types(function: Function) -> bool:
    """Nothing but the class, the shape or the spelling of one value is looked at."""
    calls = [node for node in function.nodes if isinstance(node, ast.Call)]
    names = [node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "") for node in calls]
    compared = any(isinstance(node, ast.Compare) for node in function.nodes)
    return bool(names) and not compared and all(name in _SHAPES for name in names)


_HANDED_ON = -2.0
_FEW = 0.25
"""Of the functions that obey, those near something that gets out are at least so many, where nothing is decided about."""
_OWNERS = frozenset({"tool", "skill", "resource", "prompt", "command"})
"""Things that may decide about themselves."""
_SHAPES = word_set(
    "isinstance issubclass hasattr callable type get_origin get_args startswith endswith match fullmatch search bool len "
    "iscoroutinefunction isawaitable isfunction ismethod isclass getattr strip lower"
)


def _listed(found: Collection[str]) -> str:
    return ", ".join(f"'{each}'" for each in sorted(found))
