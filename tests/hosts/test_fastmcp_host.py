"""The host of FastMCP: honest servers hold at every surface, and each way to leave a hole is seen."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from fastmcp.tools import FunctionTool
from mcp.server.mcpserver.tools import Tool
from pytest_invariants import cli
from pytest_invariants.probe.host import Host
from pytest_invariants.registry.model import Manner, Seal
from pytest_invariants.verdict import Reason, Verdict

from tests.hosts import fastmcp_servers as servers
from tests.hosts.fastmcp_servers import ENABLED, OWN, PROMPTS, READ_BY_TOOLS, RESOURCES, SEARCHED, SKILLS, TOOLS
from tests.hosts.pages import example
from tests.hosts.probing import found, said

RELAYED = {**TOOLS, "relay": Manner.NAMED}
AT_BUILD = {"table": "per-turn"}
"""These servers ask when they are built, so each world is played with a new one."""
HONEST = [
    (servers.Shop, ENABLED, TOOLS, {}),
    (servers.Shop, ENABLED, PROMPTS, {}),
    (servers.Shop, ENABLED, RESOURCES, {}),
    (servers.Searched, ENABLED, SEARCHED, {}),
    (servers.ReadByTools, ENABLED, READ_BY_TOOLS, {}),
    (servers.Mounted, ENABLED, TOOLS, {}),
    (servers.AskingShop, OWN, TOOLS, {}),
    (servers.GatedShop, OWN, RELAYED, {}),
    (servers.DisabledShop, OWN, TOOLS, AT_BUILD),
    (servers.GuardedSdkShop, OWN, TOOLS, {}),
    (servers.Skills, ENABLED, SKILLS, {}),
    (servers.OldSkills, ENABLED, RESOURCES, {}),
    (servers.DisabledAtServer, OWN, SKILLS, AT_BUILD),
]
QUESTIONS = [
    pytest.param(host, seal, surfaces, surface, policies, id=f"{host.__name__}-{surface}")
    for host, seal, surfaces, policies in HONEST
    for surface in surfaces
]
# the older provider of skills is deprecated, and is looked at because it is still there
pytestmark = pytest.mark.filterwarnings("ignore:`SkillsDirectoryProvider` is deprecated:DeprecationWarning")


@pytest.mark.parametrize(("host", "seal", "surfaces", "surface", "policies"), QUESTIONS)
def test_an_honest_server_follows_the_seal_at_every_surface(
    host: type[Host], seal: Seal, surfaces: Mapping[str, Manner], surface: str, policies: Mapping[str, str]
) -> None:
    finding = found("seal-decides", host, seal, surfaces, surface, **policies)
    assert finding.verdict is Verdict.HELD, said(finding)


@pytest.mark.parametrize(
    ("host", "surfaces", "surface"),
    [(servers.ListingShop, TOOLS, "call_tool"), (servers.DispatchedShop, RELAYED, "relay")],
)
def test_a_way_around_the_seal_is_seen(host: type[Host], surfaces: Mapping[str, Manner], surface: str) -> None:
    finding = found("seal-decides", host, OWN, surfaces, surface)
    assert (finding.verdict, finding.reason) == (Verdict.REFUTED, Reason.LEAKED)
    assert f"`{surface}` lets out" in finding.message


def test_all_surfaces_of_a_shop_agree_whatever_happens() -> None:
    finding = found("surfaces-agree", servers.Shop, ENABLED, {**TOOLS, **PROMPTS, **RESOURCES})
    assert finding.verdict is Verdict.HELD, said(finding)


def test_a_seal_over_an_address_closes_the_whole_skill_under_every_spelling() -> None:
    for invariant, surface in (("group-sealed", None), ("aliases-sealed", None), ("aliases-sealed", "read_resource")):
        finding = found(invariant, servers.WholeSkills, ENABLED, SKILLS, surface)
        assert finding.verdict is Verdict.HELD, said(finding)


@pytest.mark.parametrize("invariant", ["listed-is-callable", "names-unambiguous", "table-stable"])
def test_the_table_can_be_asked_about(invariant: str) -> None:
    finding = found(invariant, servers.Shop, ENABLED, TOOLS)
    assert finding.verdict is Verdict.HELD, said(finding)


def test_no_tool_has_done_anything_and_the_classes_are_what_they_were() -> None:
    before = FunctionTool.run, Tool.run
    for host in (servers.Shop, servers.SdkShop, servers.GatedShop):
        found("seal-decides", host, OWN if host is not servers.Shop else ENABLED, TOOLS, "call_tool")
    assert servers.REALLY == []
    assert (FunctionTool.run, Tool.run) == before


def test_a_server_that_cannot_be_built_is_the_hosts_mistake() -> None:
    finding = found("seal-decides", servers.BrokenShop, ENABLED, TOOLS, "list_tools")
    assert (finding.verdict, finding.reason) == (Verdict.REFUTED, Reason.HARNESS)
    assert "`BrokenShop.open` raised ValueError: no database" in finding.message


def test_without_fastmcp_it_is_said_what_to_install() -> None:
    hidden = "import sys; sys.modules['fastmcp'] = None; import pytest_invariants.hosts.fastmcp"
    run = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr.rstrip().endswith("HostError: FastMCP is not installed; install `pytest-invariants[fastmcp]`")


def test_the_example_of_the_page_runs_as_it_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {
        "shop/__init__.py": "",
        "shop/server.py": example("fastmcp", "py"),
        "shop/probed.py": example("fastmcp"),
        "entrypoints/registry.yaml": example("fastmcp", "yaml"),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert cli.main(["check", "--select", "seal-decides", "--select", "surfaces-agree"]) == 0
    out = capsys.readouterr().out
    assert "2 surfaces, sealed by fastmcp.server.transforms.visibility:is_enabled" in out
    assert out.endswith("3 hold\nHOLDS\n")
