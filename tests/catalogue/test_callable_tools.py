"""listed-is-callable and callable-is-listed-or-declared."""

from __future__ import annotations

import pytest
from pytest_invariants.catalogue.table import callable_is_listed_or_declared, listed_is_callable
from pytest_invariants.probe.host import Facts, Host, Outcome
from pytest_invariants.verdict import Reason

from tests.catalogue.shop import HELD, LACKING, Shop, falls, judged, outcome


class Prefixed(Shop):
    """The table shows other names than the dispatch knows."""

    def table(self) -> list[dict[str, object]]:
        return [{"name": f"mcp__{name}" if name.startswith("bank") else name} for name in self.router.visible]


class LosesOne(Shop):
    """Only a skill's tool cannot be called, and only once it is loaded."""

    def call(self, tool: str) -> Outcome:
        return Outcome(False, "no such tool") if tool == "ledger_add" else super().call(tool)


class Empty(Shop):
    def table(self) -> list[dict[str, object]]:
        return []


class Nameless(Shop):
    def table(self) -> list[dict[str, object]]:
        return [{"title": "clock"}]


class Openai(Shop):
    """Honest, with the names one level deeper."""

    def table(self) -> list[dict[str, object]]:
        return [{"type": "function", "function": {"name": name}} for name in self.router.visible]


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (Shop, HELD),
        (Openai, HELD),
        (Prefixed, falls(Reason.NOT_CALLABLE)),
        (LosesOne, falls(Reason.NOT_CALLABLE)),
        (Empty, LACKING),
        (Nameless, falls(Reason.HARNESS)),
    ],
)
def test_what_is_listed_runs(host: type[Host], expected: object) -> None:
    assert outcome(listed_is_callable.INVARIANT, host) == expected


def test_what_the_agent_said_is_in_the_message() -> None:
    message = judged(listed_is_callable.INVARIANT, LosesOne).message
    assert "`ledger_add` is in the table, and it does not run when it is called, with category 'office'" in message
    assert message.endswith("it says: no such tool")


class WholeDispatch(Shop):
    """The list is filtered and the dispatch is not."""

    def call(self, tool: str) -> Outcome:
        return Outcome(tool in self.tools)

    def executable(self) -> list[str]:
        return list(self.tools)


class HidesOne(Shop):
    """One tool that is masked runs: the dispatch forgets the mask."""

    def call(self, tool: str) -> Outcome:
        return Outcome(tool == "undo" or tool in self.router.tools)


class Boasts(Shop):
    """Says that more is executable than runs."""

    def executable(self) -> list[str]:
        return [*super().executable(), "undo"]


class SaysNothing(Shop):
    executable = None  # type: ignore[assignment]


class NothingHidden(Shop):
    """All is in the table, always."""

    def open(self, facts: Facts) -> None:
        super().open(facts)
        self.tools.pop("tool_search")
        self.step()

    def wanted(self) -> list[str]:
        return list(self.tools)


@pytest.mark.parametrize(
    ("host", "hidden", "expected"),
    [
        (Shop, "refused", HELD),
        (Shop, "", HELD),
        (Shop, "callable", HELD),
        (WholeDispatch, "refused", falls(Reason.HIDDEN_RUNS)),
        (WholeDispatch, "callable", LACKING),
        (HidesOne, "refused", falls(Reason.HIDDEN_RUNS)),
        (HidesOne, "callable", falls(Reason.HIDDEN_RUNS)),
        (Boasts, "refused", falls(Reason.NOT_CALLABLE)),
        (Boasts, "callable", falls(Reason.NOT_CALLABLE)),
        (SaysNothing, "refused", HELD),
        (SaysNothing, "callable", LACKING),
        (NothingHidden, "refused", LACKING),
    ],
)
def test_what_runs_is_listed_or_declared(host: type[Host], hidden: str, expected: object) -> None:
    assert outcome(callable_is_listed_or_declared.INVARIANT, host, hidden=hidden) == expected


def test_the_tool_is_named_and_the_policy_offered() -> None:
    finding = judged(callable_is_listed_or_declared.INVARIANT, HidesOne)
    assert "`undo` is neither in the table nor deferred, and it runs when it is called" in finding.message
    assert "`hidden: callable`" in finding.remedy
