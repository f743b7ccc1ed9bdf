"""Two rules for the order of a table: by a list with a marker, and built-in tools before those of servers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from entrypoints.dispatch import dispatch
from entrypoints.messages import ToolCall
from entrypoints.ordering import UNLISTED, OrderList, builtin_first, denied
from entrypoints.step import Assembly, freeze
from entrypoints.turn import Turn
from skills.model import Schema
from tests.agent.world import SHOP


def table(*names: str, text: str = "") -> list[Schema]:
    return [Schema(name, text, {}) for name in names]


def names(schemas: tuple[Schema, ...]) -> list[str]:
    return [schema.name for schema in schemas]


def test_named_tools_take_their_seats_and_the_rest_goes_by_name_where_the_marker_stands() -> None:
    order = OrderList(("read", UNLISTED, "write"))
    assert names(order.arrange(table("zip", "write", "read", "awk"))) == ["read", "awk", "zip", "write"]


def test_a_seat_may_stay_empty() -> None:
    assert names(OrderList(("absent", UNLISTED)).arrange(table("b", "a"))) == ["a", "b"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((), "has no <unlisted-tools>"),
        (("read",), "has no <unlisted-tools>"),
        ((UNLISTED, "a", "a"), "names something twice"),
    ],
)
def test_a_list_that_cannot_be_followed_fails_at_assembly(given: tuple[str, ...], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        OrderList(given)


def test_built_in_tools_come_first_and_each_part_goes_by_name() -> None:
    assert names(builtin_first(table("write", "read"), table("zip", "awk"))) == ["read", "write", "awk", "zip"]


def test_a_new_server_leaves_what_stands_in_front_as_it_was() -> None:
    builtin = table("load", "write")
    before, after = builtin_first(builtin, table("z")), builtin_first(builtin, table("z", "m"))
    assert after[: len(builtin)] == before[: len(builtin)] == tuple(table("load", "write"))


def test_on_a_clash_the_built_in_tool_wins() -> None:
    result = builtin_first(table("read", text="ours"), table("read", "zip", text="theirs"))
    assert [(schema.name, schema.description) for schema in result] == [("read", "ours"), ("zip", "theirs")]


def test_deny_rules_match_names_and_patterns() -> None:
    assert denied(["note_add", "mcp__shop__*"], "note_add")
    assert denied(["note_add", "mcp__shop__*"], "mcp__shop__pay_order")
    assert not denied(["note_add", "mcp__shop__*"], "note_find")
    assert not denied([], "note_add")


def test_a_denied_tool_is_neither_shown_nor_run(turn_of: Callable[..., Turn]) -> None:
    step = freeze(turn_of(), (), (), assembly=Assembly(deny=("query_*",)))
    assert not [schema.name for schema in step.router.visible if schema.name.startswith("query_")]
    answer = dispatch(step, ToolCall("query_cart"))
    assert (answer.ran, answer.text) == (False, "query_cart is denied by a rule of this session.")


def test_a_step_follows_an_order_list(turn_of: Callable[..., Turn]) -> None:
    order = OrderList(("note_find", "load_skill", UNLISTED, "get_current_time"))
    shown = names(freeze(turn_of(), (), (), assembly=Assembly(order=order)).router.visible)
    assert (shown[:2], shown[-1]) == (["note_find", "load_skill"], "get_current_time")
    assert shown[2:-1] == sorted(shown[2:-1])


def test_a_step_puts_built_in_tools_first(turn_of: Callable[..., Turn]) -> None:
    shown = names(freeze(turn_of(), (), (), assembly=Assembly(builtin_first=True)).router.visible)
    foreign = {tool.name for tool in SHOP}
    own, servers = ([name for name in shown if (name in foreign) == side] for side in (False, True))
    assert shown == [*sorted(own), *sorted(servers)]
