"""The abstract machine: it walks the paths of a function with values known by their origin.

Every expression gives a list of (value, state): one a path. Exceptions go to the innermost collector, as they do in Python; a path that
no collector catches leaves the surface without a grant.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

from pytest_invariants.flow.domain.outcomes import (
    Arguments,
    Effects,
    Event,
    Outcome,
    OutOfBudget,
    Raised,
    Results,
    kept_arguments,
)
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.terms import PAST, Alloc, Applied, Element, Field, Fresh, Index, Literal, Term
from pytest_invariants.flow.domain.values import Label, Sym, Type, Value
from pytest_invariants.flow.machine.effort import Effort
from pytest_invariants.flow.machine.sampling import Sampler
from pytest_invariants.flow.relevance.rewritten import Rewritten
from pytest_invariants.program.code import ClassInfo, FunctionInfo
from pytest_invariants.program.program import Program
from pytest_invariants.verdict import Place

T = TypeVar("T")
YieldSink = Callable[[Value, State, Scope], "list[State] | None"]
"""Told of each `yield`; may give the states in which the generator goes on."""
STEP_LIMIT = 8_000
"""Statements and calls that one activation may take, and paths that are joined, before it is left undecided."""
PATH_LIMITS = ((400, 24), (1_200, 10), (4_000, 5))
"""Paths that are kept apart after a statement, by the steps taken so far: a large function is followed less finely."""
FEWEST_PATHS = 3
MANY_PATHS = 24
"""Paths through one statement, the calls around it included, from which on even fewer are kept apart."""
BESIDE_PATHS = 4
"""Paths that are kept apart in a callee that can neither ask nor grant."""
EASY = 400
"""Steps up to which every callee is followed, also one that can neither ask nor grant."""
TIRED = 2_500
"""Steps from which on a callee is followed once for all paths through an expression."""
SITE = 4_096
"""Things that one expression may make on one path."""
FOLLOWED = 3
"""Times that one callee is followed within one activation of the inventory."""
EVALUATIONS = 3
"""Evaluations of one call that are told apart."""
SURPRISES = 16
"""Exceptions of one class that are kept apart on their way to a handler."""
DEPTH_LIMIT = 28
"""Calls that are followed into each other."""


class Machine:
    """State shared by all paths of one run. The work is done by the modules that `flow.wiring` connects to it."""

    running: list[str]
    """The modules that are being loaded, the innermost last."""
    appended: dict[Term, set[str]]
    """Lists of which all elements are known, and which modules have appended to them while they were loaded."""
    closable = False
    """Whether the generator that is being run may be closed at a `yield`, because nobody draws any more."""
    sampler: Sampler | None = None
    """Of paths that go the same way one is followed, while a way around is looked for."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.world = State(world=True)
        self.types: dict[Term, Type] = {}
        self.functions: dict[ast.AST, FunctionInfo] = {}
        self.classes: dict[str, ClassInfo] = {}
        self.loaded: dict[str, bool] = {}
        self.collectors: list[list[Raised]] = [[]]
        self.yields: list[YieldSink] = []
        self.stack: list[FunctionInfo] = []
        self.stages: list[tuple[FunctionInfo, frozenset[tuple[str, Value]]]] = []
        self.rewritten = Rewritten(program)
        self.asking: dict[FunctionInfo, bool] = {}
        self.active: list[int] = []
        self.generic: set[int] = {0, PAST}
        self.of_all = 0
        self.effects = Effects()
        self.effort = Effort()
        self.past = True
        self.begun: State | None = None
        self.sent: Value | None = None
        """What a generator that is being run is sent."""
        self.thrown = False
        """Whether an exception is thrown into it."""
        self.steps = 0
        self.step_limit = STEP_LIMIT
        self.easy = EASY
        self.followed: dict[FunctionInfo, int] = {}
        self.long: set[FunctionInfo] = set()
        """Callees that cannot matter and take more steps than they are worth."""
        self.covers: dict[object, Any] = {}
        """Answers to which fact covers a capability, of one activation."""
        self.entrusted: dict[object, Any] = {}
        """What methods may give whose object code has that is not followed, of one activation."""
        self.settlings: dict[object, frozenset[Label]] = {}
        self.kept_as: dict[Term, set[Field]] = {}
        """What constructors leave in the fields of instances of which nothing else is known, and which fields those are."""
        self.coarse = False
        """Only what may get out is asked, not by which answer: paths are joined at once."""
        self.making = False
        self.siblings = 1
        """Paths that go through the statement that is being executed, those through the calls around it included."""
        self.beside = False
        """A callee is followed that can neither ask nor grant."""
        self.cut: frozenset[Place] = frozenset()
        self.cut_all = False
        self.stops: frozenset[FunctionInfo] = frozenset()
        """Functions that are not followed: surfaces, while the inventory looks for ways past them."""
        self._numbers = itertools.count(1)
        self._stand_ins: dict[Place, ast.AST] = {}
        self._sites: dict[tuple[ast.AST | None, str], int] = {}
        self.site: tuple[ast.AST | None, str] = (None, "")
        """The expression that is being evaluated, and its frame."""
        self._draws: dict[tuple[object, ...], int] = {}
        self.context_variables: list[tuple[str, Sym]] | None = None
        self.namespaces: dict[Term, Value] = {}
        """Dictionaries that are the namespace of a module, class or instance."""
        self.generators: dict[Term, tuple[ast.GeneratorExp, Scope, Value, tuple[object, ...]]] = {}
        """Generator expressions: where they stand, what they draw from, and what they saw when they were written."""
        self._evaluations: dict[Term, int] = {}

    def number(self, state: State) -> int:
        """A number for something made here. Two paths that make the same things get the same numbers, so that what they
        made can be joined."""
        place = self._sites.setdefault(self.site, len(self._sites) + 1)
        count = state.made_at(place)
        state.counts[place] = count + 1
        return place * SITE + count

    def allocate(self, state: State) -> Term:
        return Alloc(self.number(state), self.past)

    def fresh(self, hint: str = "") -> Term:
        return Fresh(next(self._numbers), hint)

    def evaluated(self, term: Term, state: State) -> Term:
        """The result of a call that need not give the same again: another evaluation is another value of the same origin."""
        place = -self._evaluations.setdefault(term, len(self._evaluations) + 1)
        count = min(state.made_at(place), EVALUATIONS)
        state.counts[place] = count + 1
        return Applied("again", (term, Literal(count, "int"))) if count else term

    def draw(self, node: ast.AST, scope: Scope, extra: object = None) -> int:
        """A number for a place that draws elements, one for each frame."""
        key = (node, scope.chain[-1], extra)
        if key not in self._draws:
            self._draws[key] = len(self._draws) + 1
        return self._draws[key]

    def general_draw(self, draw: int) -> int:
        """The draw that stands for all rounds of a loop inside a generator."""
        number = self._draws.setdefault(("general", draw), len(self._draws) + 1)
        self.generic.add(number)
        return number

    def membership_draw(self, left: object, right: object) -> int:
        key = ("member", left, right)
        return self._draws.setdefault(key, len(self._draws) + 1)

    def ambiguous(self, term: Term) -> bool:
        """Whether the term speaks of an element that stands for all: two of them need not be the same."""
        if self.of_all:
            return False
        match term:
            case Element(number, base, age):
                if number in self.generic and number != PAST:
                    return not (age == 0 and number in self.active)
                return False if number not in self.generic else self.ambiguous(base)
            case Field(base, _):
                return self.ambiguous(base)
            case Index(base, key, _):
                return self.ambiguous(base) or self.ambiguous(key)
            case Applied(_, arguments):
                return any(self.ambiguous(argument) for argument in arguments)
            case _:
                return False

    def stand_in(self, at: Place) -> ast.AST:
        """A node for calls that no expression of the source makes."""
        if at not in self._stand_ins:
            self._stand_ins[at] = ast.Pass(lineno=at.line, col_offset=0)
        return self._stand_ins[at]

    def seen_enough(self, info: FunctionInfo) -> bool:
        """In the inventory a callee is followed a few times only: what it lets out it lets out every time."""
        if not self.coarse:
            return False
        self.followed[info] = self.followed.get(info, 0) + 1
        return self.followed[info] > FOLLOWED

    def tick(self) -> None:
        self.steps += 1
        if self.steps > self.step_limit:
            raise OutOfBudget

    def spend(self, paths: int) -> None:
        """Count the paths that are joined, where they were meant to be kept apart."""
        if not (self.coarse or self.making):
            self.steps += paths

    def attempt(self, steps: int, work: Callable[[], T]) -> T | None:
        """What the work gives, or None and no trace of it where it takes more than so many steps."""
        limit, self.step_limit = self.step_limit, min(self.step_limit, self.steps + steps)
        allowed, stack, active = self.step_limit, list(self.stack), list(self.active)
        thrown = [list(collector) for collector in self.collectors]
        effects, self.effects = self.effects, Effects()
        try:
            found = work()
        except OutOfBudget:
            if allowed == limit:
                raise
            for collector, before in zip(self.collectors, thrown, strict=True):
                collector[:] = before
            self.stack[:], self.active[:] = stack, active
            return None
        else:
            effects.take(self.effects)
            return found
        finally:
            self.effects, self.step_limit = effects, limit

    @contextmanager
    def preparing(self, steps: int) -> Iterator[None]:
        """While it lasts, what is handed out does not run, and little is kept apart."""
        held = (self.making, self.step_limit)
        self.making, self.step_limit = True, steps
        try:
            yield
        finally:
            self.making, self.step_limit = held

    @contextmanager
    def sharing(self, paths: int) -> Iterator[None]:
        """While it lasts, so many paths go the same way: what is followed on each of them is followed less finely."""
        held, self.siblings = self.siblings, self.siblings * max(1, paths)
        try:
            yield
        finally:
            self.siblings = held

    @contextmanager
    def closing(self, closable: bool) -> Iterator[None]:
        """While it lasts, a generator is run that may, or may not, be closed before its end."""
        held, self.closable = self.closable, closable
        try:
            yield
        finally:
            self.closable = held

    @contextmanager
    def stepping_aside(self) -> Iterator[None]:
        held, self.beside = self.beside, True
        try:
            yield
        finally:
            self.beside = held

    @property
    def path_limit(self) -> int:
        if self.coarse or self.making:
            return 2
        if self.tired or self.sampler is not None:
            return 1
        limit = next((paths for steps, paths in PATH_LIMITS if self.steps < steps), FEWEST_PATHS)
        fewest = FEWEST_PATHS if self.siblings <= MANY_PATHS else FEWEST_PATHS - 1
        return max(fewest, (min(limit, BESIDE_PATHS) if self.beside else limit) // self.siblings)

    @property
    def tired(self) -> bool:
        """Whether so much has been followed already that a callee is followed once for all paths through an expression."""
        return self.steps > TIRED and self.sampler is None and not (self.coarse or self.making or self.past)

    @property
    def pressed(self) -> bool:
        """Whether so much has been followed already that what cannot matter is passed over."""
        return self.steps > self.easy

    @property
    def may_catch(self) -> bool:
        """Whether somebody could go on after an exception."""
        return len(self.collectors) > 1

    def throw(self, raised: Raised) -> None:
        self.collectors[-1].append(raised)

    @contextmanager
    def speaking_of_all(self) -> Iterator[None]:
        """While it lasts, an element that stands for all is meant as such: what is found out holds for each."""
        self.of_all += 1
        try:
            yield
        finally:
            self.of_all -= 1

    @contextmanager
    def standing_for_all(self) -> Iterator[None]:
        """While it lasts, elements that are being drawn count as general ones too."""
        held, self.of_all = self.of_all, 0
        try:
            yield
        finally:
            self.of_all = held

    @contextmanager
    def beginning(self, state: State) -> Iterator[None]:
        """While it lasts, a statement is under way that began in this state."""
        held, self.begun = self.begun, state
        try:
            yield
        finally:
            self.begun = held

    def may_raise_midway(self, state: State) -> None:
        """A call of a statement that has already changed something: what was changed stays, should the call raise."""
        begun = self.begun
        if begun is not None and self.may_catch and not (state.heap == begun.heap and state.fields == begun.fields):
            self.surprise(Raised(state.fork(), "builtins.Exception"))

    def surprise(self, raised: Raised) -> None:
        """An exception that a statement may raise: where there have been many of its class, they are joined."""
        collector = self.collectors[-1]
        collector.append(raised)
        alike = [one for one in collector if one.cls == raised.cls and one.plain]
        if len(alike) > SURPRISES:
            self.spend(len(alike))
            state = self.join([one.state for one in alike])
            collector[:] = [
                *(one for one in collector if not (one.cls == raised.cls and one.plain)),
                replace(raised, state=state),
            ]

    @contextmanager
    def collecting(self) -> Iterator[list[Raised]]:
        collector: list[Raised] = []
        self.collectors.append(collector)
        try:
            yield collector
        finally:
            self.collectors.pop()

    @contextmanager
    def yielding(self, sink: YieldSink) -> Iterator[None]:
        self.yields.append(sink)
        try:
            yield
        finally:
            self.yields.pop()

    # The following are set by flow.wiring, so that the modules need not import each other in circles.
    evaluate: Callable[[ast.expr, State, Scope], Results]
    execute: Callable[[list[ast.stmt], State, Scope], list[Outcome]]
    execute_all: Callable[[list[ast.stmt], list[State], Scope], list[Outcome]]
    assume: Callable[[Value, bool, State, Scope], list[State]]
    call: Callable[[Value, Arguments, State, Scope, ast.AST], Results]
    attribute: Callable[[Value, str, State, Scope, ast.AST], Results]
    iterate: Callable[[Value, State, Scope, ast.AST], Results]
    load: Callable[[str], bool]
    join: Callable[[list[State]], State]
    fewer: Callable[[Results], Results]
    combined: Callable[[list[tuple[list[Value], State]]], list[tuple[list[Value], State]]]

    def evaluate_all(self, nodes: list[ast.expr], state: State, scope: Scope) -> list[tuple[list[Value], State]]:
        paths: list[tuple[list[Value], State]] = [([], state)]
        for node in nodes:
            paths = self.combined(
                [
                    ([*values, value], after)
                    for values, before in paths
                    for value, after in self.evaluate(node, before, scope)
                ]
            )
        return paths


__all__ = ["Arguments", "Effects", "Event", "Machine", "OutOfBudget", "Outcome", "Raised", "Results", "kept_arguments"]
