"""Spelling is suggested, but never a sealed name, and never in answer to one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from entrypoints.activate import activate
from entrypoints.agent import open_agent
from entrypoints.direct_call import call_tool
from entrypoints.manual import read_manual
from entrypoints.refusal import Refused
from entrypoints.turn import Turn
from skills.loader import SkillLoader
from tests.agent.world import write_skill


def test_an_open_name_is_suggested(turn_of: Callable[..., Turn]) -> None:
    with pytest.raises(Refused, match=r"no skill named 'note'\. Did you mean 'notes'\?"):
        read_manual(turn_of(), "note")
    with pytest.raises(Refused, match=r"no tool named 'note_ad'\. Did you mean 'note_add'\?"):
        call_tool(turn_of(), "note_ad", {})


@pytest.mark.parametrize("near", ["payrol", "ledgr", "clinik", "warehous"])
def test_a_sealed_name_is_not(turn_of: Callable[..., Turn], near: str) -> None:
    with pytest.raises(Refused) as caught:
        activate(turn_of(), [near])
    assert str(caught.value) == f"There is no skill named {near!r}.\nNothing was loaded."


def test_a_sealed_tool_is_not(turn_of: Callable[..., Turn]) -> None:
    with pytest.raises(Refused) as caught:
        call_tool(turn_of(), "payroll_runs", {})
    assert str(caught.value) == "There is no tool named 'payroll_runs'."


def test_the_seal_is_asked_before_existence_so_a_sealed_name_gets_no_suggestion(tmp_path: Path) -> None:
    write_skill(tmp_path / "skills", "payroll", "categories: [hr]")
    write_skill(tmp_path / "skills", "payrolls")
    agent = open_agent(tmp_path, SkillLoader(tmp_path / "skills"))
    with pytest.raises(Refused) as caught:
        activate(agent.turn(agent.history.thread("x")), ["payroll"])
    assert "payroll is sealed" in str(caught.value)
    assert "Did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    "spelling", ["Payroll", "payroll ", " payroll", "PAYROLL", "pay-roll", "payroll/", "./payroll"]
)
def test_another_spelling_is_another_name(turn_of: Callable[..., Turn], spelling: str) -> None:
    with pytest.raises(Refused, match="There is no skill named"):
        read_manual(turn_of("finance"), spelling)
