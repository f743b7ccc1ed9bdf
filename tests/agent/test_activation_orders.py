"""An order is carried out whole or not at all, and it opens whole groups."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from entrypoints.activate import activate
from entrypoints.dispatch import dispatch
from entrypoints.messages import ToolCall
from entrypoints.refusal import Refused
from entrypoints.step import freeze
from entrypoints.turn import Turn


@pytest.mark.parametrize("order", [["payroll", "notes"], ["notes", "payroll"], ["notes", "zebra"], ["notes", ""]])
def test_one_problem_voids_the_order(turn_of: Callable[..., Turn], order: list[str]) -> None:
    with pytest.raises(Refused, match=r"\nNothing was loaded\.$"):
        activate(turn_of(), order)


def test_all_problems_are_told(turn_of: Callable[..., Turn]) -> None:
    with pytest.raises(Refused) as caught:
        activate(turn_of(), ["payroll", "zebra", "notes", "clinic"])
    payroll, zebra, clinic, last = str(caught.value).splitlines()
    assert payroll.startswith("payroll is sealed")
    assert zebra == "There is no skill named 'zebra'."
    assert clinic.startswith("clinic is sealed")
    assert last == "Nothing was loaded."


def test_a_voided_order_leaves_no_mark(turn_of: Callable[..., Turn]) -> None:
    step = freeze(turn_of(), (), ())
    assert dispatch(step, ToolCall("load_skill", {"names": ["payroll", "notes"]})).loaded_skill == ()
    assert dispatch(step, ToolCall("load_skill", {"names": ["notes"]})).loaded_skill == ("notes",)


def test_an_order_without_problems_opens_all_of_it_in_order(turn_of: Callable[..., Turn]) -> None:
    assert [skill.name for skill in activate(turn_of("finance"), ["payroll", "notes", "payroll"])] == [
        "payroll",
        "notes",
    ]


def test_a_skill_comes_with_its_manual_and_its_whole_group(turn_of: Callable[..., Turn]) -> None:
    (warehouse,) = activate(turn_of("logistics"), ["warehouse"])
    assert warehouse.manual.startswith("# The warehouse")
    assert len(warehouse.tools) == 48


def test_own_tools_and_those_of_the_namespace_open_together(turn_of: Callable[..., Turn]) -> None:
    (ledger,) = activate(turn_of("finance"), ["ledger"])
    assert [schema.name for schema in ledger.tools] == ["ledger_balance", "ledger_post"]


def test_an_empty_order_is_told_so(turn_of: Callable[..., Turn]) -> None:
    with pytest.raises(Refused, match="at least one name"):
        activate(turn_of(), [])
