"""The family of calls: each invariant holds for an honest agent, and falls for one that breaks a single rule."""

from __future__ import annotations

import pytest
from pytest_invariants.catalogue.calls import (
    arguments_checked_first,
    descriptions_distinct,
    failure_is_result,
    hang_contained,
    identity_from_context,
    write_once,
    writers_closed,
)
from pytest_invariants.catalogue.model import Invariant
from pytest_invariants.probe.host import Host
from pytest_invariants.verdict import Finding, Reason, Verdict

from tests.catalogue import desks
from tests.catalogue.desk import Desk
from tests.catalogue.small import Small, finding_of

ARGUMENTS = arguments_checked_first.INVARIANT
FAILURE = failure_is_result.INVARIANT
HANG = hang_contained.INVARIANT
ONCE = write_once.INVARIANT
CLOSED = writers_closed.INVARIANT
IDENTITY = identity_from_context.INVARIANT
DESCRIPTIONS = descriptions_distinct.INVARIANT
FAMILY = (ARGUMENTS, FAILURE, HANG, ONCE, CLOSED, IDENTITY, DESCRIPTIONS)


def outcome(finding: Finding) -> tuple[Verdict, Reason | None]:
    return finding.verdict, finding.reason


@pytest.mark.parametrize("host", [Desk, desks.Waiting, desks.NoCodes, desks.UnderFunction])
@pytest.mark.parametrize("invariant", FAMILY, ids=lambda invariant: invariant.id)
def test_an_honest_agent_holds_all_of_them(invariant: Invariant, host: type[Host]) -> None:
    finding = finding_of(invariant, host)
    assert finding.verdict is Verdict.HELD, finding
    assert finding.message


@pytest.mark.parametrize("invariant", FAMILY, ids=lambda invariant: invariant.id)
def test_a_host_that_calls_nothing_is_not_examined(invariant: Invariant) -> None:
    assert finding_of(invariant, Small).verdict is Verdict.UNEXAMINED


FALLS: list[tuple[Invariant, type[Host], Reason, str]] = [
    (ARGUMENTS, desks.ChecksNothing, Reason.UNCHECKED_ARGUMENTS, "`find` is run though `number` is missing"),
    (ARGUMENTS, desks.ForgivesStrangers, Reason.UNCHECKED_ARGUMENTS, "there is no parameter `no_such_parameter`"),
    (ARGUMENTS, desks.TakesAnyNumber, Reason.UNCHECKED_ARGUMENTS, "`pay` is run though `cents` is out of bounds"),
    (ARGUMENTS, desks.ChecksAfterwards, Reason.UNCHECKED_ARGUMENTS, "`find` is run though"),
    (ARGUMENTS, desks.SaysYes, Reason.UNCHECKED_ARGUMENTS, "answered as a success though"),
    (FAILURE, desks.Raises, Reason.RAISED, "fails with TimeoutError, and it raises TimeoutError"),
    (FAILURE, desks.RaisesOnBadArguments, Reason.RAISED, "`number` is missing, and it raises ValueError"),
    (FAILURE, desks.TellsFailureAsSuccess, Reason.RAISED, "the call is answered as a success"),
    (FAILURE, desks.SwallowsMistakes, Reason.RAISED, "a mistake in the code of `find`"),
    (FAILURE, desks.SaysNothing, Reason.RAISED, "the answer says nothing"),
    (FAILURE, desks.OneCode, Reason.RAISED, "has the code 'OK', a success 'OK'"),
    (HANG, desks.Unbounded, Reason.HANGS, "has not come back after 0.05 s"),
    (HANG, desks.UsesUpThreads, Reason.HANGS, "after 33 calls of `find`, which hangs"),
    (HANG, desks.BlocksOthers, Reason.HANGS, "while `find` hangs: it answers 'busy'"),
    (HANG, desks.HangingIsSuccess, Reason.HANGS, "which hangs, is answered as a success"),
    (HANG, desks.HangsAwaiting, Reason.HANGS, "has not come back after 0.2 s"),
    (ONCE, desks.KnowsNoKeys, Reason.REPEATED, "`pay` begins again under the same key"),
    (ONCE, desks.WritesWithoutKey, Reason.REPEATED, "`pay` writes, and is run without a key"),
    (ONCE, desks.ForgetsOnRestart, Reason.REPEATED, "begins again under the same key"),
    (ONCE, desks.RemembersSuccessOnly, Reason.REPEATED, "begins again under the same key"),
    (ONCE, desks.TriesAgain, Reason.REPEATED, "`pay` is begun 2 times by one call"),
    (ONCE, desks.AnswersDifferently, Reason.REPEATED, "answered differently under the same key"),
    (ONCE, desks.ConfusesKeys, Reason.NOT_SHOWN, "not run under a key that was never used"),
    (CLOSED, desks.OffersWriters, Reason.OPEN_WRITER, "`pay` writes, and is offered"),
    (CLOSED, desks.RunsClosed, Reason.OPEN_WRITER, "`pay` writes, and runs in a session that has not opened it"),
    (CLOSED, desks.StaysOpen, Reason.OPEN_WRITER, "`pay` writes, and is offered"),
    (CLOSED, desks.DeclaresNothing, Reason.OPEN_WRITER, "`note` writes, and is offered"),
    (IDENTITY, desks.BelievesUser, Reason.CLAIMED_IDENTITY, "`find` acts for 'bob' in a session of 'ann'"),
    (IDENTITY, desks.AsksForUser, Reason.CLAIMED_IDENTITY, "`look` acts for 'bob' in a session of 'ann'"),
    (IDENTITY, desks.ActsForLast, Reason.CLAIMED_IDENTITY, "in a session in which nobody has signed in"),
    (DESCRIPTIONS, desks.TwoAlike, Reason.ALIKE, "the descriptions of `find` and `look` share"),
    (DESCRIPTIONS, desks.Undescribed, Reason.ALIKE, "`look` has no description"),
    (DESCRIPTIONS, desks.AlikeInChinese, Reason.ALIKE, "the descriptions of `find` and `look` share"),
]


@pytest.mark.parametrize(
    ("invariant", "host", "reason", "words"), FALLS, ids=[f"{row[0].id}-{row[1].__name__}" for row in FALLS]
)
def test_a_broken_rule_is_found_and_named(invariant: Invariant, host: type[Host], reason: Reason, words: str) -> None:
    finding = finding_of(invariant, host)
    assert outcome(finding) == (Verdict.REFUTED, reason), finding
    assert words in finding.message
    assert finding.remedy
    assert finding.trace


@pytest.mark.parametrize(
    ("invariant", "host"), [(FAILURE, desks.ForbidsNothing), (CLOSED, desks.OpensItself), (ONCE, desks.OpensItself)]
)
def test_an_honest_agent_of_another_kind_holds(invariant: Invariant, host: type[Host]) -> None:
    assert finding_of(invariant, host).verdict is Verdict.HELD


def test_descriptions_in_a_script_without_blanks_are_told_apart() -> None:
    assert finding_of(DESCRIPTIONS, desks.DistinctInChinese).verdict is Verdict.HELD


@pytest.mark.parametrize(
    ("invariant", "host", "words"),
    [
        (IDENTITY, desks.ActsForNobody, "no effect says for whom"),
        (ARGUMENTS, desks.ForbidsNothing, "no schema of the 4 tools forbids anything"),
        (CLOSED, desks.AlwaysOpen, "no writing tool that a session has to open"),
        (DESCRIPTIONS, desks.OneTool, "not two tools"),
        (HANG, desks.OneTool, "two tools that only read"),
    ],
)
def test_where_there_is_nothing_to_examine_nothing_holds(invariant: Invariant, host: type[Host], words: str) -> None:
    finding = finding_of(invariant, host)
    assert finding.verdict is Verdict.UNEXAMINED
    assert words in finding.message


@pytest.mark.parametrize("host", [desks.ReachesNothing, desks.BadSample, desks.NeverOpens])
@pytest.mark.parametrize("invariant", [ARGUMENTS, FAILURE, ONCE, IDENTITY], ids=lambda invariant: invariant.id)
def test_silence_proves_nothing_before_a_good_call_has_arrived(invariant: Invariant, host: type[Host]) -> None:
    finding = finding_of(invariant, host)
    assert finding.verdict is Verdict.REFUTED
    assert finding.reason in (Reason.NOT_SHOWN, Reason.HARNESS)
