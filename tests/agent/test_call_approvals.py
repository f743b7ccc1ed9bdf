"""A writing call may have to wait for a person. The person's yes does not stand in for the seal's."""

from __future__ import annotations

import pytest

from entrypoints.agent import Agent
from entrypoints.messages import Role, ToolCall
from entrypoints.model import Reply, ScriptedModel
from entrypoints.refusal import Refused
from entrypoints.session import Session
from entrypoints.step import Approvals, Assembly
from tests.agent.world import TRUSTED

ASKING = Assembly(approvals=Approvals.ON_REQUEST)
POST = ToolCall("ledger_post", {"account": "cash", "cents": 5}, id="post-1")


def a_session(agent: Agent, *calls: ToolCall, assembly: Assembly = ASKING) -> Session:
    agent.history.open_writing(agent.history.open_thread("books", "finance"), "ledger")
    return Session(agent, "books", [ScriptedModel(TRUSTED, [Reply("", calls), Reply("done")])], assembly=assembly)


def answers(agent: Agent) -> list[str]:
    messages = agent.history.messages(agent.history.thread("books"))
    return [message.text for message in messages if message.role is Role.TOOL]


def test_a_writing_call_waits_and_a_reading_one_does_not(agent: Agent) -> None:
    a_session(agent, POST, ToolCall("ledger_balance", {"account": "cash"})).ask("Book it.")
    posted, balance = answers(agent)
    assert posted == "ledger_post waits for the user's approval."
    assert '"cents": 0' in balance
    assert agent.store.rows("ledger") == []


def test_once_approved_it_is_carried_out_once(agent: Agent) -> None:
    session = a_session(agent, POST)
    session.ask("Book it.")
    assert '"booked"' in session.approve("post-1")
    with pytest.raises(Refused, match="No call 'post-1' waits"):
        session.approve("post-1")
    assert len(agent.store.rows("ledger")) == 1


def test_a_yes_that_comes_after_the_seal_was_closed_opens_nothing(agent: Agent) -> None:
    session = a_session(agent, POST)
    session.ask("Book it.")
    agent.history.open_thread("books", "health")
    assert "ledger is sealed" in session.approve("post-1")
    assert agent.store.rows("ledger") == []


def test_a_yes_to_a_changed_call_carries_out_that_one_under_the_same_key(agent: Agent) -> None:
    session = a_session(agent, POST)
    session.ask("Book it.")
    less = ToolCall("ledger_post", {"account": "cash", "cents": 3})
    assert '"booked"' in session.approve("post-1", less)
    assert [row["cents"] for row in agent.store.rows("ledger")] == [3]
    with pytest.raises(Refused, match="No call 'post-1' waits"):
        session.approve("post-1", less)


def test_a_change_into_a_call_of_a_sealed_skill_opens_nothing(agent: Agent) -> None:
    session = a_session(agent, POST)
    session.ask("Book it.")
    assert "clinic is sealed" in session.approve("post-1", ToolCall("clinic_record", {"text": "a visit"}))
    assert (agent.store.rows("clinic"), agent.store.rows("ledger")) == ([], [])


def test_a_sealed_call_is_refused_at_once_and_does_not_wait(agent: Agent) -> None:
    session = a_session(agent, ToolCall("clinic_record", {"text": "a visit"}, id="visit-1"))
    session.ask("Write it down.")
    assert "clinic is sealed" in answers(agent)[0]
    with pytest.raises(Refused, match="No call 'visit-1' waits"):
        session.approve("visit-1")


def test_a_call_waits_in_its_own_thread_and_through_a_restart(agent: Agent) -> None:
    a_session(agent, POST).ask("Book it.")
    agent.history.open_writing(agent.history.open_thread("other", "finance"), "ledger")
    with pytest.raises(Refused, match="No call"):
        Session(agent, "other", [ScriptedModel(TRUSTED, [])], assembly=ASKING).approve("post-1")
    assert '"booked"' in Session(agent, "books", [ScriptedModel(TRUSTED, [])], assembly=ASKING).approve("post-1")


def test_where_nobody_has_to_be_asked_nothing_waits(agent: Agent) -> None:
    a_session(agent, POST, assembly=Assembly()).ask("Book it.")
    assert len(agent.store.rows("ledger")) == 1
