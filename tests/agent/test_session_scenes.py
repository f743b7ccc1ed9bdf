"""Groups are the unit of exposure, and a session's scene says which of them are active."""

from __future__ import annotations

import pytest

from entrypoints.agent import Agent
from entrypoints.direct_call import call_tool
from entrypoints.table import build_table
from skills.scenes import active_groups
from tests.agent.world import TRUSTED

READS = {"user": "user_profile", "order": "order_find", "crm": "crm_contact"}


@pytest.mark.parametrize(
    ("scene", "groups"),
    [
        ("order_service", ("user", "order")),
        ("sales_assist", ("user", "crm")),
        ("small_talk", ("user",)),
        (None, ("user",)),
    ],
)
def test_a_scene_makes_its_groups_candidates_and_no_others(
    agent: Agent, scene: str | None, groups: tuple[str, ...]
) -> None:
    turn = agent.turn(agent.history.open_thread("x", scene=scene), TRUSTED)
    shown = {schema.name for schema in build_table(turn, [])} & set(READS.values())
    assert active_groups(scene) == groups
    assert shown == {READS[group] for group in groups}


def test_a_scene_is_the_sessions_own(agent: Agent) -> None:
    agent.history.open_thread("a", scene="order_service")
    agent.history.open_thread("b", scene="sales_assist")
    assert [agent.history.thread(name).scene for name in "ab"] == ["order_service", "sales_assist"]


def test_a_scene_opens_no_writing_side(agent: Agent) -> None:
    turn = agent.turn(agent.history.open_thread("x", scene="order_service"), TRUSTED)
    assert "order_refund" not in {schema.name for schema in build_table(turn, [])}


def test_an_inactive_group_opens_itself_when_it_is_called_by_name(agent: Agent) -> None:
    turn = agent.turn(agent.history.open_thread("x", scene="order_service"), TRUSTED)
    assert call_tool(turn, "crm_contact", {"contact": "acme"}).opened == ("crm",)
