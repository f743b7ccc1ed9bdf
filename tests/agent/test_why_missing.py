"""When a tool "is missing": active groups first, then identity, then the schema, then what was really sent."""

from __future__ import annotations

from dataclasses import replace

from entrypoints.agent import Agent
from entrypoints.diagnose import Stage, why_missing
from entrypoints.turn import Turn
from skills.context import NOBODY, Identity
from tests.agent.world import TRUSTED, loading, plain_tool


def a_turn(agent: Agent, category: str | None = None, identity: Identity = NOBODY) -> Turn:
    return agent.turn(agent.history.open_thread("x", category), TRUSTED, identity=identity)


def stage(turn: Turn, name: str, *loaded: str) -> Stage | None:
    cause = why_missing(turn, [loading(*loaded)], name)
    return cause.stage if cause is not None else None


def test_the_order_in_which_to_look() -> None:
    assert [each.value for each in Stage] == [
        "active groups",
        "identity",
        "generated schema",
        "what the model was sent",
    ]


def test_first_the_group(agent: Agent) -> None:
    assert stage(a_turn(agent), "nowhere") is Stage.GROUP
    assert stage(a_turn(agent), "ledger_balance") is Stage.GROUP
    assert stage(a_turn(agent, "finance"), "ledger_post", "ledger") is Stage.GROUP


def test_then_identity(agent: Agent) -> None:
    assert stage(a_turn(agent), "user_profile") is Stage.IDENTITY
    assert stage(a_turn(agent, identity=Identity("ann")), "user_profile") is None


def test_then_the_schema(agent: Agent) -> None:
    agent.registry.register(replace(plain_tool("broken"), parameters={"type": "objekt"}))
    assert stage(a_turn(agent), "broken") is Stage.SCHEMA


def test_then_what_was_sent(agent: Agent) -> None:
    assert stage(a_turn(agent, "finance"), "ledger_balance") is Stage.SENT
    assert stage(a_turn(agent, "finance"), "ledger_balance", "ledger") is None
    assert stage(a_turn(agent), "cancel_order") is Stage.SENT
    assert stage(a_turn(agent), "cancel_order", "order_change") is None
