"""step-frozen: what is advertised and what can be dispatched are one snapshot."""

from __future__ import annotations

import pytest
from pytest_invariants.catalogue.table import step_frozen
from pytest_invariants.probe.host import Facts, Host, Outcome
from pytest_invariants.verdict import Reason

from tests.catalogue.shop import HELD, LACKING, Shop, falls, judged, outcome

FALLS = falls(Reason.MOVED)


class LiveTable(Shop):
    """The table is made when it is asked for."""

    def table(self) -> list[dict[str, object]]:
        return [{"name": name} for name in self.routed().visible]


class LateRuns(Shop):
    """The dispatch reads the world anew."""

    def call(self, tool: str) -> Outcome:
        return Outcome(tool in self.tools and tool in self.routed().tools)


class GoneIsGone(Shop):
    """What was shown is looked up again when the reply is there."""

    def call(self, tool: str) -> Outcome:
        return Outcome(tool in self.router.tools and tool in self.tools)


class TogetherLive(Shop):
    """Parallel calls go another way than single ones."""

    def call_together(self, *tools: str) -> list[Outcome]:
        return [Outcome(tool in self.tools) for tool in tools]


class SearchLive(Shop):
    def searchable(self) -> list[str]:
        return list(self.routed().searchable)


class NothingRuns(Shop):
    def call(self, tool: str) -> Outcome:
        return Outcome(False)


class NoOutcomes(Shop):
    def call_together(self, *tools: str) -> list[Outcome]:
        return [True for _ in tools]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (Shop, HELD),
        (LiveTable, FALLS),
        (LateRuns, FALLS),
        (GoneIsGone, FALLS),
        (TogetherLive, FALLS),
        (SearchLive, FALLS),
        (NothingRuns, falls(Reason.NOT_SHOWN)),
        (NoOutcomes, falls(Reason.HARNESS)),
    ],
)
def test_within_a_step_nothing_moves(host: type[Host], expected: object) -> None:
    assert outcome(step_frozen.INVARIANT, host) == expected


class Live(Shop):
    """Honest in the other way: everything is read when it is needed."""

    @property
    def router(self):  # type: ignore[no-untyped-def]
        return self.routed()

    @router.setter
    def router(self, value: object) -> None:
        return None


class PerTurn(Shop):
    """Honest in a third way: the table stays until the user speaks again."""

    def step(self) -> None:
        if not hasattr(self, "router"):
            self.router = self.routed()

    def turn(self) -> None:
        self.router = self.routed()


@pytest.mark.parametrize(
    ("host", "policy", "expected"),
    [
        (Live, "live", HELD),
        (Live, "per-step", FALLS),
        (Live, "per-turn", FALLS),
        (Shop, "live", FALLS),
        (Shop, "per-turn", FALLS),
        (PerTurn, "per-turn", HELD),
        (PerTurn, "live", FALLS),
        (Shop, "", LACKING),
    ],
)
def test_each_policy_is_kept_as_it_is_declared(host: type[Host], policy: str, expected: object) -> None:
    assert outcome(step_frozen.INVARIANT, host, table=policy) == expected


def test_the_message_says_what_happened_meanwhile() -> None:
    finding = judged(step_frozen.INVARIANT, LateRuns)
    assert (
        "`probe__probe_look` runs though it connected in mid-step and `table: per-step` is declared" in finding.message
    )
    assert "a tool server probe connects with probe_look" in [step.note for step in finding.trace]


class RefusesServers(Shop):
    """Honest: a server that is not on a list is refused aloud."""

    def serve(self, server: str, *tools: str) -> None:
        raise PermissionError(server)


class Still(Shop):
    """Nothing that the host can do changes the table."""

    def open(self, facts: Facts) -> None:
        super().open(facts)
        self.step = lambda: None  # type: ignore[method-assign]


def test_a_server_may_be_refused() -> None:
    assert outcome(step_frozen.INVARIANT, RefusesServers) == HELD


def test_where_nothing_changes_nothing_was_examined() -> None:
    assert outcome(step_frozen.INVARIANT, Still) == LACKING
