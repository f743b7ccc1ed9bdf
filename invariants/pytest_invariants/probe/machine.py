"""The stateful machine: draws what the seal denies and what is done, and after every step asks every surface."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.errors import Flaky
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from pytest_invariants.probe import draw
from pytest_invariants.probe.answers import Fallen
from pytest_invariants.probe.compare import Questions
from pytest_invariants.probe.player import VERBS, Player, Words, on_stage
from pytest_invariants.probe.script import Move, Script
from pytest_invariants.probe.session import ProbeSession


class Agreement(RuleBasedStateMachine):
    """Subclassed with a session. Every kind of move is a rule; the model is what the seal denies."""

    session: ClassVar[ProbeSession]
    questions: ClassVar[Questions]
    found: ClassVar[list[tuple[Script, Fallen]]]

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.player: Player | None = None
        self.script = Script()

    @initialize(data=st.data())
    def open(self, data: Any) -> None:
        facts = data.draw(st.integers(0, len(self.session.facts) - 1))
        groups = self.session.groups(self.session.facts[facts])
        some = data.draw(st.sets(st.sampled_from(groups))) if groups else set()
        self.script = Script((), facts, tuple(sorted(frozenset().union(*some))))
        self.player = self.stack.enter_context(on_stage(self.session, self.questions, self.script))

    def teardown(self) -> None:
        self.stack.close()

    def make(self, verb: str, data: Any) -> None:
        assert self.player is not None
        words: Words = data.draw(st.sampled_from(self.player.choices(verb)))
        move = Move(verb, words)
        self.script = Script((*self.script.moves, move), self.script.facts, self.script.denied)
        self._watched(lambda player: player.make(move))

    @invariant()
    def every_surface_agrees(self) -> None:
        self._watched(lambda player: player.look())

    def _watched(self, act: Callable[[Player], object]) -> None:
        try:
            if self.player is not None:
                act(self.player)
        except Fallen as fallen:
            self.found.append((self.script, fallen))
            raise


def _rule(verb: str) -> Any:
    def made(self: Agreement, data: Any) -> None:
        self.make(verb, data)

    made.__name__ = made.__qualname__ = f"move_{verb}"
    able = precondition(lambda machine: machine.player is not None and machine.player.can(verb))
    return able(rule(data=st.data())(made))


def _machine(session: ProbeSession, questions: Questions, found: list[tuple[Script, Fallen]]) -> type[Agreement]:
    rules = {f"move_{verb}": _rule(verb) for verb in VERBS}
    told = {"session": session, "questions": questions, "found": found}
    return type("Played", (Agreement,), {**rules, **told})


def play(session: ProbeSession, questions: Questions, examples: int, steps: int) -> tuple[Script, Fallen] | None:
    """Play the machine: the script that failed first, and how; None where none did."""
    found: list[tuple[Script, Fallen]] = []
    machine = _machine(session, questions, found)
    try:
        with draw.storage_elsewhere():
            run_state_machine_as_test(machine, settings=draw.bounded(examples, steps, shrinks=False))
    except (Fallen, Flaky):
        return found[0]
    return None
