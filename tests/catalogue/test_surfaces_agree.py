"""surfaces-agree: a hole that opens only after a lever is found, and told in the shortest script."""

from __future__ import annotations

import random

import pytest
from pytest_invariants.catalogue.doors.surfaces_agree import INVARIANT
from pytest_invariants.probe import machine, walks
from pytest_invariants.probe.answers import Fallen
from pytest_invariants.probe.host import Facts, Host, Outcome
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.verdict import Reason, Verdict

from tests.catalogue.small import Small, finding_of, small_registry


class Full(Small):
    """Honest, with every lever."""

    def open(self, facts: Facts) -> None:
        super().open(facts)
        self.loaded: list[str] = []
        self.pending: str | None = None
        self.served = True
        self.child = False

    def index(self) -> list[str]:
        return [skill for skill in self.skills if self.served and not self.closed(skill)]

    def step(self) -> None:
        self.steps = True

    def turn(self) -> None:
        self.turns = True

    def load(self, skill: str) -> None:
        if self.closed(skill):
            raise PermissionError(skill)
        self.loaded.append(skill)

    def compact(self) -> None:
        self.loaded.clear()

    def resume(self, fresh: bool) -> None:
        self.resumed = fresh

    def reload(self) -> None:
        self.reloaded = True

    def restart(self) -> None:
        self.resumed = True

    def drop(self) -> None:
        self.served = False

    def connect(self) -> None:
        self.served = True

    def pend(self, skill: str) -> None:
        self.pending = None if self.closed(skill) else skill

    def approve(self) -> Outcome:
        return Outcome(self.pending is not None and not self.closed(self.pending))

    def spawn_child(self) -> Host:
        child = type(self)()
        child.open(Facts(category=self.category))
        child.child = True
        return child


def test_an_honest_agent_agrees() -> None:
    finding = finding_of(INVARIANT, Full)
    assert finding.verdict is Verdict.HELD, finding
    assert "levers: step, turn, load, compact, resume" in finding.message


class LateApproval(Full):
    def approve(self) -> Outcome:
        return Outcome(self.pending is not None)


class OpenAfterResume(Full):
    """What was stored is trusted when new objects take it up."""

    def resume(self, fresh: bool) -> None:
        self.resumed = fresh

    def activate(self, *names: str) -> Outcome:
        return Outcome(getattr(self, "resumed", False) or super().activate(*names).ran)


class OpenAfterLoad(Full):
    def activate(self, *names: str) -> Outcome:
        return Outcome(names[0] in self.loaded or super().activate(*names).ran)


class OpenChild(Full):
    def activate(self, *names: str) -> Outcome:
        return Outcome(self.child or super().activate(*names).ran)


class OpenAfterTwo(Full):
    """Only a drawn script moves both levers."""

    def compact(self) -> None:
        self.compacted = True

    def reload(self) -> None:
        self.reloaded = getattr(self, "compacted", False)

    def activate(self, *names: str) -> Outcome:
        return Outcome(getattr(self, "reloaded", False) or super().activate(*names).ran)


class LostAfterCompaction(Full):
    def compact(self) -> None:
        self.served = False


class NeverLists(Full):
    def index(self) -> list[str]:
        return []


class Moody(Full):
    source = random.Random(1)

    def activate(self, *names: str) -> Outcome:
        return Outcome(self.source.random() < 0.2 or super().activate(*names).ran)


@pytest.mark.parametrize(
    ("host", "reason", "last"),
    [
        (LateApproval, Reason.STALE_VERDICT, "what waits is approved"),
        (OpenAfterResume, Reason.DISAGREES, "index lists: nothing comes out, rightly"),
        (OpenAfterLoad, Reason.DISAGREES, "index lists: nothing comes out, rightly"),
        (OpenChild, Reason.DISAGREES, "index lists: nothing comes out, rightly"),
        (NeverLists, Reason.NOT_SHOWN, "activate is asked by name: `ledger`, `notes`, `payroll` comes out, rightly"),
    ],
)
def test_a_mutant_falls(host: type[Host], reason: Reason, last: str) -> None:
    finding = finding_of(INVARIANT, host)
    assert (finding.verdict, finding.reason) == (Verdict.REFUTED, reason), finding
    assert finding.trace[-1].note == last, finding.trace


def test_the_shortest_script_is_told() -> None:
    finding = finding_of(INVARIANT, OpenAfterResume)
    notes = [step.note for step in finding.trace]
    assert notes[1:3] == ["the agent is restarted", "now the seal says no to everything"]
    assert len(notes) == 5, notes


def test_what_no_usual_script_shows_a_drawn_one_does() -> None:
    session = ProbeSession(small_registry(OpenAfterTwo))
    walks.walk(session, session.sealed_questions)
    with pytest.raises(Fallen) as caught:
        machine.play(session, session.sealed_questions, examples=300, steps=8)
    script = list(caught.value.script)
    assert "the skill files are read again" in script[script.index("the history is compacted") :]


def test_less_may_be_listed_after_a_compaction_unless_the_policy_says_it_keeps() -> None:
    assert finding_of(INVARIANT, LostAfterCompaction).verdict is Verdict.HELD
    finding = finding_of(INVARIANT, LostAfterCompaction, policies={"compaction": "keeps"})
    assert finding.verdict is Verdict.REFUTED
    assert "the history is compacted" in [step.note for step in finding.trace]


def test_an_agent_that_answers_by_chance_falls() -> None:
    finding = finding_of(INVARIANT, Moody)
    assert finding.verdict is Verdict.REFUTED, finding


def test_one_surface_alone_has_nothing_to_agree_with() -> None:
    class Alone(Host):
        skills = ("a", "b")

        def open(self, facts: Facts) -> None: ...

        def index(self) -> list[str]:
            return []

    globals()["Alone"] = Alone
    Alone.__qualname__ = "Alone"
    assert finding_of(INVARIANT, Alone).verdict is Verdict.UNEXAMINED


def test_two_runs_are_the_same() -> None:
    assert finding_of(INVARIANT, OpenAfterLoad) == finding_of(INVARIANT, OpenAfterLoad)
