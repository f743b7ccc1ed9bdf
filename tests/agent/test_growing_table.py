"""The table of a run that only grows: what was there stays in its place, and what is loaded comes behind it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from entrypoints.agent import Agent
from entrypoints.growing import Grown, LoadedPolicy
from entrypoints.messages import ToolCall
from entrypoints.model import Reply, ScriptedModel
from entrypoints.session import Session
from entrypoints.table import build_table, fingerprint, show_table
from entrypoints.turn import Turn
from tests.agent.world import TRUSTED

LOOK = Reply("", (ToolCall("introspect"),))


def names(turn: Turn, *loaded: str) -> list[str]:
    return [schema.name for schema in show_table(turn, loaded, [])]


def load(*skills: str) -> Reply:
    return Reply("", (ToolCall("load_skill", {"names": list(skills)}),))


def test_base_and_loader_tools_come_first_and_what_is_loaded_behind(turn_of: Callable[..., Turn]) -> None:
    turn = turn_of("finance")
    base, one, two = names(turn), names(turn, "payroll"), names(turn, "payroll", "ledger")
    assert {"load_skill", "search_knowledge", "flush_memory"} <= set(base)
    assert one == [*base, "payroll_run"]
    assert two == [*one, "ledger_balance", "ledger_post"]


def test_the_order_is_that_of_loading(turn_of: Callable[..., Turn]) -> None:
    turn = turn_of("finance")
    assert names(turn, "ledger", "payroll")[-3:] == ["ledger_balance", "ledger_post", "payroll_run"]


def test_the_same_loaded_set_gives_the_same_bytes_in_every_round(agent: Agent, turn_of: Callable[..., Turn]) -> None:
    run = Grown(("payroll", "order_change"))
    prints = {fingerprint(show_table(turn_of("finance"), run.names, [])) for _ in range(5)}
    agent.history.open_thread("another")
    assert prints == {fingerprint(show_table(turn_of("finance"), run.names, []))}


def test_a_tool_that_was_to_be_unlocked_comes_behind_too(turn_of: Callable[..., Turn]) -> None:
    assert names(turn_of(), "order_change") == [*names(turn_of()), "cancel_order", "change_address"]


def test_projecting_touches_nothing(turn_of: Callable[..., Turn]) -> None:
    run, turn = Grown(("payroll",)), turn_of("finance")
    show_table(turn, run.names, [])
    assert run == Grown(("payroll",))
    assert "payroll_run" not in {schema.name for schema in build_table(turn, [])}


def test_a_loaded_skill_that_is_sealed_today_is_not_shown(turn_of: Callable[..., Turn]) -> None:
    assert names(turn_of(None), "payroll", "notes") == names(turn_of(None))


def session_of(agent: Agent, model: ScriptedModel) -> Session:
    agent.history.open_writing(agent.history.open_thread("x", "finance"), "payroll", "ledger")
    return Session(agent, "x", [model], loaded=LoadedPolicy.GROWS)


def test_within_a_run_it_grows_and_the_next_run_starts_light(agent: Agent) -> None:
    model = ScriptedModel(TRUSTED, [load("payroll"), load("ledger"), LOOK, Reply("done"), Reply("hello")])
    session = session_of(agent, model)
    session.ask("first")
    session.ask("second")
    tables = [[schema.name for schema in request.tools] for request in model.requests]
    for before, after in pairwise(tables[:4]):
        assert after[: len(before)] == before
    assert {"payroll_run", "ledger_post"} <= set(tables[3])
    assert tables[4] == tables[0]


def test_what_compaction_takes_away_stays_loaded(agent: Agent) -> None:
    model = ScriptedModel(TRUSTED, [load("payroll"), LOOK])
    session = session_of(agent, model)
    session.step()
    agent.history.compact(agent.history.thread("x"), keep=0, summary="Payday.")
    session.step()
    assert "payroll_run" in {schema.name for schema in model.requests[1].tools}


def test_the_other_policy_masks_it_again(agent: Agent) -> None:
    model = ScriptedModel(TRUSTED, [load("payroll"), LOOK])
    agent.history.open_thread("x", "finance")
    session = Session(agent, "x", [model], loaded=LoadedPolicy.FOLLOWS_HISTORY)
    session.step()
    agent.history.compact(agent.history.thread("x"), keep=0, summary="Payday.")
    session.step()
    assert "payroll_run" not in {schema.name for schema in model.requests[1].tools}
