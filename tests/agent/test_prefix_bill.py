"""The sum behind the set that only grows: prefix breaks and tokens read again, for one run under each policy.

First for tables on paper, of which one unloads, which no session can; then for scripted sessions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from entrypoints.agent import Agent
from entrypoints.growing import Grown, LoadedPolicy
from entrypoints.messages import Message, Role, ToolCall
from entrypoints.model import Reply, Request, ScriptedModel
from entrypoints.prefix_cache import LIFETIME, Bill, bill, serialised, tokens
from entrypoints.session import Session
from entrypoints.table import show_table
from entrypoints.turn import Turn
from skills.model import Schema
from tests.agent.world import TRUSTED

NEEDS = ("ledger", "payroll", "ledger", "order_change", "payroll", "ledger", "ledger", "order_change")
"""The skill that each of eight inferences uses."""
BATCH = ("ledger", "payroll", "order_change")
PAGE = "x" * 10_000
"""A message of 2,500 tokens: after eight of them a history has tens of thousands."""

Requests = list[Request]


def requests(turn: Turn, loaded: Sequence[Grown]) -> Requests:
    """A run: one message more each time, and the table of what is loaded then."""
    history = [Message(Role.USER, PAGE)] * len(loaded)
    tables = [show_table(turn, grown.names, []) for grown in loaded]
    return [Request("the index", table, tuple(history[: number + 1])) for number, table in enumerate(tables)]


def planned() -> list[Grown]:
    """Everything is loaded in the first round."""
    return [Grown(), *[Grown(BATCH)] * len(NEEDS)]


def reactive() -> list[Grown]:
    """Each skill is loaded when it is first needed, and stays."""
    return [Grown().merged(NEEDS[:number]) for number in range(len(NEEDS) + 1)]


def unloading() -> list[Grown]:
    """Only what is needed now is there."""
    return [Grown(), *(Grown((name,)) for name in NEEDS)]


@pytest.fixture
def finance(turn_of: Callable[..., Turn]) -> Turn:
    return turn_of("finance")


def test_tools_are_read_before_the_system_prompt_and_that_before_the_messages() -> None:
    request = Request("system", (Schema("a", "", {}),), (Message(Role.USER, "hello"),))
    tool, system, message = serialised(request)
    assert ('"name": "a"' in tool, system, '"hello"' in message) == (True, "system", True)


@pytest.mark.parametrize(
    ("table", "breaks"),
    [("ab", 0), ("abc", 1), ("a", 1), ("ba", 1)],
    ids=["same", "one more", "one less", "another order"],
)
def test_any_change_of_the_table_voids_what_comes_after_it(table: str, breaks: int) -> None:
    def request(names: str, *texts: str) -> Request:
        return Request("system", tuple(Schema(n, "", {}) for n in names), tuple(Message(Role.USER, t) for t in texts))

    first, second = request("ab", PAGE), request(table, PAGE, "more")
    cost = bill([first, second])
    assert cost.breaks == breaks
    assert (cost.reread >= tokens(PAGE)) == bool(breaks)


def test_one_batch_costs_one_miss(finance: Turn) -> None:
    assert bill(requests(finance, planned())).breaks == 1


def test_late_additions_cost_one_miss_each(finance: Turn) -> None:
    assert bill(requests(finance, reactive())).breaks == len(set(NEEDS)) == 3


def test_unloading_costs_a_miss_at_every_change(finance: Turn) -> None:
    changes = 1 + sum(a != b for a, b in pairwise(NEEDS))
    assert bill(requests(finance, unloading())).breaks == changes == 7


def test_tokens_that_are_read_again(finance: Turn) -> None:
    batch, late, unload = (bill(requests(finance, run())).reread for run in (planned, reactive, unloading))
    page = tokens(Message(Role.USER, PAGE).to_json())
    assert page <= batch < 2 * page
    assert 7 * page <= late < 8 * page
    assert 27 * page <= unload < 30 * page


def test_unloading_saves_a_schema_and_costs_the_history(finance: Turn) -> None:
    runs = requests(finance, [Grown(BATCH)] * 8), requests(finance, [*[Grown(BATCH)] * 7, Grown(BATCH[:2])])
    kept, dropped = (sum(map(tokens, serialised(run[-1]))) for run in runs)
    saved, cost = kept - dropped, bill(runs[1]).reread
    assert 0 < saved <= 2_000
    assert cost > 10_000
    assert bill(runs[0]) == Bill(0, 0)


def test_the_sum_holds_only_while_the_cache_lives(finance: Turn) -> None:
    assert LIFETIME == 300
    grows, unloads = requests(finance, planned()), requests(finance, unloading())
    assert bill(unloads, pause=60).reread > 5 * bill(grows, pause=60).reread
    assert bill(unloads, pause=600).reread <= bill(grows, pause=600).reread


def calls(*skills: str) -> Reply:
    return Reply("", (ToolCall("load_skill", {"names": list(skills)}),))


def look() -> Reply:
    return Reply(PAGE, (ToolCall("get_current_time"),))


BATCHED = [calls(*BATCH), *(look() for _ in NEEDS)]
LATE = [calls(BATCH[0]), look(), look(), calls(BATCH[1]), look(), look(), calls(BATCH[2]), *(look() for _ in range(4))]


def sent(agent: Agent, script: list[Reply], policy: LoadedPolicy = LoadedPolicy.GROWS) -> Requests:
    """What a session sends in one run of a script."""
    agent.history.open_writing(agent.history.open_thread("x", "finance"), "ledger", "payroll")
    model = ScriptedModel(TRUSTED, [*script, Reply("done")])
    Session(agent, "x", [model], loaded=policy).ask("Do the month.")
    return model.requests


def test_a_scripted_run_that_plans_breaks_the_prefix_once(agent: Agent) -> None:
    requests = sent(agent, BATCHED)
    assert bill(requests).breaks == 1
    assert bill(requests[1:]) == Bill(0, 0)


def test_one_that_loads_late_breaks_it_once_for_each(agent: Agent) -> None:
    cost = bill(sent(agent, LATE))
    assert cost.breaks == len(BATCH)
    page = tokens(PAGE)
    assert 6 * page <= cost.reread < 7 * page


def test_planning_reads_less_again_than_loading_late(agent: Agent) -> None:
    batched = bill(sent(agent, BATCHED)).reread
    agent.history.compact(agent.history.thread("x"), keep=0, summary="Done.")
    assert 10 * batched < bill(sent(agent, LATE)).reread


def test_a_call_of_a_tool_that_is_there_breaks_nothing(agent: Agent) -> None:
    assert bill(sent(agent, [look(), look()])) == Bill(0, 0)


def test_following_the_history_costs_the_same_as_long_as_nothing_is_compacted(agent: Agent) -> None:
    grows = bill(sent(agent, LATE))
    agent.history.compact(agent.history.thread("x"), keep=0, summary="Done.")
    assert bill(sent(agent, LATE, LoadedPolicy.FOLLOWS_HISTORY)).breaks == grows.breaks


def used(skill: str) -> Reply:
    """A page of thought, and one call of a tool of this skill."""
    ways = {
        "ledger": ToolCall("ledger_balance", {"account": "cash"}),
        "payroll": ToolCall("payroll_run", {"month": "2026-11"}),
        "order_change": ToolCall("cancel_order", {"order_id": "1"}),
    }
    return Reply(PAGE, (ways[skill],))


def unloading_after_use(agent: Agent, requests: Requests) -> Requests:
    """The same run, request by request, had each skill been taken out of the table when the next one was needed."""
    turn = agent.turn(agent.history.thread("x"), TRUSTED)
    loaded = [(), *((name,) for name in NEEDS), NEEDS[-1:]]
    return [
        replace(request, tools=show_table(turn, names, [])) for request, names in zip(requests, loaded, strict=True)
    ]


def test_one_script_under_both_policies(agent: Agent) -> None:
    """It loads three skills at once and uses them eight times: what growing and what unloading after use would cost."""
    grown = sent(agent, [calls(*BATCH), *map(used, NEEDS)])
    unloaded = unloading_after_use(agent, grown)
    assert [bill(each).breaks for each in (grown, unloaded)] == [1, 7]
    page = tokens(PAGE)
    assert bill(grown).reread < page
    assert 16 * page <= bill(unloaded).reread < 19 * page


def test_the_schemas_that_unloading_saves_are_fewer_tokens_than_one_page_of_what_it_costs(agent: Agent) -> None:
    grown = sent(agent, [calls(*BATCH), *map(used, NEEDS)])
    unloaded = unloading_after_use(agent, grown)
    of_tables = [
        sum(tokens(str(schema.to_json())) for each in run for schema in each.tools) for run in (grown, unloaded)
    ]
    assert 0 < of_tables[0] - of_tables[1] < 8 * 2_000
    assert 5 * (of_tables[0] - of_tables[1]) < bill(unloaded).reread - bill(grown).reread
