"""What frameworks are handed is recognised by the registrar, and what only looks like it is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.scaffold.idioms import FRAMEWORKS
from pytest_invariants.scaffold.registrars import handed, remarks
from pytest_invariants.scaffold.survey import Survey

from tests.scaffold.agents import lay

LANGCHAIN = """\
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.tools import StructuredTool, tool

@tool
def pay(name: str) -> str:
    return name

@tool("look-up", return_direct=True)
def look_up(name: str) -> str:
    return name

def plain(name): ...
def wrapped(name): ...
def aside(name): ...
def by_word(name): ...
async def by_word_later(name): ...

class Hide(AgentMiddleware):
    def wrap_model_call(self, request, handler):
        return handler(request)
    def wrap_tool_call(self, request, handler):
        return handler(request)
    def helper(self): ...

agent = create_agent("model", tools=[pay, plain, StructuredTool.from_function(wrapped)])
other = StructuredTool.from_function(name="x", func=by_word, coroutine=by_word_later)
"""
DEEPAGENTS = """\
from deepagents import create_deep_agent

def search(query): ...

agent = create_deep_agent(tools=[search], skills=["/skills/"])
"""
FASTMCP = """\
from fastmcp import FastMCP
from fastmcp.server.middleware import Middleware

mcp = FastMCP("shop")

@mcp.tool
def buy(item): ...

@mcp.tool(tags={"admin"})
def refund(order): ...

@mcp.resource("skill://notes")
def notes(): ...

class Gate(Middleware):
    async def on_list_tools(self, context, call_next): ...
    async def on_call_tool(self, context, call_next): ...

def added(x): ...
mcp.add_tool(added)
other = dict()
@other.tool
def aside(): ...
"""
MCP = """\
from mcp.server.lowlevel import Server

server = Server("shop")

@server.list_tools()
async def listing(): ...

@server.call_tool()
async def calling(name, arguments): ...

def build():
    async def on_list(context, params): ...
    async def on_call(context, params): ...
    return Server("other", on_list_tools=on_list, on_call_tool=on_call)
"""
AGENTSCOPE = """\
from agentscope.tool import FunctionTool, Toolkit, ToolGroup

def pay(x): ...
def ask(x): ...
def old(x): ...

kit = Toolkit(tools=[FunctionTool(pay)], tool_groups=[ToolGroup("admin", "admin tools", tools=[ask])])
kit.register_tool_function(old, group_name="basic")

class Own(Toolkit):
    async def get_tool_schemas(self, groups=None): ...
    async def call_tool(self, call): ...
"""
PYDANTIC_AI = """\
from pydantic_ai import Agent, RunContext, Tool
from pydantic_ai.toolsets import WrapperToolset

async def only_open(ctx, tools): ...
def direct(x): ...

agent = Agent("model", tools=[direct, Tool(direct)], prepare_tools=only_open)

@agent.tool
async def pay(ctx: RunContext[int], name: str): ...

@agent.tool_plain
def add(a: int): ...

class Filtered(WrapperToolset):
    async def get_tools(self, ctx): ...
    async def call_tool(self, name, args, ctx, tool): ...
"""
OPENAI = """\
from agents import Agent, function_tool

def is_open(context, agent): ...

@function_tool(is_enabled=is_open)
def pay(name: str): ...

@function_tool
def add(a: int): ...

agent = Agent(name="a", tools=[pay, add])
"""
ADK = """\
from google.adk.agents import LlmAgent
from google.adk.tools import FunctionTool
from google.adk.tools.base_toolset import BaseToolset

def pay(name): ...
def later(name): ...
def gate(tool, args, tool_context): ...

class Set(BaseToolset):
    async def get_tools(self, readonly_context=None): ...

root = LlmAgent(name="a", tools=[pay, FunctionTool(later)], before_tool_callback=gate)
"""
EXPECTED = {
    "langchain": (
        LANGCHAIN,
        {
            ("pay", "tool"), ("look_up", "tool"), ("plain", "tool"), ("wrapped", "tool"),
            ("by_word", "tool"), ("by_word_later", "tool"),
            ("Hide.wrap_model_call", "browse"), ("Hide.wrap_tool_call", "named"),
        },
    ),
    "deepagents": (DEEPAGENTS, {("search", "tool")}),
    "fastmcp": (
        FASTMCP,
        {
            ("buy", "tool"), ("refund", "tool"), ("notes", "tool"), ("added", "tool"),
            ("Gate.on_list_tools", "browse"), ("Gate.on_call_tool", "named"),
        },
    ),
    "mcp": (
        MCP,
        {
            ("listing", "browse"), ("calling", "named"),
            ("build.<locals>.on_list", "browse"), ("build.<locals>.on_call", "named"),
        },
    ),
    "agentscope": (
        AGENTSCOPE,
        {("pay", "tool"), ("ask", "tool"), ("old", "tool"), ("Own.get_tool_schemas", "browse"), ("Own.call_tool", "named")},
    ),
    "pydantic-ai": (
        PYDANTIC_AI,
        {
            ("direct", "tool"), ("pay", "tool"), ("add", "tool"), ("only_open", "gate"),
            ("Filtered.get_tools", "browse"), ("Filtered.call_tool", "named"),
        },
    ),
    "openai-agents": (OPENAI, {("pay", "tool"), ("add", "tool"), ("is_open", "gate")}),
    "google-adk": (ADK, {("pay", "tool"), ("later", "tool"), ("gate", "gate"), ("Set.get_tools", "browse")}),
}  # fmt: skip


def survey(root: Path, text: str, **others: str) -> Survey:
    lay(root, {"app/__init__.py": "", "app/main.py": text, **{f"app/{name}.py": more for name, more in others.items()}})
    return Survey(root, ("app",))


@pytest.mark.parametrize(("text", "expected"), EXPECTED.values(), ids=EXPECTED)
def test_what_a_framework_is_handed_is_found_and_nothing_else(
    tmp_path: Path, text: str, expected: set[tuple[str, str]]
) -> None:
    found = {(one.ref.removeprefix("app.main:"), one.role) for one in handed(survey(tmp_path, text))}
    assert found == expected


@pytest.mark.parametrize(("text", "expected"), EXPECTED.values(), ids=EXPECTED)
def test_the_same_shapes_of_ones_own_are_not_a_frameworks(
    tmp_path: Path, text: str, expected: set[tuple[str, str]]
) -> None:
    """Each import is of a package of the code itself: the names are the same, and no framework is told anything."""
    for package in (
        "langchain_core",
        "langchain",
        "deepagents",
        "fastmcp",
        "mcp",
        "agentscope",
        "pydantic_ai",
        "agents",
    ):
        text = text.replace(f"from {package}", f"from app.{package}")
    assert expected
    assert handed(survey(tmp_path, text.replace("from google.adk", "from app.adk"))) == []


def test_a_package_of_the_code_that_is_called_like_a_framework(tmp_path: Path) -> None:
    lay(tmp_path, {"agents/__init__.py": "def function_tool(f): return f\n", "agents/main.py": OPENAI})
    assert handed(Survey(tmp_path, ("agents",))) == []


def test_an_object_of_another_module_registers_too(tmp_path: Path) -> None:
    made = survey(tmp_path, FASTMCP, more="from app.main import mcp\n\n@mcp.tool\ndef elsewhere(): ...\n")
    assert ("app.more:elsewhere", "tool") in {(one.ref, one.role) for one in handed(made)}


def test_a_decorator_that_is_a_function_names_a_capability(tmp_path: Path) -> None:
    decorators = {one.decorator for one in handed(survey(tmp_path, LANGCHAIN)) if one.decorator}
    assert decorators == {"langchain_core.tools:tool"}


def test_what_is_known_of_a_frameworks_dispatch_is_told_to_its_users_alone(tmp_path: Path) -> None:
    (said,) = remarks(survey(tmp_path / "one", LANGCHAIN))
    assert "still runs by its exact name" in said
    assert remarks(survey(tmp_path / "other", "import json\n")) == []


def test_every_framework_has_a_sample() -> None:
    assert len(FRAMEWORKS) == len(EXPECTED) - 1, "langchain and deepagents are one row of the table"
