"""Whatever is loaded or called next, the table only grows at its end."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entrypoints.agent import Agent
from entrypoints.growing import LoadedPolicy
from entrypoints.messages import Message, Role, ToolCall, loaded_skills, run_start
from entrypoints.model import Reply, ScriptedModel
from entrypoints.session import Session
from entrypoints.table import show_table
from entrypoints.turn import Turn
from tests.agent.world import TRUSTED, calling, loading

QUESTION = Message(Role.USER, "And now?")
EVENTS = (
    *(loading(name) for name in ("ledger", "payroll", "order_change", "phone_order", "crm")),
    *(calling(name) for name in ("query_order", "crm_contact", "ledger_balance", "cancel_order", "create_order")),
    QUESTION,
)


def names(turn: Turn, messages: list[Message], *, searches: bool = False) -> list[str]:
    return [schema.name for schema in show_table(turn, loaded_skills(messages), messages, searches)]


@pytest.fixture
def finance(turn_of: Callable[..., Turn]) -> Turn:
    return turn_of("finance")


def test_a_call_before_a_loading_stays_in_front_of_it(finance: Turn) -> None:
    shown = names(finance, [calling("crm_contact"), loading("ledger")])
    assert shown[-3:] == ["crm_contact", "ledger_balance", "ledger_post"]


def test_a_call_of_what_was_loaded_changes_nothing(finance: Turn) -> None:
    loaded = [loading("ledger"), loading("payroll")]
    assert names(finance, [*loaded, calling("ledger_post")]) == names(finance, loaded)


def test_a_call_of_a_tool_that_waits_keeps_no_place_for_it(finance: Turn) -> None:
    before = [calling("cancel_order"), loading("ledger")]
    assert names(finance, [*before, loading("order_change")])[-2:] == ["cancel_order", "change_address"]


@pytest.mark.parametrize("searches", [True, False])
def test_it_only_grows_at_its_end(finance: Turn, searches: bool) -> None:
    @given(st.lists(st.sampled_from(EVENTS), max_size=8))
    def grows(messages: list[Message]) -> None:
        whole = names(finance, messages, searches=searches)
        for end in range(len(messages)):
            part = names(finance, messages[:end], searches=searches)
            assert whole[: len(part)] == part

    grows()


def test_a_run_begins_with_the_last_question() -> None:
    assert run_start([]) == 0
    assert run_start([QUESTION, loading("ledger"), QUESTION, loading("payroll")]) == 2


def call(tool: str, /, **arguments: object) -> Reply:
    return Reply("", (ToolCall(tool, arguments),))


def test_what_an_earlier_run_has_called_does_not_move_when_this_one_loads(agent: Agent) -> None:
    agent.history.open_writing(agent.history.open_thread("x", "finance"), "payroll", "ledger")
    first = [call("load_skill", names=["ledger"]), call("ledger_balance", account="cash"), Reply("done")]
    second = [call("load_skill", names=["payroll"]), call("load_skill", names=["ledger"]), Reply("done")]
    model = ScriptedModel(TRUSTED, [*first, *second])
    session = Session(agent, "x", [model], loaded=LoadedPolicy.GROWS)
    session.ask("first")
    session.ask("second")
    light, payroll, both = ([schema.name for schema in request.tools] for request in model.requests[3:])
    assert light[-1] == "ledger_balance"
    assert payroll == [*light, "payroll_run"]
    assert both == [*payroll, "ledger_post"]
