"""Candidates for surfaces: functions through which a capability gets out, or that ask the seal, with what speaks for each.

The graph of calls finds them; the prover is asked about the likeliest, as long as its budget lasts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from pytest_invariants.hook.proposal import Row, propose
from pytest_invariants.hook.standing import Entry
from pytest_invariants.scaffold.acting import is_property
from pytest_invariants.scaffold.draft import Draft
from pytest_invariants.scaffold.reading import Reading
from pytest_invariants.scaffold.survey import Function
from pytest_invariants.verdict import Place, Step

DISPATCHES = 3
"""A function that calls so many ways to a capability hands requests on."""
HELPERS = 3
"""Private helpers between a surface and what it lets out."""
LEVELS = 2
"""Calls between a surface and a function of which people are asked whether it is one, too."""
ASKS = 5
"""Calls between a surface and the seal."""


@dataclass(frozen=True)
class Proposed:
    """A row, with what speaks for it; `sure` rows are written, the others are left for people to judge."""

    row: Row
    at: Place
    way: tuple[Step, ...]
    asks: bool
    evidence: str
    sure: bool
    reaches: tuple[str, ...] = ()
    answer: Answer | None = None
    """What the prover said of it, where it did in time."""


@dataclass(frozen=True)
class Answer:
    """How far the prover got with a surface."""

    verdict: str
    level: int | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Found:
    """The surfaces, the likeliest first, and what nobody could look at."""

    surfaces: tuple[Proposed, ...] = ()
    unfollowed: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Reached:
    """A function and what it lets out: where, and by which helper of its own."""

    function: Function
    capabilities: tuple[str, ...]
    at: Place
    way: tuple[Step, ...] = ()


def surfaces(code: Reading, draft: Draft) -> Found:
    """Every candidate that the calls tell of."""
    finder = _Finder(code, draft)
    reached = finder.reached()
    rated = [*finder.rated(reached), *finder.asking(reached)]
    known = {one.row.function for one in rated}
    rated += [one for one in finder.above(known) if one.row.function not in known]
    rows = propose((_entry(code, one) for one in rated), ())
    named = [replace(one, row=rows[one.row.function]) for one in rated]
    return Found(tuple(sorted(named, key=lambda one: (not one.sure, one.at))))


class _Finder:
    """Looks for the surfaces of one draft."""

    def __init__(self, code: Reading, draft: Draft) -> None:
        self.code, self.draft = code, draft
        self.sources = {one.ref: one for one in draft.capabilities if one.sure and not one.decorated}
        self.inner = {draft.seal, *self.sources}
        self.owners = {ref.rpartition(".")[0] for ref in self.sources if ref.rpartition(".")[0] in code.survey.classes}
        self.owners = {cls for cls in code.survey.classes if self.owners & set(code.survey.line(cls))}
        self.obeying = code.graph.leading(draft.seal, ASKS)

    def _is_inner(self, function: Function) -> bool:
        """The seal, a capability, or what a class with capabilities does by itself, as long as it asks nobody."""
        if function.ref in self.inner:
            return True
        return function.owner in self.owners and function.ref not in self.obeying

    def reached(self) -> dict[str, _Reached]:
        """The functions through which a capability gets out: by themselves, or by private helpers that they call."""
        direct = {each.function.ref: each for each in self._touching()}
        found: dict[str, _Reached] = {}
        for each in direct.values():
            for one in self._climbed(each):
                found.setdefault(one.function.ref, one)
        for one in list(found.values()):
            for above in self._of_a_helper(one):
                found.setdefault(above.function.ref, above)
        return found

    def _of_a_helper(self, one: _Reached) -> Iterator[_Reached]:
        """What several other modules call is a helper; what they are for lets out what it lets out."""
        above = self._above(one.function)
        step = Step(one.function.place, f"calls {one.function.ref}")
        for ref in above if len(above) > 1 else ():
            caller = self.code.survey.functions[ref]
            if self._is_outer(caller) and not self._is_inner(caller):
                yield replace(one, function=caller, way=(step, *one.way))

    def _touching(self) -> Iterator[_Reached]:
        survey, graph = self.code.survey, self.code.graph
        for function in survey.functions.values():
            if self._is_inner(function):
                continue
            reads = [(member.ref, member.node.lineno) for member in graph.members[function.ref]]
            calls = [(self._declared(target), node.lineno) for node, target in graph.calls[function.ref]]
            found = [(ref, line) for ref, line in (*reads, *calls) if ref in self.sources]
            if found:
                every = tuple(dict.fromkeys(ref for ref, _ in found))
                yield _Reached(function, every, Place(function.path, found[0][1]))

    def _declared(self, target: str) -> str:
        """A method as the topmost class has it, where that is a capability."""
        cls, _, name = target.rpartition(".")
        above = self.code.graph.defined(cls, name) if cls in self.owners else target
        return above if above in self.sources else target

    def _climbed(self, start: _Reached) -> Iterator[_Reached]:
        """Itself where it can be called from outside, and otherwise those that call it."""
        layer, seen = [start], {start.function.ref}
        for _ in range(HELPERS):
            above = []
            for each in layer:
                if self._is_outer(each.function):
                    yield each
                    continue
                callers = self.code.graph.callers.get(each.function.ref, ())
                if not callers:
                    yield each
                for ref in sorted(set(callers) - seen):
                    seen.add(ref)
                    caller = self.code.survey.functions[ref]
                    if not self._is_inner(caller):
                        step = Step(each.function.place, f"calls {each.function.ref}")
                        above.append(replace(each, function=caller, way=(step, *each.way)))
            layer = above

    def _is_outer(self, function: Function) -> bool:
        return function.ref in self.code.handlers or _is_public(function)

    def rated(self, reached: dict[str, _Reached]) -> Iterator[Proposed]:
        for one in reached.values():
            others = self._above(one.function)
            evidence, sure = self._why(one, others, reached)
            yield self._proposed(one, evidence, sure)

    def _above(self, function: Function) -> list[str]:
        """The functions of other modules that call it."""
        callers = self.code.graph.callers.get(function.ref, ())
        return sorted(ref for ref in callers if self.code.survey.functions[ref].module != function.module)

    def _why(self, one: _Reached, above: list[str], reached: Collection[str]) -> tuple[str, bool]:
        """What speaks for a surface, and whether it is enough: a helper is called by several, a surface by one or handed to."""
        ref = one.function.ref
        said = f"lets out {one.capabilities[0].rpartition(':')[2]}"
        if ref in self.code.handlers:
            return f"{said}; a framework calls it", True
        if not above:
            inside = set(self.code.graph.callers.get(ref, ())) - {ref}
            if inside and ref not in self.obeying:
                return f"{said}; only its own module calls it: a surface, or a helper?", False
            return f"{said}; no other module calls it", True
        handing = [each for each in above if self._ways(each, reached) >= DISPATCHES]
        shown = ", ".join(above[:3]) + (" and others" if len(above) > 3 else "")
        if len(above) == 1 or 2 * len(handing) >= len(above):
            return f"{said}; called by {shown}", True
        return f"{said}; called by {shown}: a surface, or a helper of theirs?", False

    def _ways(self, caller: str, reached: Collection[str]) -> int:
        return len({target for _, target in self.code.graph.calls[caller] if target in reached})

    def _proposed(self, one: _Reached, evidence: str, sure: bool) -> Proposed:
        row = Row("", one.function.ref, "")
        last = Step(one.at, f"lets out {one.capabilities[0]}")
        way = (Step(one.function.place, "entered"), *one.way, last)
        asks = one.function.ref in self.obeying
        return Proposed(row, one.function.place, way, asks, evidence, sure, one.capabilities)

    def asking(self, reached: Collection[str]) -> Iterator[Proposed]:
        """Functions that ask the seal, and let out nothing that is known."""
        for ref in sorted(self.code.graph.callers.get(self.draft.seal, ())):
            function = self.code.survey.functions[ref]
            if ref not in reached and not self._is_inner(function):
                reason = "asks the seal; what gets out of it?"
                yield Proposed(Row("", ref, ""), function.place, (), True, reason, sure=False)

    def above(self, known: Collection[str]) -> list[Proposed]:
        """Functions that do no more than lead to a surface; whether they are surfaces is for people to say."""
        found: dict[str, Proposed] = {}
        for _ in range(LEVELS):
            found |= {one.row.function: one for one in self._leading({*known, *found})}
        return list(found.values())

    def _leading(self, known: Collection[str]) -> Iterator[Proposed]:
        for function in self.code.survey.functions.values():
            ref = function.ref
            if ref in known or self._is_inner(function):
                continue
            led = {target: None for _, target in self.code.graph.calls[ref] if target in known}
            far = [target for target in led if self.code.survey.functions[target].module != function.module]
            if not led or not (far or self._is_outer(function)):
                continue
            reason = f"leads to {next(iter(led))}: a surface of its own, or covered by that one?"
            if len(led) >= DISPATCHES:
                reason = f"hands requests on to {len(led)} of the surfaces: one of its own, or none?"
            yield Proposed(Row("", ref, ""), function.place, (), ref in self.obeying, reason, sure=False)


def _is_public(function: Function) -> bool:
    return function.public and "<locals>" not in function.ref and not is_property(function)


def _entry(code: Reading, one: Proposed) -> Entry:
    function = code.survey.functions[one.row.function]
    return Entry(function.ref, one.at, one.way, None, one.asks, tuple(function.parameters))


def tried(found: Found) -> Iterable[str]:
    """The functions that are worth the prover's time, the likeliest first."""
    return [one.row.function for one in found.surfaces if one.sure]
