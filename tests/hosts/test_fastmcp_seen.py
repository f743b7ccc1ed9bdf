"""What was seen when FastMCP and the SDK below it were run: it stays seen until it is repaired there."""

from __future__ import annotations

from importlib.metadata import version

import pytest
from pytest_invariants.probe.host import Host
from pytest_invariants.verdict import Verdict

from tests.hosts import fastmcp_servers as servers
from tests.hosts.fastmcp_servers import ENABLED, OWN, RESOURCES, SKILLS, TOOLS
from tests.hosts.probing import found, said

ALIAS = (
    "fastmcp 4.2.3: the older provider serves `skill://x/SKILL%2Emd` through its template while SKILL.md is disabled"
)
HALF = "fastmcp 4.2.3: a disabled SKILL.md leaves the skill's other files and its manifest readable"
EMPTIED = "fastmcp 4.2.3: disabling one skill at its provider takes every skill out of `skills/list` and `skills/get`"
OVERRIDDEN = "mcp 2.3.0: an override of `MCPServer.list_tools` is not consulted by `call_tool`"
# the older provider of skills is deprecated, and is looked at because it is still there
pytestmark = pytest.mark.filterwarnings("ignore:`SkillsDirectoryProvider` is deprecated:DeprecationWarning")


def seen(reason: str) -> pytest.MarkDecorator:
    return pytest.mark.xfail(strict=True, raises=AssertionError, reason=reason)


def test_the_versions_are_those_in_which_it_was_seen() -> None:
    assert (version("fastmcp"), version("mcp")) == ("4.2.3", "2.3.0")


@pytest.mark.parametrize("host", [pytest.param(servers.OldSkills, marks=seen(ALIAS)), servers.WholeOldSkills])
def test_a_disabled_manual_is_not_reached_by_another_spelling(host: type[Host]) -> None:
    finding = found("aliases-sealed", host, ENABLED, RESOURCES, "read_resource")
    assert finding.verdict is Verdict.HELD, said(finding)


@pytest.mark.parametrize(
    "host",
    [
        pytest.param(servers.Skills, marks=seen(HALF)),
        pytest.param(servers.OldSkills, marks=seen(HALF)),
        servers.WholeSkills,
    ],
)
def test_a_skill_is_sealed_as_a_whole(host: type[Host]) -> None:
    finding = found("group-sealed", host, ENABLED, RESOURCES)
    assert finding.verdict is Verdict.HELD, said(finding)


@pytest.mark.parametrize("surface", ["list_skills", "get_skill"])
@pytest.mark.parametrize(
    "host", [pytest.param(servers.DisabledAtProvider, marks=seen(EMPTIED)), servers.DisabledAtServer]
)
def test_what_is_disabled_takes_nothing_else_with_it(host: type[Host], surface: str) -> None:
    finding = found("seal-decides", host, OWN, SKILLS, surface, table="per-turn")
    assert finding.verdict is Verdict.HELD, said(finding)


@pytest.mark.parametrize("host", [pytest.param(servers.SdkShop, marks=seen(OVERRIDDEN)), servers.GuardedSdkShop])
def test_what_is_not_listed_is_not_called(host: type[Host]) -> None:
    finding = found("seal-decides", host, OWN, TOOLS, "call_tool")
    assert finding.verdict is Verdict.HELD, said(finding)
