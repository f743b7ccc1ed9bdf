"""Reading and writing tools of a group stand on different sides; writing is closed until the session opens it."""

from __future__ import annotations

from pathlib import Path

import pytest

from entrypoints.activate import activate
from entrypoints.agent import Agent
from entrypoints.bridge_server import bridge_tools
from entrypoints.direct_call import call_tool
from entrypoints.refusal import Refused
from entrypoints.table import build_table
from entrypoints.tool_search import search_tools
from entrypoints.turn import Turn
from skills.checks import check_skills
from skills.loader import SkillLoader
from skills.model import Availability, Skill, Tool, Writing
from skills.problems import SkillFileError
from tests.agent.world import TRUSTED, leaves_trace, loading

POST = {"account": "cash", "cents": 5}


def a_turn(agent: Agent, *writing: str, category: str = "finance") -> Turn:
    return agent.turn(agent.history.open_writing(agent.history.open_thread("x", category), *writing), TRUSTED)


def candidates(turn: Turn) -> set[str]:
    """Every name that any list shows."""
    (ledger,) = activate(turn, ["ledger"])
    lists = (
        ledger.tools,
        build_table(turn, [loading("ledger")]),
        search_tools(turn, "books", ["ledger_post", "ledger_balance"]),
        bridge_tools(turn),
    )
    return {schema.name for schemas in lists for schema in schemas}


def test_the_reading_side_is_there_and_the_writing_side_is_no_candidate(agent: Agent) -> None:
    names = candidates(a_turn(agent))
    assert "ledger_balance" in names
    assert "ledger_post" not in names


def test_a_call_by_name_hears_the_truth_and_has_no_effect(agent: Agent) -> None:
    with pytest.raises(Refused, match="ledger_post writes, and this session has not opened the writing side of ledger"):
        call_tool(a_turn(agent), "ledger_post", POST, "key")
    assert agent.store.rows("ledger") == []


def test_the_session_opens_it_for_one_group_and_one_thread(agent: Agent) -> None:
    turn = a_turn(agent, "ledger")
    assert "ledger_post" in candidates(turn)
    assert call_tool(turn, "ledger_post", POST, "key").result.success
    with pytest.raises(Refused, match="writing side of payroll"):
        call_tool(turn, "payroll_run", {"month": "2026-11"}, "key")
    other = agent.history.open_thread("another", "finance")
    with pytest.raises(Refused, match="writing side of ledger"):
        call_tool(agent.turn(other, TRUSTED), "ledger_post", POST, "key")


def test_it_stays_open_after_a_restart(agent: Agent, tmp_path: Path) -> None:
    a_turn(agent, "ledger")
    assert agent.history.thread("x").writing == {"ledger"}


def test_the_seal_goes_first(agent: Agent) -> None:
    with pytest.raises(Refused, match="ledger is sealed"):
        call_tool(a_turn(agent, "ledger", category="health"), "ledger_post", POST, "key")


def test_loading_a_skill_does_not_open_it(agent: Agent) -> None:
    shown = build_table(a_turn(agent), [loading("ledger")])
    assert {"ledger_balance"} == {schema.name for schema in shown} & {"ledger_balance", "ledger_post"}


def test_sides_are_told_apart_by_the_tool_and_never_by_an_argument() -> None:
    sides = {tool.name: tool.writes for skill in SkillLoader().all() for tool in skill.tools}
    assert (sides["order_find"], sides["order_refund"]) == (False, True)


def test_a_tool_of_which_nothing_is_known_counts_as_writing() -> None:
    assert Tool("unknown", "", {}, leaves_trace("unknown")).writes


def test_a_resident_skill_cannot_keep_its_writing_side_closed() -> None:
    tools = (Tool("post", "", {}, leaves_trace("post")),)
    closed = Skill("figs", "", "", availability=Availability.RESIDENT, tools=tools)
    with pytest.raises(SkillFileError, match="say writing: open, or make the skill deferred"):
        check_skills([closed], [])
    check_skills([Skill("figs", "", "", availability=Availability.RESIDENT, writing=Writing.OPEN, tools=tools)], [])
