"""Playing once for all surfaces: opening an agent is dear, and asking it one question more is not."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pytest_invariants.probe.agent import Question
from pytest_invariants.probe.answers import Fallen
from pytest_invariants.probe.judge import expect
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.registry.model import Surface


class Asking:
    """Asks several questions at each step, and remembers for each the first answer that was wrong."""

    def __init__(self, questions: Iterable[Question]) -> None:
        self.questions = tuple(questions)
        self.wrong: dict[Question, Fallen] = {}

    def ask(self, stage: Stage) -> None:
        for question in self.questions:
            if question not in self.wrong:
                try:
                    expect(stage, question)
                except Fallen as fallen:
                    self.wrong[question] = fallen

    def raise_first(self) -> None:
        for fallen in self.wrong.values():
            raise fallen


Story = Callable[[Asking], None]


def together(session: ProbeSession, invariant: str, surface: Surface, story: Story) -> None:
    """Play a story once for all surfaces, and once more for those questions of this surface that went wrong.

    Raises Fallen: that of the second time, which has the shorter script, where it goes wrong again.
    """
    if invariant not in session.seen:
        asking = Asking(session.sealed_questions)
        story(asking)
        session.seen[invariant] = asking.wrong
    for question in session.sealed_questions_of(surface):
        known = session.seen[invariant].get(question)
        if known is not None:
            session.heard.clear()
            alone = Asking([question])
            story(alone)
            alone.raise_first()
            raise known
