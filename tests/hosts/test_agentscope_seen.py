"""What was seen when AgentScope was run: it stays seen until it is repaired there, and each has a twin that holds."""

from __future__ import annotations

from importlib.metadata import version

import pytest
from pytest_invariants.probe.host import Host
from pytest_invariants.registry.model import Manner

from tests.hosts.agentscope_agents import (
    CALLS,
    GROUP_SEAL,
    GROUP_SURFACES,
    MCP_SURFACES,
    SEAL,
    AllSkillsHost,
    AskingMiddlewareHost,
    AskingToolHost,
    ClientHost,
    FilteringClientHost,
    GroupHost,
    SortedSkillsHost,
)
from tests.hosts.probing import found, holds, said

APPROVED = "agentscope 2.0.11: a call that a person approved runs though the tool's permission is `deny` by now"
EDITED = "agentscope 2.0.11: a call that a person changed into another runs without that one's permission"
STORED = "agentscope 2.0.11: a stored call that counts as allowed runs without any permission"
NO_GROUPS = (
    "agentscope 2.0.11: `get_skill_instructions` without groups means all of them, `get_tool_schemas` the basic one"
)
ANY_GROUP = "agentscope 2.0.11: `Toolkit.get_tool` finds the tools of groups that are not active"
UNFILTERED = "agentscope 2.0.11: `MCPClient.get_tool` finds the tools that `list_tools` leaves out"
UNSORTED = "agentscope 2.0.11: skills are listed in the order in which their folders are"


def seen(reason: str) -> pytest.MarkDecorator:
    return pytest.mark.xfail(strict=True, raises=AssertionError, reason=reason)


def test_the_version_is_that_in_which_it_was_seen() -> None:
    assert version("agentscope") == "2.0.11"


@pytest.mark.parametrize("host", [pytest.param(AskingToolHost, marks=seen(APPROVED)), AskingMiddlewareHost])
def test_an_approval_carries_out_only_what_is_open_by_then(host: type[Host]) -> None:
    finding = found("approval-reseals", host, SEAL, CALLS)
    assert holds(finding), said(finding)


@pytest.mark.parametrize(
    ("host", "surface"),
    [
        pytest.param(AskingToolHost, "edited", marks=seen(EDITED)),
        pytest.param(AskingToolHost, "stored_call", marks=seen(STORED)),
        (AskingMiddlewareHost, "edited"),
        (AskingMiddlewareHost, "stored_call"),
    ],
)
def test_a_call_that_nobody_asked_about_does_not_run(host: type[Host], surface: str) -> None:
    finding = found("seal-decides", host, SEAL, CALLS, surface)
    assert holds(finding), said(finding)


@pytest.mark.parametrize("surface", [pytest.param("instructions", marks=seen(NO_GROUPS)), "index"])
def test_who_names_no_group_is_told_of_none(surface: str) -> None:
    finding = found("facts-missing-seal", GroupHost, GROUP_SEAL, {surface: Manner.BROWSE}, table="per-turn")
    assert holds(finding), said(finding)


@pytest.mark.parametrize("surface", [pytest.param("toolkit_tool", marks=seen(ANY_GROUP)), "available_tool"])
def test_a_tool_of_a_closed_group_is_not_found(surface: str) -> None:
    finding = found("seal-decides", GroupHost, GROUP_SEAL, GROUP_SURFACES, surface, table="per-turn")
    assert holds(finding), said(finding)


@pytest.mark.parametrize("host", [pytest.param(ClientHost, marks=seen(UNFILTERED)), FilteringClientHost])
def test_a_client_finds_no_tool_that_it_does_not_list(host: type[Host]) -> None:
    finding = found("seal-decides", host, SEAL, MCP_SURFACES, "client_tool", table="per-turn")
    assert holds(finding), said(finding)


@pytest.mark.parametrize("host", [pytest.param(AllSkillsHost, marks=seen(UNSORTED)), SortedSkillsHost])
def test_the_list_of_skills_does_not_depend_on_the_file_system(host: type[Host]) -> None:
    finding = found("table-stable", host, GROUP_SEAL, {"index": Manner.BROWSE})
    assert holds(finding), said(finding)
