"""The stateful machine: draws policies and histories, moves the levers, and after every step asks every surface."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, ClassVar, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from pytest_invariants.probe import draw
from pytest_invariants.probe.compare import Questions, approve, compare, compare_child
from pytest_invariants.probe.host import Facts
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.walks import keeps
from pytest_invariants.probe.worlds import World

F = TypeVar("F", bound=Callable[..., None])


def has(lever: str) -> Callable[[F], F]:
    """The rule is for hosts that have the lever."""

    def decorate(function: F) -> F:
        return precondition(lambda machine: machine.session.has(lever))(function)

    return decorate


class Agreement(RuleBasedStateMachine):
    """Subclassed with a session; the model is the world, the set of skills that the seal denies."""

    session: ClassVar[ProbeSession]
    questions: ClassVar[Questions]
    patience: ClassVar[draw.Patience]

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.dropped = False
        self.compacted = False
        self.pending: str | None = None

    @initialize(data=st.data())
    def open(self, data: Any) -> None:
        self.patience.begin()
        facts: Facts = data.draw(st.sampled_from(self.session.facts))
        world: World = data.draw(draw.worlds(self.session, awaited=False, broken=False))
        self.stage: Stage = self.stack.enter_context(self.session.stage(facts, world))

    def teardown(self) -> None:
        self.stack.close()

    @precondition(lambda machine: machine.session.changeable)
    @rule(data=st.data())
    def decide(self, data: Any) -> None:
        self.stage.enter(data.draw(draw.worlds(self.session, awaited=False, broken=False)))

    @has("step")
    @rule()
    def step(self) -> None:
        self.stage.pull("step")

    @has("turn")
    @rule()
    def turn(self) -> None:
        self.stage.pull("turn")

    @has("load")
    @rule(data=st.data())
    def load(self, data: Any) -> None:
        self.stage.pull("load", data.draw(st.sampled_from(self.session.skills)))

    @has("compact")
    @rule()
    def compact(self) -> None:
        self.stage.pull("compact")
        self.compacted = not keeps(self.session)

    @has("resume")
    @rule(fresh=st.booleans())
    def resume(self, fresh: bool) -> None:
        self.stage.pull("resume", fresh)

    @has("reload")
    @rule()
    def reload(self) -> None:
        self.stage.pull("reload")

    @has("restart")
    @rule()
    def restart(self) -> None:
        self.stage.pull("restart")

    @has("drop")
    @has("connect")
    @precondition(lambda machine: not machine.dropped)
    @rule()
    def drop(self) -> None:
        self.stage.pull("drop")
        self.dropped = True

    @has("connect")
    @precondition(lambda machine: machine.dropped)
    @rule()
    def connect(self) -> None:
        self.stage.pull("connect")
        self.dropped = False

    @has("approve")
    @has("pend")
    @precondition(lambda machine: machine.pending is None)
    @rule(data=st.data())
    def pend(self, data: Any) -> None:
        self.pending = data.draw(st.sampled_from(self.session.skills))
        self.stage.pull("pend", self.pending)

    @precondition(lambda machine: machine.pending is not None)
    @rule()
    def approve(self) -> None:
        skill, self.pending = str(self.pending), None
        with self.patience.watch():
            approve(self.stage, skill)

    @has("spawn_child")
    @rule()
    def spawn_child(self) -> None:
        with self.patience.watch():
            compare_child(self.stage, self.questions)

    @invariant()
    def every_surface_agrees(self) -> None:
        with self.patience.watch():
            compare(self.stage, self.questions, complete=not self.dropped, lists_complete=not self.compacted)


def play(session: ProbeSession, questions: Questions, examples: int, steps: int) -> None:
    """Play the machine; raises the Fallen of the shortest script."""

    class Played(Agreement):
        pass

    Played.session = session
    Played.questions = questions
    Played.patience = draw.Patience()
    settings = draw.bounded(examples, steps)
    Played.patience.play(lambda: run_state_machine_as_test(Played, settings=settings))
