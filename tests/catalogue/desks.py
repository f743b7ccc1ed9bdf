"""Desks that break a single rule of calls each, and honest ones of another kind."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from pytest_invariants.probe.host import Answer, Effect, Facts

from tests.catalogue.desk import Desk


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


class ReachesNothing(Desk):
    """Its `effects` are not those of its tools."""

    def effects(self) -> list[Effect]:
        return []


class BadSample(Desk):
    def sample(self, tool: str) -> dict[str, object]:
        return {"number": "?"}


class ForbidsNothing(Desk):
    """Honest: its schemas accept everything."""

    def schema(self, name: str) -> dict[str, object]:
        return {**super().schema(name), "input_schema": {"type": "object"}}

    def valid(self, tool: str, arguments: Mapping[str, object]) -> bool:
        return True


class OpensItself(Desk):
    """Honest: a side is opened where no host can reach."""

    open_writing = None  # type: ignore[assignment]


class AlwaysOpen(Desk):
    """Honest: every writing tool is open by declaration."""

    def open_from_start(self) -> tuple[str, ...]:
        return self.writers()
