"""The bridge is a process of its own that speaks MCP, reaches the same stores, and asks the seal with its own facts."""

from __future__ import annotations

from pathlib import Path

import pytest

from entrypoints.agent import Agent, open_agent
from entrypoints.bridge import ChildFacts, child_facts, open_bridge
from entrypoints.turn import Provider
from skills.loader import SkillLoader
from skills.results import Code
from tests.agent.world import TRUSTED

ENABLED = ("clinic", "ledger", "notes", "warehouse")
POST = {"account": "cash", "cents": 5}


@pytest.fixture
def parent(tmp_path: Path) -> Agent:
    return open_agent(tmp_path, SkillLoader(enabled=ENABLED))


def facts_of(parent: Agent, home: Path, category: str | None, provider: Provider = TRUSTED) -> ChildFacts:
    thread = parent.history.open_writing(parent.history.open_thread("x", category), "clinic", "ledger")
    return child_facts(parent.turn(thread, TRUSTED), home, provider, ENABLED)


def test_a_child_of_a_finance_thread_reaches_the_books_and_nothing_else(parent: Agent, tmp_path: Path) -> None:
    with open_bridge(facts_of(parent, tmp_path, "finance")) as bridge:
        offered = {tool.name for tool in bridge.tools()}
        booked = [bridge.call("ledger_post", POST, "one key") for _ in range(2)]
        refused = bridge.call("clinic_record", {"text": "a visit"})
    assert {"ledger_post", "ledger_balance", "note_add"} <= offered
    assert not {"clinic_record", "clinic_visits"} & offered
    assert [result.success for result in booked] == [True, True]
    assert parent.store.rows("ledger") == [POST]
    assert refused.code is Code.DOWNSTREAM_ERROR
    assert "clinic is sealed in this thread: the thread is of the wrong category" in refused.message
    assert parent.store.rows("visits") == []


def test_a_child_whose_own_provider_lacks_the_tag_reaches_no_sealed_skill(parent: Agent, tmp_path: Path) -> None:
    with open_bridge(facts_of(parent, tmp_path, "finance", Provider("cli"))) as bridge:
        refused = bridge.call("ledger_post", POST)
        kept = bridge.call("note_add", {"text": "open to all"}, "another key")
    assert "ledger is sealed in this thread: the model's provider lacks the tag. Provider: cli." in refused.message
    assert kept.success
    assert parent.store.rows("ledger") == []


def test_a_child_that_was_told_no_category_reaches_no_sealed_skill(tmp_path: Path) -> None:
    facts = ChildFacts(str(tmp_path), "x", provider="trusted", tags=TRUSTED.tags, writing=ENABLED, enabled=ENABLED)
    with open_bridge(facts) as bridge:
        assert not {"ledger_post", "clinic_record"} & {tool.name for tool in bridge.tools()}
        assert "Did you mean" not in bridge.call("ledger_pots", POST).message
        assert "is sealed" in bridge.call("ledger_post", POST).message


def test_a_child_opens_a_namespace_that_a_third_process_serves(parent: Agent, tmp_path: Path) -> None:
    turn = parent.turn(parent.history.open_thread("x", "logistics"), TRUSTED)
    facts = child_facts(turn, tmp_path, TRUSTED, ENABLED, namespaces=("warehouse",))
    with open_bridge(facts) as bridge:
        assert sum(tool.name.endswith(("_bin", "_pallet")) for tool in bridge.tools()) == 4
        shown = bridge.call("show_bin", {"id": "7"})
    assert shown.success
    assert shown.data == {"code": "OK", "data": {"thing": "bin", "verb": "show", "id": "7"}}
