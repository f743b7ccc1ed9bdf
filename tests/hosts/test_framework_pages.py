"""The pages on hosts for frameworks: what a user copies from them runs, and says what the pages say."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_invariants import cli

from tests.hosts.pages import PAGES, example

SKILLS = Path(__file__).parent / "skills"
ASKED = ("seal-decides", "approval-reseals", "door-registered")


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty repository, whose modules are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    forget()
    yield tmp_path
    forget()


def forget() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] in ("shop", "desk", "checks")]:
        del sys.modules[name]


def lay_out(folder: Path, page: str, package: str) -> None:
    files = {
        "pyproject.toml": "",
        f"{package}/__init__.py": "",
        f"{package}/agent.py": example(page, "py"),
        "checks/__init__.py": "",
        "checks/host.py": example(page),
        "entrypoints/registry.yaml": example(page, "yaml"),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def checked(*invariants: str) -> int:
    return cli.main(["check", *(word for invariant in invariants for word in ("--select", invariant))])


@pytest.mark.parametrize("page", ["langchain", "agentscope"])
def test_an_agent_that_asks_where_it_acts_holds(page: str, scratch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lay_out(scratch, page, "shop")
    assert checked(*ASKED) == 0
    out = capsys.readouterr().out
    assert "3 surfaces, sealed by shop.agent:may_use" in out
    assert out.endswith("HOLDS\n")


@pytest.mark.parametrize(
    ("page", "gate", "surface"),
    [("langchain", "wrap_tool_call", "call"), ("agentscope", "on_check_permission", "call")],
)
def test_without_the_gate_it_falls(
    page: str, gate: str, surface: str, scratch: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lay_out(scratch, page, "shop")
    agent = scratch / "shop" / "agent.py"
    agent.write_text(agent.read_text(encoding="utf-8").replace(f"def {gate}", f"def not_{gate}"), encoding="utf-8")
    assert checked("seal-decides", surface) == 1
    assert f"{surface}: seal-decides refuted (leaked)" in capsys.readouterr().out


def test_deep_agents_ask_about_a_file_only_where_it_is_read(scratch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lay_out(scratch, "deepagents", "desk")
    for skill in ("billing", "hiring"):
        shutil.copytree(SKILLS / skill, scratch / "desk" / "skills" / skill)
    assert checked("seal-decides") == 1
    out = capsys.readouterr().out
    assert "manual   held" in out
    assert "index: seal-decides refuted (leaked)" in out
    assert "pinned: seal-decides refuted (leaked)" in out


@pytest.mark.parametrize("page", ["langchain", "deepagents", "agentscope"])
def test_a_page_names_every_surface_of_its_hosts(page: str) -> None:
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    for surface in SURFACES[page]:
        assert f"`{surface}`" in text, surface


SURFACES = {
    "langchain": ("table", "call", "stored_call", "misspelt", "approval", "edited"),
    "deepagents": ("index", "manual", "pinned", "listed_files", "found_files", "searched", "call"),
    "agentscope": (
        *("table", "call", "stored_call", "schemas", "available_tool", "toolkit_tool", "client_tools", "client_tool"),
        *("approval", "edited", "index", "instructions", "manual", "activate"),
    ),
}


def test_a_server_of_fastmcp_holds_as_it_is_copied(scratch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {
        "shop/__init__.py": "",
        "shop/server.py": example("fastmcp", "py"),
        "shop/probed.py": example("fastmcp"),
        "entrypoints/registry.yaml": example("fastmcp", "yaml"),
    }
    for name, text in files.items():
        (scratch / name).parent.mkdir(exist_ok=True)
        (scratch / name).write_text(text, encoding="utf-8")
    assert checked("seal-decides", "surfaces-agree", "door-registered") == 0
    assert capsys.readouterr().out.endswith("HOLDS\n")


def test_a_host_without_its_builder_is_told_how_it_begins(scratch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lay_out(scratch, "agentscope", "shop")
    host = scratch / "checks" / "host.py"
    host.write_text(host.read_text(encoding="utf-8").replace("def build", "def biuld"), encoding="utf-8")
    assert checked("seal-decides", "call") == 1
    out = capsys.readouterr().out
    assert "`checks.host:ShopHost` has no `build`" in out
    assert "remedy: write `def build(self, model, state, facts)`" in out
