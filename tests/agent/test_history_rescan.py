"""What was called stays callable, and this yields to the seal."""

from __future__ import annotations

from collections.abc import Callable

from entrypoints.messages import Message, Role
from entrypoints.rescan import rescan
from entrypoints.table import build_table
from entrypoints.turn import Turn
from tests.agent.world import calling

HISTORY = [calling("ledger_post"), calling("clinic_visits"), calling("ledger_post"), calling("note_add")]


def names(turn: Turn, messages: list[Message]) -> list[str]:
    return [schema.name for schema in rescan(turn, messages)]


def test_what_was_called_stays_in_the_order_of_its_first_call(turn_of: Callable[..., Turn]) -> None:
    assert names(turn_of("finance"), HISTORY) == ["ledger_post", "note_add"]


def test_it_gives_way_to_the_seal(turn_of: Callable[..., Turn]) -> None:
    assert names(turn_of(None), HISTORY) == ["note_add"]
    assert names(turn_of("health"), HISTORY) == ["clinic_visits", "note_add"]


def test_the_table_keeps_a_called_tool_whose_loading_message_is_gone(turn_of: Callable[..., Turn]) -> None:
    shown = [schema.name for schema in build_table(turn_of("finance"), HISTORY)]
    assert shown[-1] == "ledger_post"
    assert "ledger_balance" not in shown
    assert "ledger_post" not in {schema.name for schema in build_table(turn_of(None), HISTORY)}


def test_a_tool_that_is_gone_is_left_out(turn_of: Callable[..., Turn]) -> None:
    assert names(turn_of(), [calling("withdrawn")]) == []


def test_a_refused_call_leaves_nothing_to_keep_callable(turn_of: Callable[..., Turn]) -> None:
    refused = Message(Role.TOOL, "ledger is sealed", tool="ledger_post")
    assert names(turn_of("finance"), [refused]) == []
