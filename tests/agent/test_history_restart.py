"""Threads, their categories and their messages survive a restart; access is asked about anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from entrypoints.agent import Agent, open_agent
from entrypoints.direct_call import call_tool
from entrypoints.dispatch import dispatch
from entrypoints.history import History
from entrypoints.messages import Message, Role, ToolCall
from entrypoints.model import Reply, ScriptedModel
from entrypoints.refusal import Refused
from entrypoints.session import Session
from entrypoints.step import freeze
from entrypoints.table import build_table, fingerprint
from skills.loader import SkillLoader
from tests.agent.world import SHOP, TRUSTED, WAREHOUSE


def start(home: Path) -> Agent:
    return open_agent(home, SkillLoader(), (*SHOP, *WAREHOUSE))


def table_print(agent: Agent) -> str:
    thread = agent.history.thread("books")
    return fingerprint(build_table(agent.turn(thread, TRUSTED), agent.history.messages(thread)))


def test_a_restart_leaves_the_table_as_it_was(tmp_path: Path) -> None:
    before = start(tmp_path)
    thread = before.history.open_thread("books", "finance")
    untouched = table_print(before)
    before.history.append(
        thread, dispatch(freeze(before.turn(thread, TRUSTED), (), ()), ToolCall("load_skill", {"names": ["ledger"]}))
    )
    loaded = table_print(before)
    assert loaded != untouched
    assert table_print(start(tmp_path)) == loaded


def test_the_category_is_on_record_and_no_launch_argument(tmp_path: Path) -> None:
    start(tmp_path).history.open_thread("books", "finance")
    after = start(tmp_path)
    assert after.history.thread("books").category == "finance"
    with pytest.raises(Refused, match="clinic is sealed"):
        call_tool(after.turn(after.history.thread("books"), TRUSTED), "clinic_visits", {})


def test_a_conversation_goes_on(tmp_path: Path) -> None:
    start(tmp_path).history.open_thread("books", "finance")
    Session(start(tmp_path), "books", [ScriptedModel(TRUSTED, [Reply("noted")])]).ask("first")
    model = ScriptedModel(TRUSTED, [Reply("again")])
    Session(start(tmp_path), "books", [model]).ask("second")
    assert [message.text for message in model.requests[0].messages] == ["first", "noted", "second"]


def test_compaction_keeps_the_last_messages_behind_a_summary(tmp_path: Path) -> None:
    history = History(tmp_path / "threads.db")
    thread = history.open_thread("x")
    history.append(thread, *(Message(Role.USER, str(number)) for number in range(5)))
    history.compact(thread, keep=2, summary="0 to 2")
    assert [message.text for message in history.messages(thread)] == ["0 to 2", "3", "4"]
    history.compact(thread, keep=0, summary="all")
    assert [message.role for message in history.messages(thread)] == [Role.SUMMARY]


def test_threads_do_not_see_each_other(tmp_path: Path) -> None:
    history = History(tmp_path / "threads.db")
    one, two = history.open_thread("one"), history.open_thread("two")
    history.append(one, Message(Role.USER, "mine"))
    assert history.messages(two) == ()
