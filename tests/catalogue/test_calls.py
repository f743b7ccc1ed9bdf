"""The family of calls: each invariant holds for an honest agent, and falls for one that breaks a single rule."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

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
from pytest_invariants.probe.host import Answer, Effect, Facts, Host
from pytest_invariants.verdict import Finding, Reason, Verdict

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


class Waiting(Desk):
    """Honest, and every method that acts is a coroutine function."""

    async def invoke(self, tool: str, arguments: Mapping[str, object], key: str | None) -> Answer:  # type: ignore[override]
        await asyncio.sleep(0)
        return super().invoke(tool, arguments, key)

    async def hang(self, tool: str) -> None:  # type: ignore[override]
        super().hang(tool)


class ChecksNothing(Desk):
    def valid(self, tool: str, arguments: Mapping[str, object]) -> bool:
        return True


class ForgivesStrangers(Desk):
    """Parameters that nobody knows are left aside."""

    def valid(self, tool: str, arguments: Mapping[str, object]) -> bool:
        return super().valid(tool, {name: arguments[name] for name in arguments if name in ("number", "cents", "text")})


class TakesAnyNumber(Desk):
    def valid_value(self, name: str, value: object) -> bool:
        return isinstance(value, int) if name == "cents" else super().valid_value(name, value)


class ChecksAfterwards(Desk):
    """The tool runs, and then its arguments are found wanting."""

    def invoke(self, tool: str, arguments: Mapping[str, object], key: str | None) -> Answer:
        answer = self.run(tool, arguments)
        return answer if self.valid(tool, arguments) else Answer(False, "bad arguments")


class SaysYes(Desk):
    """Nothing runs, and the answer is a success."""

    def invoke(self, tool: str, arguments: Mapping[str, object], key: str | None) -> Answer:
        return super().invoke(tool, arguments, key) if self.valid(tool, arguments) else Answer(True, "done", "OK")


class Raises(Desk):
    def run(self, tool: str, arguments: Mapping[str, object]) -> Answer:
        return self.function(tool, arguments)


class RaisesOnBadArguments(Desk):
    def invoke(self, tool: str, arguments: Mapping[str, object], key: str | None) -> Answer:
        if not self.valid(tool, arguments):
            raise ValueError("bad arguments")
        return super().invoke(tool, arguments, key)


class TellsFailureAsSuccess(Desk):
    def run(self, tool: str, arguments: Mapping[str, object]) -> Answer:
        answer = super().run(tool, arguments)
        return Answer(True, answer.text, "OK")


class SwallowsMistakes(Desk):
    def run(self, tool: str, arguments: Mapping[str, object]) -> Answer:
        try:
            return super().run(tool, arguments)
        except ZeroDivisionError:
            return Answer(True, "done", "OK")


class SaysNothing(Desk):
    def run(self, tool: str, arguments: Mapping[str, object]) -> Answer:
        answer = super().run(tool, arguments)
        return answer if answer.ok else Answer(False, " ", answer.code)


class OneCode(Desk):
    def run(self, tool: str, arguments: Mapping[str, object]) -> Answer:
        answer = super().run(tool, arguments)
        return Answer(answer.ok, answer.text, "OK")


class NoCodes(Desk):
    """Honest: results of this agent have no codes."""

    def invoke(self, tool: str, arguments: Mapping[str, object], key: str | None) -> Answer:
        answer = super().invoke(tool, arguments, key)
        return Answer(answer.ok, answer.text)


class Unbounded(Desk):
    """Whoever calls waits for as long as it takes."""

    def run(self, tool: str, arguments: Mapping[str, object]) -> Answer:
        return self.function(tool, arguments)

    def patience(self) -> float:
        return 0.05


class UsesUpThreads(Desk):
    """Each call is bounded, and the thread of one that hangs stays behind in a pool that all tools share."""

    def open(self, facts: Facts) -> None:
        super().open(facts)
        self.pool = ThreadPoolExecutor(4)

    def close(self) -> None:
        super().close()
        self.pool.shutdown()

    def limit(self, tool: str) -> float:
        return 0.02 if self.hanging else super().limit(tool)

    def run(self, tool: str, arguments: Mapping[str, object]) -> Answer:
        try:
            return self.pool.submit(self.function, tool, arguments).result(timeout=self.limit(tool))
        except TimeoutError:
            return Answer(False, "no answer", "LATE")


class BlocksOthers(Desk):
    """While one tool hangs, all are said to be busy."""

    def refusal(self, tool: str, arguments: Mapping[str, object], key: str | None) -> str:
        return "busy" if self.hanging - {tool} else super().refusal(tool, arguments, key)


class HangingIsSuccess(Desk):
    def run(self, tool: str, arguments: Mapping[str, object]) -> Answer:
        answer = super().run(tool, arguments)
        return Answer(True, "still at it", "OK") if answer.code == "LATE" else answer


class HangsAwaiting(Desk):
    """A coroutine that nobody bounds."""

    async def invoke(self, tool: str, arguments: Mapping[str, object], key: str | None) -> Answer:  # type: ignore[override]
        if tool in self.hanging:
            await asyncio.Event().wait()
        return super().invoke(tool, arguments, key)

    def patience(self) -> float:
        return 0.2


class KnowsNoKeys(Desk):
    def once(self, tool: str, key: str | None, act: Callable[[], Answer]) -> Answer:
        return act()


class WritesWithoutKey(Desk):
    def refusal(self, tool: str, arguments: Mapping[str, object], key: str | None) -> str:
        return super().refusal(tool, arguments, key or "some")


class ForgetsOnRestart(Desk):
    def restart(self) -> None:
        self.kept.clear()


class RemembersSuccessOnly(Desk):
    """The key is written down after the tool, if it succeeded."""

    def once(self, tool: str, key: str | None, act: Callable[[], Answer]) -> Answer:
        if key not in self.kept:
            answer = act()
            if tool not in ("pay", "note") or not answer.ok:
                return answer
            self.kept[str(key)] = answer
        return self.kept[str(key)]


class TriesAgain(Desk):
    def run(self, tool: str, arguments: Mapping[str, object]) -> Answer:
        answer = super().run(tool, arguments)
        return answer if answer.ok else super().run(tool, arguments)


class AnswersDifferently(Desk):
    def once(self, tool: str, key: str | None, act: Callable[[], Answer]) -> Answer:
        return Answer(True, "done already", "OK") if key in self.kept else super().once(tool, key, act)


class ConfusesKeys(Desk):
    """Keys are told apart by their first letters."""

    def once(self, tool: str, key: str | None, act: Callable[[], Answer]) -> Answer:
        return super().once(tool, key and key[:3] + tool, act)


class OffersWriters(Desk):
    def table(self) -> list[dict[str, object]]:
        return [self.schema(name) for name in ("find", "look", "pay", "note")]


class RunsClosed(Desk):
    """The list is filtered, and the call is not."""

    def refusal(self, tool: str, arguments: Mapping[str, object], key: str | None) -> str:
        return "" if self.valid(tool, arguments) else "bad arguments"


class StaysOpen(Desk):
    """What one session has opened is open in the next."""

    first = True

    def begin(self) -> None:
        if self.first:
            super().begin()
        self.first = False


class DeclaresNothing(Desk):
    """`note` is open from the start, and nobody says so."""

    def open_from_start(self) -> tuple[str, ...]:
        return ()


class NeverOpens(Desk):
    def open(self, facts: Facts) -> None:
        super().open(facts)
        self.opened = set()

    def open_writing(self, tool: str) -> None:
        """Too strict."""


class BelievesUser(Desk):
    """An argument that no schema knows says for whom it is."""

    def valid(self, tool: str, arguments: Mapping[str, object]) -> bool:
        return super().valid(tool, {name: arguments[name] for name in arguments if name in ("number", "cents", "text")})

    def acts_for(self, tool: str, arguments: Mapping[str, object]) -> str | None:
        user = super().acts_for(tool, arguments)
        return str(arguments.get("user_id", user)) if user else None


class AsksForUser(Desk):
    """The user is one of the tool's parameters."""

    def schema(self, name: str) -> dict[str, object]:
        made = super().schema(name)
        if name == "look":
            made["input_schema"] = {"type": "object", "properties": {"whose": {"type": "string"}}}
        return made

    def valid(self, tool: str, arguments: Mapping[str, object]) -> bool:
        return tool == "look" or super().valid(tool, arguments)

    def acts_for(self, tool: str, arguments: Mapping[str, object]) -> str | None:
        return str(arguments["whose"]) if "whose" in arguments else super().acts_for(tool, arguments)


class ActsForLast(Desk):
    """Where nobody is signed in it acts for whoever was there before."""

    def sign_in(self, user: str | None) -> None:
        self.user = user or self.user


class ActsForNobody(Desk):
    def acts_for(self, tool: str, arguments: Mapping[str, object]) -> str | None:
        return None


class TwoAlike(Desk):
    texts: Mapping[str, str] = {"look": "Tells where the parcel is now. Read-only."}

    def schema(self, name: str) -> dict[str, object]:
        made = super().schema(name)
        return {**made, "description": self.texts.get(name, made["description"])}


class Undescribed(TwoAlike):
    texts: Mapping[str, str] = {"look": " "}


class AlikeInChinese(TwoAlike):
    texts: Mapping[str, str] = {"find": "查询用户的订单状态", "look": "查询用户的订单状况"}


class DistinctInChinese(TwoAlike):
    """Honest."""

    texts: Mapping[str, str] = {"find": "查询用户的订单状态", "look": "列出所有商店的营业时间"}


class OneTool(Desk):
    def table(self) -> list[dict[str, object]]:
        return [self.schema("find")]


class UnderFunction(Desk):
    """Honest: its schemas have another form."""

    def schema(self, name: str) -> dict[str, object]:
        made = super().schema(name)
        inner = {"name": name, "description": made["description"], "parameters": made["input_schema"]}
        return {"type": "function", "function": inner}


def outcome(finding: Finding) -> tuple[Verdict, Reason | None]:
    return finding.verdict, finding.reason


@pytest.mark.parametrize("host", [Desk, Waiting, NoCodes, UnderFunction])
@pytest.mark.parametrize("invariant", FAMILY, ids=lambda invariant: invariant.id)
def test_an_honest_agent_holds_all_of_them(invariant: Invariant, host: type[Host]) -> None:
    finding = finding_of(invariant, host)
    assert finding.verdict is Verdict.HELD, finding
    assert finding.message


@pytest.mark.parametrize("invariant", FAMILY, ids=lambda invariant: invariant.id)
def test_a_host_that_calls_nothing_is_not_examined(invariant: Invariant) -> None:
    assert finding_of(invariant, Small).verdict is Verdict.UNEXAMINED


FALLS: list[tuple[Invariant, type[Host], Reason, str]] = [
    (ARGUMENTS, ChecksNothing, Reason.UNCHECKED_ARGUMENTS, "`find` is run though `number` is missing"),
    (ARGUMENTS, ForgivesStrangers, Reason.UNCHECKED_ARGUMENTS, "there is no parameter `no_such_parameter`"),
    (ARGUMENTS, TakesAnyNumber, Reason.UNCHECKED_ARGUMENTS, "`pay` is run though `cents` is out of bounds"),
    (ARGUMENTS, ChecksAfterwards, Reason.UNCHECKED_ARGUMENTS, "`find` is run though"),
    (ARGUMENTS, SaysYes, Reason.UNCHECKED_ARGUMENTS, "answered as a success though"),
    (FAILURE, Raises, Reason.RAISED, "fails with TimeoutError, and it raises TimeoutError"),
    (FAILURE, RaisesOnBadArguments, Reason.RAISED, "`number` is missing, and it raises ValueError"),
    (FAILURE, TellsFailureAsSuccess, Reason.RAISED, "the call is answered as a success"),
    (FAILURE, SwallowsMistakes, Reason.RAISED, "a mistake in the code of `find`"),
    (FAILURE, SaysNothing, Reason.RAISED, "the answer says nothing"),
    (FAILURE, OneCode, Reason.RAISED, "has the code 'OK', a success 'OK'"),
    (HANG, Unbounded, Reason.HANGS, "has not come back after 0.05 s"),
    (HANG, UsesUpThreads, Reason.HANGS, "after 33 calls of `find`, which hangs"),
    (HANG, BlocksOthers, Reason.HANGS, "while `find` hangs: it answers 'busy'"),
    (HANG, HangingIsSuccess, Reason.HANGS, "which hangs, is answered as a success"),
    (HANG, HangsAwaiting, Reason.HANGS, "has not come back after 0.2 s"),
    (ONCE, KnowsNoKeys, Reason.REPEATED, "`pay` begins again under the same key"),
    (ONCE, WritesWithoutKey, Reason.REPEATED, "`pay` writes, and is run without a key"),
    (ONCE, ForgetsOnRestart, Reason.REPEATED, "begins again under the same key"),
    (ONCE, RemembersSuccessOnly, Reason.REPEATED, "begins again under the same key"),
    (ONCE, TriesAgain, Reason.REPEATED, "`pay` is begun 2 times by one call"),
    (ONCE, AnswersDifferently, Reason.REPEATED, "answered differently under the same key"),
    (ONCE, ConfusesKeys, Reason.NOT_SHOWN, "not run under a key that was never used"),
    (CLOSED, OffersWriters, Reason.OPEN_WRITER, "`pay` writes, and is offered"),
    (CLOSED, RunsClosed, Reason.OPEN_WRITER, "`pay` writes, and runs in a session that has not opened it"),
    (CLOSED, StaysOpen, Reason.OPEN_WRITER, "`pay` writes, and is offered"),
    (CLOSED, DeclaresNothing, Reason.OPEN_WRITER, "`note` writes, and is offered"),
    (IDENTITY, BelievesUser, Reason.CLAIMED_IDENTITY, "`find` acts for 'bob' in a session of 'ann'"),
    (IDENTITY, AsksForUser, Reason.CLAIMED_IDENTITY, "`look` acts for 'bob' in a session of 'ann'"),
    (IDENTITY, ActsForLast, Reason.CLAIMED_IDENTITY, "in a session in which nobody has signed in"),
    (DESCRIPTIONS, TwoAlike, Reason.ALIKE, "the descriptions of `find` and `look` share"),
    (DESCRIPTIONS, Undescribed, Reason.ALIKE, "`look` has no description"),
    (DESCRIPTIONS, AlikeInChinese, Reason.ALIKE, "the descriptions of `find` and `look` share"),
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


def test_descriptions_in_a_script_without_blanks_are_told_apart() -> None:
    assert finding_of(DESCRIPTIONS, DistinctInChinese).verdict is Verdict.HELD


@pytest.mark.parametrize(
    ("invariant", "host", "words"),
    [
        (IDENTITY, ActsForNobody, "no effect says for whom"),
        (DESCRIPTIONS, OneTool, "not two tools"),
        (HANG, OneTool, "two tools that only read"),
    ],
)
def test_where_there_is_nothing_to_examine_nothing_holds(invariant: Invariant, host: type[Host], words: str) -> None:
    finding = finding_of(invariant, host)
    assert finding.verdict is Verdict.UNEXAMINED
    assert words in finding.message


class ReachesNothing(Desk):
    """Its `effects` are not those of its tools."""

    def effects(self) -> list[Effect]:
        return []


class BadSample(Desk):
    def sample(self, tool: str) -> dict[str, object]:
        return {"number": "?"}


@pytest.mark.parametrize("host", [ReachesNothing, BadSample, NeverOpens])
@pytest.mark.parametrize("invariant", [ARGUMENTS, FAILURE, ONCE, IDENTITY], ids=lambda invariant: invariant.id)
def test_silence_proves_nothing_before_a_good_call_has_arrived(invariant: Invariant, host: type[Host]) -> None:
    finding = finding_of(invariant, host)
    assert finding.verdict is Verdict.REFUTED
    assert finding.reason in (Reason.NOT_SHOWN, Reason.HARNESS)
