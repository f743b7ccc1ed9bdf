"""Arguments are checked before anything downstream hears of a call, and identity is never one of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from entrypoints.agent import open_agent
from entrypoints.core_tools import BASE, BROWSING
from entrypoints.direct_call import call_tool
from skills.context import ExecutionContext, Identity
from skills.loader import SkillLoader
from skills.model import Arguments, Tool
from skills.results import Code, ToolResult, done
from skills.store import Store
from skills.validation import argument_problem, schema_problem
from tests.agent.world import RAN, SHOP, TRUSTED, WAREHOUSE, leaves_trace

TOOLS = [*BASE, *BROWSING, *SHOP, *WAREHOUSE, *(tool for skill in SkillLoader().all() for tool in skill.tools)]
NUMBER = {
    "type": "object",
    "properties": {"number": {"type": "string", "pattern": "^[A-Za-z0-9-]{6,32}$"}},
    "required": ["number"],
    "additionalProperties": False,
}


@pytest.fixture
def context(tmp_path: Path) -> ExecutionContext:
    return ExecutionContext(Store(tmp_path / "effects.db"), "session", key="key")


def a_tool(needs_identity: bool = False, writes: bool = False) -> Tool:
    return Tool("probe", "", NUMBER, leaves_trace("probe"), writes=writes, needs_identity=needs_identity)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "'number' is a required property"),
        ({"number": "88"}, "number: '88' does not match"),
        ({"number": 100234}, "number: 100234 is not of type 'string'"),
        ({"number": "A-100234", "user": "bob"}, "'user' was unexpected"),
    ],
)
def test_bad_arguments_are_told_and_nothing_runs(
    context: ExecutionContext, arguments: dict[str, object], words: str
) -> None:
    for tool in (a_tool(), a_tool(writes=True)):
        result = tool.invoke(context, arguments)
        assert (result.success, result.code) == (False, Code.BAD_ARGUMENT)
        assert words in result.message
    assert context.store.rows(RAN) == []


def test_good_arguments_pass(context: ExecutionContext) -> None:
    assert a_tool().invoke(context, {"number": "A-100234"}).success
    assert argument_problem(NUMBER, {"number": "A-100234"}) is None
    assert context.store.rows(RAN) == ["probe"]


def test_a_tool_that_needs_to_know_the_user_asks_the_context(context: ExecutionContext) -> None:
    result = a_tool(needs_identity=True).invoke(context, {"number": "A-100234"})
    assert result.code is Code.NO_IDENTITY
    assert context.store.rows(RAN) == []
    known = ExecutionContext(context.store, "session", Identity(user="ann"))
    assert a_tool(needs_identity=True).invoke(known, {"number": "A-100234"}).success


def test_an_own_tool_shows_only_what_belongs_to_the_user(tmp_path: Path) -> None:
    order_find = next(tool for tool in TOOLS if tool.name == "order_find")
    store = Store(tmp_path / "effects.db")
    store.add("orders", {"user": "ann", "number": "A-100234"})
    found = order_find.invoke(ExecutionContext(store, "s", Identity("ann")), {"number": "A-100234"})
    assert found.data == {"user": "ann", "number": "A-100234"}
    assert order_find.invoke(ExecutionContext(store, "s", Identity("bob")), {"number": "A-100234"}).data is None


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_no_tool_takes_identity_as_an_argument(tool: Tool) -> None:
    assert schema_problem(tool.parameters) is None
    properties = tool.parameters["properties"]
    assert isinstance(properties, dict)
    assert not {"user", "user_id", "tenant", "tenant_id", "session", "dry_run"} & set(properties)


def test_a_schema_that_is_none_is_found() -> None:
    assert schema_problem({"type": "objekt"}) is not None
    assert schema_problem({"type": "string"}) == "the root must be of the type object"


def test_a_tool_learns_from_the_context_for_whom_it_runs(tmp_path: Path) -> None:
    """Session, user, tenant and permissions: all that a call stands for without any argument saying so."""
    told: list[tuple[str, Identity]] = []

    def listen(context: ExecutionContext, _arguments: Arguments) -> ToolResult:
        told.append((context.session, context.identity))
        return done("heard")

    who = Identity("ann", "acme", frozenset({"orders"}))
    agent = open_agent(tmp_path, SkillLoader(enabled=[]))
    agent.registry.register(Tool("listen", "", {"type": "object"}, listen, writes=False, needs_identity=True))
    turn = agent.turn(agent.history.thread("x"), TRUSTED, identity=who)
    assert call_tool(turn, "listen", {"user": "bob", "tenant": "other"}, "key").result.success
    assert told == [("x", who)]
