"""`invariants doors` before there is a registry: what is known leads to the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pytest_invariants import cli
from pytest_invariants.flow.judging.doors import Door
from pytest_invariants.scaffold.decorators import roles
from pytest_invariants.verdict import Place

from tests.hook.scratch import FILES, REGISTRY, UNSEALED

CODE = {name: text for name, text in FILES.items() if name != REGISTRY}
LEAK = "from agent.store import STORE\n" + FILES["agent/doors.py"] + UNSEALED
BODY = "agent.store:Skill.body"


def lay_out(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def doors(root: Path, capsys: Any, *arguments: str, status: int = 0) -> tuple[dict[str, Any], str]:
    """Every door by its function, and what was said beside them."""
    assert cli.main(["doors", "--format", "json", *arguments, str(root)]) == status
    out, said = capsys.readouterr()
    return {row["function"]: row for row in json.loads(out)["doors"]} if out else {}, said


@pytest.mark.parametrize(
    "known",
    [[], ["--seal", "agent.seal:sealed"], ["--capability", BODY], ["--code", "agent"]],
    ids=["nothing", "the seal", "a capability", "the code"],
)
def test_whatever_is_known_the_doors_are_found_with_what_they_reach_and_how_far_they_are_proved(
    tmp_path: Path, capsys: Any, known: list[str]
) -> None:
    found, said = doors(lay_out(tmp_path, {**CODE, "agent/doors.py": LEAK}), capsys, *known)
    assert set(found) == {"agent.doors:activate", "agent.doors:preview"}
    sealed, loose = found["agent.doors:activate"], found["agent.doors:preview"]
    assert (sealed["reaches"], sealed["asks"], sealed["verdict"], sealed["level"]) == ([BODY], True, "proved", 5)
    assert (loose["reaches"], loose["asks"], loose["verdict"], loose["level"]) == ([BODY], False, "refuted", 0)
    assert "seal: agent.seal:sealed (sealed)" in said
    assert not (tmp_path / REGISTRY).exists()


def test_a_registry_that_is_there_is_passed_over_where_something_is_given(tmp_path: Path, capsys: Any) -> None:
    root = lay_out(tmp_path, FILES)
    found, _ = doors(root, capsys, "--seal", "agent.seal:sealed")
    assert found["agent.doors:activate"]["covered_by"] is None
    found, _ = doors(root, capsys)
    assert found["agent.doors:activate"]["covered_by"] == "surface activate"
    assert found["agent.doors:activate"]["level"] == 5


def test_where_nobody_asks_a_seal_the_ways_to_a_known_capability_are_still_shown(tmp_path: Path, capsys: Any) -> None:
    store = {name: CODE[name] for name in ("agent/__init__.py", "agent/store.py")}
    leak = "from agent.store import STORE\n" + UNSEALED
    found, said = doors(lay_out(tmp_path, {**store, "agent/doors.py": leak}), capsys, "--capability", BODY)
    assert found["agent.doors:preview"]["reaches"] == [BODY]
    assert (found["agent.doors:preview"]["asks"], found["agent.doors:preview"]["verdict"]) == (False, None)
    assert "write the seal" in said


def test_where_neither_is_known_nor_found_nothing_was_examined(tmp_path: Path, capsys: Any) -> None:
    found, said = doors(lay_out(tmp_path, {"agent/__init__.py": "X = 1\n"}), capsys, status=3)
    assert found == {}
    assert "name one with --capability" in said


def test_what_is_given_and_not_there_is_said_with_the_closest_name(tmp_path: Path, capsys: Any) -> None:
    root = lay_out(tmp_path, CODE)
    _, said = doors(root, capsys, "--seal", "agent.seal:saeled", status=2)
    assert "did you mean `agent.seal:sealed`?" in said
    _, said = doors(root / "nowhere", capsys, "--seal", "agent.seal:sealed", status=2)
    assert "there is no such file or folder" in said


def test_a_door_that_a_framework_calls_is_named_by_its_role(tmp_path: Path, capsys: Any) -> None:
    text = FILES["agent/doors.py"].replace(
        "def activate", 'from fastmcp import FastMCP\n\nmcp = FastMCP("a")\n\n\n@mcp.tool\ndef activate'
    )
    found, _ = doors(lay_out(tmp_path, {**CODE, "agent/doors.py": text}), capsys, "--seal", "agent.seal:sealed")
    assert found["agent.doors:activate"]["roles"] == ["tool of fastmcp (under `@mcp.tool`)"]


KINDS = """\
import click
from fastapi import FastAPI
from mcp.server.lowlevel import Server
from langchain_core.tools import tool

from agent.bus import bus
from agent.gate import opened
from agent.store import STORE

app = FastAPI()
server = Server("x")

@app.get("/skills/{name}")
def route(turn, name):
    return opened(turn, name).body

@click.command()
def command(name):
    return STORE.get(name).body

@bus.on_event("open")
def callback(turn, name):
    return opened(turn, name).body

@server.call_tool()
async def handler(name, arguments):
    return STORE.get(name).body

@tool
def shown(name: str) -> str:
    return STORE.get(name).body

def _private(name):
    return STORE.get(name).body
"""
BUS = """\
class Bus:
    def on_event(self, name):
        return lambda function: function

bus = Bus()
"""
SAID = {
    "route": ["route (under `@app.get`)"],
    "command": ["command (under `@click.command`)"],
    "callback": ["callback (under `@bus.on_event`)"],
    "handler": ["MCP handler (named, under `@server.call_tool`)"],
    "shown": ["tool of langchain and deepagents (under `@tool`)"],
    "_private": [],
}


@pytest.mark.parametrize("registered", [True, False], ids=["with a registry", "without"])
def test_every_kind_of_door_is_told_by_what_it_is_to_others(tmp_path: Path, capsys: Any, registered: bool) -> None:
    files = {**(FILES if registered else CODE), "agent/more.py": KINDS, "agent/bus.py": BUS}
    found, _ = doors(lay_out(tmp_path, files), capsys, status=int(registered))
    assert {name: found[f"agent.more:{name}"]["roles"] for name in SAID} == SAID
    assert {name: found[f"agent.more:{name}"]["public"] for name in SAID} == {name: name[0] != "_" for name in SAID}
    assert all(found[f"agent.more:{name}"]["reaches"] == [BODY] for name in SAID)
    asks = {name: found[f"agent.more:{name}"]["asks"] for name in SAID}
    assert asks == {name: name in ("route", "callback") for name in SAID}


@pytest.mark.parametrize(
    ("decorator", "role"),
    [
        ("app.get('/x')", ["route (under `@app.get`)"]),
        ("click.command()", ["command (under `@click.command`)"]),
        ("bus.on_event('x')", ["callback (under `@bus.on_event`)"]),
        ("server.call_tool()", ["MCP handler (under `@server.call_tool`)"]),
        ("registry.tool", ["tool (under `@registry.tool`)"]),
        ("functools.cache", []),
    ],
)
def test_without_a_framework_the_decorators_name_tells(decorator: str, role: list[str]) -> None:
    door = Door("agent:x", Place("agent.py", 1), (), None, (decorator,), True, asks=False)
    assert list(roles(door, ())) == role
