"""surfaces-agree: a hole that opens only after a lever is found, and told in the shortest script."""

from __future__ import annotations

import random

import pytest
from pytest_invariants.catalogue.doors.surfaces_agree import INVARIANT
from pytest_invariants.probe import machine, walks
from pytest_invariants.probe.answers import Fallen
from pytest_invariants.probe.host import Facts, Host, Outcome
from pytest_invariants.probe.player import VERBS, play
from pytest_invariants.probe.script import Move, Script, parsed
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.shorten import Shortener
from pytest_invariants.verdict import Reason, Verdict

from tests.catalogue import small
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

    def approve_edited(self, skill: str) -> Outcome:
        return Outcome(not self.closed(skill))

    def forge(self, skill: str) -> None:
        self.loaded.append(skill)

    def parts(self, skill: str) -> list[str]:
        return [f"{skill}_run"]

    def search(self, query: str, limit: int) -> list[str]:
        return [f"{skill}_run" for skill in self.skills if skill in query and not self.closed(skill)][:limit]

    def spawn_child(self) -> Host:
        child = type(self)()
        child.open(Facts(category=self.category))
        child.child = True
        return child


def notes_of(host: type[Host], **more: object) -> list[str]:
    return [step.note for step in finding_of(INVARIANT, host, **more).trace]


def test_an_honest_agent_agrees() -> None:
    finding = finding_of(INVARIANT, Full)
    assert finding.verdict is Verdict.HELD, finding
    assert f"(moves: {', '.join(VERBS)})" in finding.message


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


class OpenAfterThree(Full):
    """A history of three steps, in this order: what was loaded survives the compaction, and is trusted when restored."""

    def open(self, facts: Facts) -> None:
        super().open(facts)
        self.kept: list[str] = []
        self.opened: list[str] = []

    def compact(self) -> None:
        self.kept, self.loaded = self.loaded, []

    def resume(self, fresh: bool) -> None:
        self.opened = list(self.kept) if fresh else []

    def activate(self, *names: str) -> Outcome:
        return Outcome(names[0] in self.opened or super().activate(*names).ran)


class OpenChildLater(Full):
    """A child that was spawned in time keeps what it had."""

    def spawn_child(self) -> Host:
        child = super().spawn_child()
        assert isinstance(child, OpenChildLater)
        child.had = [skill for skill in self.skills if not self.closed(skill)]
        return child

    def activate(self, *names: str) -> Outcome:
        return Outcome(names[0] in getattr(self, "had", ()) or super().activate(*names).ran)


class EditsFreely(Full):
    def approve_edited(self, skill: str) -> Outcome:
        return Outcome(True)


class SearchesAll(Full):
    def search(self, query: str, limit: int) -> list[str]:
        return [f"{skill}_run" for skill in self.skills]


class FoldsTheName(Full):
    """Only the plain spelling is asked about."""

    def activate(self, *names: str) -> Outcome:
        if names[0] not in self.skills:
            return Outcome(names[0].lower() in self.skills)
        return super().activate(*names)


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


AGREED = "index lists: nothing comes out, rightly"


@pytest.mark.parametrize(
    ("host", "reason", "last", "script"),
    [
        (LateApproval, Reason.STALE_VERDICT, "what waits is approved", "open 0; pend ledger; deny *; approve"),
        (OpenAfterResume, Reason.DISAGREES, AGREED, "open 0; restart; deny *"),
        (OpenAfterLoad, Reason.DISAGREES, AGREED, "open 0; load ledger; deny *"),
        (OpenChild, Reason.DISAGREES, AGREED, "open 0; child; deny *"),
        (OpenChildLater, Reason.DISAGREES, AGREED, "open 0; child; deny *"),
        (OpenAfterThree, Reason.DISAGREES, AGREED, "open 0; deny *; forge ledger; compact; resume fresh"),
        (SearchesAll, Reason.LEAKED, "the model searches for 'ledger run'", "open 0; deny *; search ledger"),
    ],
)
def test_a_mutant_falls(host: type[Host], reason: Reason, last: str, script: str) -> None:
    finding = finding_of(INVARIANT, host)
    assert (finding.verdict, finding.reason) == (Verdict.REFUTED, reason), finding
    notes = [step.note for step in finding.trace]
    assert notes[-2:] == [last, f"to play it again: invariants play '{script}'"]


def test_a_surface_that_never_lists_has_no_script() -> None:
    finding = finding_of(INVARIANT, NeverLists)
    assert finding.reason is Reason.NOT_SHOWN
    assert finding.trace[-1].note == "activate is asked by name: `ledger`, `notes`, `payroll` comes out, rightly"


def test_the_shortest_script_is_told_in_words() -> None:
    assert notes_of(OpenAfterThree) == [
        "an agent opens with category 'office' while the seal says yes to everything",
        "now the seal says no to everything",
        "it is forged into the record that ledger was opened and loaded",
        "the history is compacted",
        "the thread is resumed from what was stored",
        "activate is asked by name: `ledger` comes out, wrongly",
        "index lists: nothing comes out, rightly",
        "to play it again: invariants play 'open 0; deny *; forge ledger; compact; resume fresh'",
    ]


def needs_every_move(session: ProbeSession, replay: str) -> bool:
    script = parsed(replay)
    with pytest.raises(Fallen):
        play(session, session.sealed_questions, script)
    for place in range(len(script.moves)):
        fewer = Script((*script.moves[:place], *script.moves[place + 1 :]), script.facts, script.denied)
        play(session, session.sealed_questions, fewer)
    return True


@pytest.mark.parametrize("host", [OpenAfterThree, EditsFreely, OpenChildLater])
def test_every_move_of_the_shortest_script_is_needed(host: type[Host]) -> None:
    replay = notes_of(host)[-1].removeprefix("to play it again: invariants play ").strip("'")
    assert needs_every_move(ProbeSession(small_registry(host)), replay)


def test_the_machine_finds_what_only_drawn_scripts_show() -> None:
    session = ProbeSession(small_registry(FoldsTheName))
    questions = session.sealed_questions
    assert walks.walk(session, questions) is None
    assert walks.tour(session, questions) is None
    found = machine.play(session, questions, examples=40, steps=8)
    assert found is not None
    fallen = Shortener(session, questions).shortest(*found)
    assert "by another spelling) comes out of `activate` though" in fallen.message
    assert parsed(fallen.replay).moves[-1].verb == "call"
    assert needs_every_move(session, fallen.replay)


class SealsStrangers(Full):
    """Honest: what has no facts is asked about as something that nobody may have."""

    def activate(self, *names: str) -> Outcome:
        sealed = small.sealed(small.CATEGORIES.get(names[0], ("nobody",)), self.category)
        return Outcome(not sealed and names[0].lower() in self.skills)


class AnswersToAnyName(Full):
    """Its host takes every answer for something, so what comes out by another spelling means nothing."""

    def activate(self, *names: str) -> Outcome:
        return Outcome(names[0] not in self.skills or super().activate(*names).ran)


@pytest.mark.parametrize("host", [SealsStrangers, AnswersToAnyName])
def test_a_call_by_another_spelling_is_judged_with_care(host: type[Host]) -> None:
    session = ProbeSession(small_registry(host))
    questions = session.sealed_questions
    script = Script((Move("deny", ("ledger",)), Move("call", ("activate", "ledger", "LEDGER"))))
    play(session, questions, script)
    assert machine.play(session, questions, examples=40, steps=8) is None


class OpenAtHome(OpenAfterLoad):
    """Only under the second of the host's facts."""

    def activate(self, *names: str) -> Outcome:
        return super().activate(*names) if self.category == "home" else Small.activate(self, *names)


def test_the_facts_that_matter_stay_in_the_script() -> None:
    session = ProbeSession(small_registry(OpenAtHome))
    found = machine.play(session, session.sealed_questions, examples=40, steps=8)
    assert found is not None
    replay = Shortener(session, session.sealed_questions).shortest(*found).replay
    assert parsed(replay).facts == 1
    assert len(parsed(replay).moves) <= 2
    assert len(parsed(replay).denied) <= 1
    assert needs_every_move(session, replay)


def test_a_beginning_is_made_simpler() -> None:
    session = ProbeSession(small_registry(OpenAfterLoad))
    questions = session.sealed_questions
    script = parsed("open 1 denying notes; forge ledger; forge notes; step; deny ledger notes")
    with pytest.raises(Fallen) as caught:
        play(session, questions, script)
    assert Shortener(session, questions).shortest(script, caught.value).replay in (
        "open 0; forge ledger; deny *",
        "open 0; forge notes; deny *",
        "open 0 denying notes; forge notes",
    )
    assert Shortener(session, questions, plays=0).shortest(script, caught.value) is caught.value
    assert "forge notes" in Shortener(session, questions, plays=1).shortest(script, caught.value).replay


def test_what_is_drawn_is_always_the_same() -> None:
    session = ProbeSession(small_registry(EditsFreely))
    one, two = (machine.play(session, session.sealed_questions, examples=40, steps=8) for _ in range(2))
    assert one is not None
    assert two is not None
    assert one[0] == two[0]


def test_every_three_moves_come_one_after_the_other_in_a_tour() -> None:
    session = ProbeSession(small_registry(Full))
    (first, *_) = walks.tours(session)
    moves = [move for move in first.moves if move != walks.NO]
    assert len(moves) == walks.ROUNDS * len(set(moves))
    assert {Move("compact"), Move("resume", ("fresh",)), Move("forge", ("ledger",)), Move("drop")} < set(moves)


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
