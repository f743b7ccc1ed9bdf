"""Looking for one way around in a surface that is too large to be followed whole.

Of the paths that go the same way one is followed and the others are left, so that each attempt is short. What an attempt finds
is a path like any other; what it does not find says nothing, so that no attempt proves anything. What holds *for every element* of a
collection is concluded from all rounds: comprehensions leave no kind of element out, and behind a loop that asks all is in doubt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING, TypeVar

from pytest_invariants.flow.domain.state import State, doubt_of_all
from pytest_invariants.verdict import Finding, Place, Reason, Verdict

if TYPE_CHECKING:
    from pytest_invariants.flow.judging.activation import Activation
    from pytest_invariants.flow.machine.machine import Machine

T = TypeVar("T")
ATTEMPTS, STEPS, TOGETHER = 120, 4_000, 8_000
"""How often a way around is looked for, the steps of one attempt, and those of all."""
BLAMED = 8
"""Choices of an attempt that are blamed where it came to nothing, each half as much as the one after it."""
FEWEST = 60
"""What an attempt counts for at least, which may come to an end at once."""


class Sampler:
    """Chooses one of several paths: of those that did not come to nothing before, in turn that with the fewest doubts and questions, that
    with the fewest doubts, and any; among equals the one whose last step was taken least often so far."""

    def __init__(self) -> None:
        self._random, self._taken, self._ranks = Random(0), Counter[object](), 2
        self._vain: dict[object, float] = {}
        self._chosen: list[object] = []

    def begin(self, attempt: int) -> None:
        self._random.seed(attempt)
        self._ranks = 2 - attempt % 3
        self._chosen = []

    def came_to_nothing(self) -> None:
        """Blame the choices of this attempt, the last one most."""
        for back, choice in enumerate(reversed(self._chosen[-BLAMED:])):
            self._vain[choice] = self._vain.get(choice, 0.0) + 0.5**back

    def one(self, found: list[T], state_of: Callable[[T], State]) -> list[T]:
        if len(found) < 2:
            return found
        choices = [(_last(state_of(one)), len(found), at) for at, one in enumerate(found)]
        ranks = [self._rank(state_of(one), choice) for one, choice in zip(found, choices, strict=True)]
        at = ranks.index(min(ranks))
        self._taken[choices[at][0]] += 1
        self._chosen.append(choices[at])
        return [found[at]]

    def _rank(self, state: State, choice: object) -> tuple[float, ...]:
        ranks = (len(state.doubts), len(state.calls))[: self._ranks]
        return (int(self._vain.get(choice, 0.0)), *ranks, self._taken[_last(state)], self._random.random())


def _last(state: State) -> object:
    return (state.trail.step.at, state.trail.step.note) if state.trail is not None else None


def followed_in_part(state: State, at: Place) -> State:
    """A path behind a loop that asks, or that no round came through: what holds of every element is not known then."""
    state.doubts |= {doubt_of_all(Reason.TOO_MANY_TARGETS, at, "a loop that is followed in part")}
    return state


@contextmanager
def _following_one(m: Machine, sampler: Sampler, steps: int) -> Iterator[None]:
    held = m.sampler, m.step_limit, m.easy
    m.sampler, m.step_limit, m.easy = sampler, steps, 0
    try:
        yield
    finally:
        m.sampler, m.step_limit, m.easy = held


def way_around(
    m: Machine, run: Callable[[], Activation], judge: Callable[[Activation], Finding], together: int = TOGETHER
) -> Finding | None:
    """The first refutation that an attempt comes to, or None where none does."""
    taken, sampler = 0, Sampler()
    for attempt in range(ATTEMPTS):
        if taken >= together:
            break
        sampler.begin(attempt)
        with _following_one(m, sampler, min(STEPS, together - taken)):
            activation = run()
        taken += max(FEWEST, m.steps)
        activation.complete, activation.sampled = False, True
        if not any(event.label.capability >= 0 for event in activation.events):
            sampler.came_to_nothing()
        if not activation.fault:
            finding = judge(activation)
            if finding.verdict is Verdict.REFUTED:
                return finding
    return None
