"""An order is carried out whole or not at all, and it opens whole groups."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from entrypoints.activate import activate, plan_activation
from entrypoints.refusal import Refused
from entrypoints.turn import Turn


@pytest.mark.parametrize("order", [["payroll", "notes"], ["notes", "payroll"], ["notes", "zebra"], ["notes", ""]])
def test_one_problem_voids_the_order(turn_of: Callable[..., Turn], order: list[str]) -> None:
    plan = plan_activation(turn_of(), order)
    assert plan.loaded == ()
    assert len(plan.problems) == 1
    with pytest.raises(Refused, match=r"Nothing was loaded\.$"):
        activate(turn_of(), order)


def test_all_problems_are_told(turn_of: Callable[..., Turn]) -> None:
    problems = plan_activation(turn_of(), ["payroll", "zebra", "notes", "clinic"]).problems
    assert ["payroll" in problems[0], "zebra" in problems[1], "clinic" in problems[2]] == [True, True, True]


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
