"""Visible, searchable and executable are three sets; `tool_search` is there exactly when there is something to find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from entrypoints.agent import Agent, open_agent
from entrypoints.core_tools import OF_THE_SESSION
from entrypoints.dispatch import dispatch
from entrypoints.messages import ToolCall
from entrypoints.step import SEARCH, Assembly, Step, freeze
from entrypoints.turn import Turn
from skills.loader import SkillLoader
from skills.model import Tool
from tests.agent.world import SHOP, TRUSTED, fresh_key, plain_tool, sample


def visible(step: Step) -> set[str]:
    return {schema.name for schema in step.router.visible}


def a_step(tmp_path: Path, *servers: Tool, searches: bool = True) -> Step:
    agent = open_agent(tmp_path, SkillLoader(enabled=["notes"]), servers)
    return freeze(agent.turn(agent.history.thread("x"), TRUSTED), (), (), searches)


def test_with_search_tools_of_servers_are_deferred(tmp_path: Path) -> None:
    step = a_step(tmp_path, plain_tool("read_file", "files"))
    assert "read_file" not in visible(step)
    assert "read_file" in step.router.searchable
    assert SEARCH in visible(step)


def test_without_search_they_are_direct_and_nothing_is_searchable(tmp_path: Path) -> None:
    step = a_step(tmp_path, plain_tool("read_file", "files"), searches=False)
    assert "read_file" in visible(step)
    assert step.router.searchable == frozenset()
    assert SEARCH not in visible(step)


def test_without_search_a_skill_that_waits_to_be_loaded_is_not_searchable_either(turn_of: Callable[..., Turn]) -> None:
    with_search, without = (freeze(turn_of("finance"), (), (), searches) for searches in (True, False))
    assert "ledger_balance" in with_search.router.searchable
    assert without.router.searchable == frozenset()
    assert SEARCH not in visible(without)


@pytest.mark.parametrize("searches", [True, False])
@pytest.mark.parametrize("described", [True, False])
def test_the_search_tool_is_there_if_and_only_if_there_is_something_to_find(
    tmp_path: Path, searches: bool, described: bool
) -> None:
    server = plain_tool("read_file", "files")
    step = a_step(tmp_path, server if described else replace(server, description=""), searches=searches)
    assert (SEARCH in visible(step)) == (searches and described)


def test_with_nothing_deferred_there_is_no_search_tool(tmp_path: Path) -> None:
    assert SEARCH not in visible(a_step(tmp_path))


def test_a_skill_that_was_loaded_is_direct_even_with_search(turn_of: Callable[..., Turn]) -> None:
    turn = turn_of("logistics")
    before, after = (freeze(turn, loaded, (), searches=True) for loaded in ((), ("warehouse",)))
    assert "show_bin" in before.router.searchable - visible(before)
    assert "show_bin" in visible(after) - after.router.searchable


def test_a_masked_tool_is_hidden_and_can_still_be_called(turn_of: Callable[..., Turn]) -> None:
    step = freeze(turn_of(), (), (), searches=True)
    assert "cancel_order" not in visible(step) | step.router.searchable
    assert "cancel_order" in step.router.executable
    assert dispatch(step, ToolCall("cancel_order", {"order_id": "1"})).ran


@pytest.mark.parametrize("searches", [True, False])
@pytest.mark.parametrize("category", [None, "finance", "logistics"])
def test_the_sets_go_together(turn_of: Callable[..., Turn], category: str | None, searches: bool) -> None:
    step = freeze(turn_of(category), ("ledger", "order_change"), (), searches)
    assert not visible(step) & step.router.searchable
    assert visible(step) | step.router.searchable <= step.router.executable


@pytest.mark.parametrize("deny", [(), ("note_*", "pay_order")])
def test_what_runs_is_exactly_the_executable_set(
    agent: Agent, turn_of: Callable[..., Turn], deny: tuple[str, ...]
) -> None:
    step = freeze(turn_of("finance"), (), (), assembly=Assembly(deny=deny))
    for tool in agent.registry.tools():
        if tool.name not in OF_THE_SESSION:
            call = ToolCall(tool.name, sample(tool.parameters), fresh_key())
            assert dispatch(step, call).ran == (tool.name in step.router.executable), tool.name


def test_search_finds_what_is_searchable_and_nothing_else(turn_of: Callable[..., Turn]) -> None:
    step = freeze(turn_of(), (), (), searches=True)
    found = dispatch(step, ToolCall(SEARCH, {"text": "order cancels shows bin"})).text
    assert "query_order: " in found
    assert "cancel_order" not in found
    assert "show_bin" not in found


def test_a_sealed_tool_is_in_none_of_them(turn_of: Callable[..., Turn]) -> None:
    router = freeze(turn_of(None), ("ledger",), (), searches=True).router
    assert not {"ledger_post", "ledger_balance", "show_bin"} & (router.searchable | router.executable)


def test_a_mark_of_a_skill_that_is_sealed_today_makes_nothing_searchable(tmp_path: Path) -> None:
    (tmp_path / "skills" / "refunds").mkdir(parents=True)
    manual = "---\nname: refunds\ndescription: Refunds.\ncategories: [finance]\ntool-ids: [pay_order]\n---\n"
    (tmp_path / "skills" / "refunds" / "SKILL.md").write_text(manual)
    agent = open_agent(tmp_path, SkillLoader(tmp_path / "skills"), SHOP)
    step = freeze(agent.turn(agent.history.thread("x")), ("refunds",), (), searches=True)
    assert "pay_order" not in visible(step) | step.router.searchable


def test_where_nothing_can_be_found_the_search_tool_does_not_run_either(turn_of: Callable[..., Turn]) -> None:
    step = freeze(turn_of(), (), (), searches=False)
    assert SEARCH not in step.router.executable
    answer = dispatch(step, ToolCall(SEARCH, {"text": "order"}))
    assert answer.text == "There is no tool named 'tool_search' in this step."


def test_without_its_search_tool_nothing_is_deferred(turn_of: Callable[..., Turn]) -> None:
    step = freeze(turn_of(), (), (), searches=True, assembly=Assembly(deny=(SEARCH,)))
    assert SEARCH not in visible(step)
    assert step.router.searchable == frozenset()
    assert "query_cart" in visible(step)


def test_a_session_tool_that_is_taken_off_is_answered_by_nobody(agent: Agent, turn_of: Callable[..., Turn]) -> None:
    agent.registry.drop("load_skill")
    step = freeze(turn_of(), (), ())
    answer = dispatch(step, ToolCall("load_skill", {"names": ["notes"]}))
    assert (answer.loaded_skill, answer.text) == ((), "There is no tool named 'load_skill' in this step.")
