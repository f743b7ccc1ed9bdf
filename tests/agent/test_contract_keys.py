"""Every writing call carries an idempotency key, and the same key takes effect once, restarts included."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from entrypoints.agent import Agent
from entrypoints.messages import ToolCall
from entrypoints.model import Reply, ScriptedModel
from entrypoints.session import Session
from skills.context import ExecutionContext, Identity
from skills.guard import Guard
from skills.model import Tool
from skills.once import OnceRecord
from skills.results import Code, done
from skills.store import Store
from tests.agent.world import RAN, TRUSTED, leaves_trace

WRITE = Tool("post", "", {"type": "object"}, leaves_trace("post"))


@pytest.fixture
def context(tmp_path: Path) -> ExecutionContext:
    return ExecutionContext(Store(tmp_path / "effects.db"), "session", key="one")


def test_a_write_without_a_key_does_not_run(context: ExecutionContext) -> None:
    for key in (None, ""):
        assert WRITE.invoke(replace(context, key=key), {}).code is Code.BAD_ARGUMENT
    assert context.store.rows(RAN) == []


def test_a_read_needs_none(context: ExecutionContext) -> None:
    assert replace(WRITE, writes=False).invoke(replace(context, key=None), {}).success


def test_the_same_key_takes_effect_once_and_gives_the_same_result(context: ExecutionContext) -> None:
    results = [WRITE.invoke(replace(context, guard=Guard()), {"cents": 5}) for _ in range(3)]
    assert results == [done("ran")] * 3
    assert context.store.rows(RAN) == ["post"]


def test_another_key_takes_effect_again(context: ExecutionContext) -> None:
    for key in ("one", "two"):
        WRITE.invoke(replace(context, key=key), {})
    assert context.store.rows(RAN) == ["post", "post"]


def test_a_key_belongs_to_one_call(context: ExecutionContext) -> None:
    WRITE.invoke(context, {"cents": 5})
    assert WRITE.invoke(context, {"cents": 6}).code is Code.BAD_ARGUMENT
    assert context.store.rows(RAN) == ["post"]


@pytest.mark.parametrize("other", [{"session": "another"}, {"identity": Identity(tenant="another")}])
def test_keys_of_other_sessions_and_tenants_are_other_keys(context: ExecutionContext, other: dict[str, object]) -> None:
    WRITE.invoke(context, {})
    assert WRITE.invoke(replace(context, **other), {}).success  # type: ignore[arg-type]
    assert context.store.rows(RAN) == ["post", "post"]


def test_a_call_that_was_cut_off_is_not_tried_again(tmp_path: Path) -> None:
    record = OnceRecord(tmp_path / "once.db")

    def cut_off() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        record.run("key", "post", {}, cut_off)  # type: ignore[arg-type]
    assert record.run("key", "post", {}, lambda: done("twice")).code is Code.UNKNOWN


def test_a_session_gives_every_call_a_key_of_its_own(agent: Agent) -> None:
    same = [ToolCall("note_add", {"text": "a"}, id="call-1"), ToolCall("note_add", {"text": "a"}, id="call-1")]
    other = [ToolCall("note_add", {"text": "b"}), ToolCall("note_add", {"text": "b"})]
    model = ScriptedModel(TRUSTED, [Reply("", (*same, *other)), Reply("done")])
    Session(agent, "x", [model]).ask("Note it.")
    assert agent.store.rows("notes") == ["a", "b", "b"]
