"""resume-reseals, approval-reseals and history-forged: what was stored opens nothing."""

from __future__ import annotations

import pytest
from pytest_invariants.catalogue.doors import approval_reseals, history_forged, resume_reseals
from pytest_invariants.catalogue.model import Invariant
from pytest_invariants.probe.host import Facts, Host, Outcome
from pytest_invariants.verdict import Reason, Verdict

from tests.catalogue.small import Small, finding_of


class Stored(Small):
    """Keeps a record of what was opened, and asks the seal whatever the record says."""

    def open(self, facts: Facts) -> None:
        super().open(facts)
        self.record: set[str] = set()
        self.pending = ""
        self.taken_up = False

    def load(self, skill: str) -> None:
        if not self.closed(skill):
            self.record.add(skill)

    def resume(self, fresh: bool) -> None:
        self.taken_up = fresh

    def restart(self) -> None:
        self.taken_up = True

    def forge(self, skill: str) -> None:
        self.record.add(skill)

    def pend(self, skill: str) -> None:
        self.pending = skill

    def approve(self) -> Outcome:
        return Outcome(not self.closed(self.pending))

    def approve_edited(self, skill: str) -> Outcome:
        self.pending = skill
        return self.approve()


class DoesNotOpen(Stored):
    """Honest: where nothing is allowed there is no agent."""

    def open(self, facts: Facts) -> None:
        super().open(facts)
        if all(map(self.closed, self.skills)):
            raise PermissionError("nothing is open to you")


class TrustsTheRecord(Stored):
    def activate(self, *names: str) -> Outcome:
        return Outcome(names[0] in self.record or super().activate(*names).ran)


class TrustsItOnceRebuilt(Stored):
    """The same object asks; one that is built from the record does not."""

    def index(self) -> list[str]:
        return [skill for skill in self.skills if not self.closed(skill) or (self.taken_up and skill in self.record)]


class Frozen(Stored):
    """Honest: the index is made once a step, also in a thread that was resumed."""

    def open(self, facts: Facts) -> None:
        super().open(facts)
        self.step()

    def index(self) -> list[str]:
        return list(self.shown)

    def step(self) -> None:
        self.shown = [skill for skill in self.skills if not self.closed(skill)]


class RestoresTheIndex(Frozen):
    """The prompt of a resumed thread is the one that was stored."""

    def step(self) -> None:
        if not self.taken_up:
            super().step()


class EmptyOnceRebuilt(Stored):
    def index(self) -> list[str]:
        return [] if self.taken_up else [skill for skill in self.skills if not self.closed(skill)]


@pytest.mark.parametrize(
    ("host", "surface", "reason"),
    [
        (Stored, "index", None),
        (Stored, "activate", None),
        (TrustsTheRecord, "activate", Reason.STALE_VERDICT),
        (TrustsItOnceRebuilt, "index", Reason.STALE_VERDICT),
        (Frozen, "index", None),
        (RestoresTheIndex, "index", Reason.STALE_VERDICT),
        (EmptyOnceRebuilt, "index", Reason.NOT_SHOWN),
    ],
)
def test_a_resumed_thread_obeys_the_seal(host: type[Host], surface: str, reason: Reason | None) -> None:
    finding = finding_of(resume_reseals.INVARIANT, host, surface, policies={"table": "per-step"})
    assert finding.reason is reason, finding
    assert finding.verdict is (Verdict.REFUTED if reason else Verdict.HELD)


def test_the_script_of_a_resume_is_the_shortest() -> None:
    finding = finding_of(resume_reseals.INVARIANT, TrustsItOnceRebuilt, "index")
    assert [step.note for step in finding.trace] == [
        "an agent opens with category 'office' while the seal says yes to everything",
        "the manual of ledger is loaded",
        "the manual of notes is loaded",
        "the manual of payroll is loaded",
        "everything comes out",
        "now the seal says no to everything",
        "the thread is resumed from what was stored",
        "index lists: `ledger`, `notes`, `payroll` comes out",
    ]


class RunsOnApproval(Stored):
    def approve(self) -> Outcome:
        return Outcome(True)


class RunsAfterTheRestart(Stored):
    """Only what was restored is trusted."""

    def approve(self) -> Outcome:
        return Outcome(self.taken_up or super().approve().ran)


class RunsTheEdit(Stored):
    """The call that waited was checked, and another runs."""

    def approve_edited(self, skill: str) -> Outcome:
        return self.approve()


class EditsNothing(Stored):
    def approve_edited(self, skill: str) -> Outcome:
        return Outcome(False)


class Deaf(Stored):
    def approve(self) -> Outcome:
        return Outcome(False)


class NoEdit(Small):
    def pend(self, skill: str) -> None:
        self.pending = skill

    def approve(self) -> Outcome:
        return Outcome(not self.closed(self.pending))


@pytest.mark.parametrize(
    ("host", "verdict", "reason", "said"),
    [
        (Stored, Verdict.HELD, None, "24 calls that waited ran with a yes, and did not when the seal had said no"),
        (NoEdit, Verdict.HELD, None, "no edit was tried, because the host has no `approve_edited`"),
        (
            RunsOnApproval,
            Verdict.REFUTED,
            Reason.STALE_VERDICT,
            "a call of `ledger` that waited for approval runs though",
        ),
        (
            RunsAfterTheRestart,
            Verdict.REFUTED,
            Reason.STALE_VERDICT,
            "waited for approval runs though the seal says no",
        ),
        (
            RunsTheEdit,
            Verdict.REFUTED,
            Reason.LEAKED,
            "a call of `notes` that waited for approval runs changed into one",
        ),
        (EditsNothing, Verdict.REFUTED, Reason.NOT_SHOWN, "does not run after it was changed though"),
        (Deaf, Verdict.REFUTED, Reason.NOT_SHOWN, "a call of `ledger` that waited for approval does not run though"),
        (Small, Verdict.UNEXAMINED, None, "the host has no `pend` and no `approve`"),
    ],
)
def test_an_approval_is_no_verdict(host: type[Host], verdict: Verdict, reason: Reason | None, said: str) -> None:
    finding = finding_of(approval_reseals.INVARIANT, host)
    assert (finding.verdict, finding.reason) == (verdict, reason), finding
    assert said in finding.message


def test_an_approval_needs_a_moment_in_which_the_change_is_heard() -> None:
    finding = finding_of(approval_reseals.INVARIANT, Stored, policies={"table": "per-turn"})
    assert finding.verdict is Verdict.UNEXAMINED
    assert "no lever `step` or `turn`" in finding.message


class ForgesNothing(Stored):
    """Goes through the agent's own door, which is closed."""

    def forge(self, skill: str) -> None:
        if self.closed(skill):
            raise PermissionError(skill)


class BreaksOnTheRecord(Stored):
    def index(self) -> list[str]:
        return [] if self.record else super().index()  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("host", "surface", "verdict", "reason"),
    [
        (Stored, "activate", Verdict.HELD, None),
        (Stored, "index", Verdict.HELD, None),
        (TrustsTheRecord, "activate", Verdict.REFUTED, Reason.LEAKED),
        (TrustsItOnceRebuilt, "index", Verdict.REFUTED, Reason.LEAKED),
        (BreaksOnTheRecord, "index", Verdict.REFUTED, Reason.NOT_SHOWN),
        (ForgesNothing, "activate", Verdict.REFUTED, Reason.HARNESS),
        (Small, "activate", Verdict.UNEXAMINED, None),
    ],
)
def test_a_forged_record_opens_nothing(host: type[Host], surface: str, verdict: Verdict, reason: Reason | None) -> None:
    finding = finding_of(history_forged.INVARIANT, host, surface)
    assert (finding.verdict, finding.reason) == (verdict, reason), finding


def test_a_forgery_past_the_door_is_asked_of_the_host() -> None:
    finding = finding_of(history_forged.INVARIANT, ForgesNothing, "activate")
    assert (
        "`ForgesNothing.forge` raised PermissionError: ledger while the seal says no to everything" in finding.message
    )
    assert finding.remedy == "write to the agent's store, past its surfaces"


@pytest.mark.parametrize("invariant", [history_forged.INVARIANT, resume_reseals.INVARIANT])
def test_what_may_be_called_on_purpose_is_not_examined(invariant: object) -> None:
    finding = finding_of(invariant, Stored, "activate", hidden=("activate",))  # type: ignore[arg-type]
    assert finding.verdict is Verdict.UNEXAMINED


@pytest.mark.parametrize("invariant", [resume_reseals.INVARIANT, history_forged.INVARIANT], ids=lambda one: one.id)
@pytest.mark.parametrize("surface", ["index", "activate"])
def test_an_agent_that_does_not_open_gives_nothing_out(invariant: Invariant, surface: str) -> None:
    assert finding_of(invariant, DoesNotOpen, surface).verdict is Verdict.HELD
