"""A tool belongs to one skill, and the seal is asked about that skill with all of its tools."""

from __future__ import annotations

from dataclasses import replace

from skills.groups import CORE, UNKNOWN, SkillIndex, index_of
from skills.model import Skill
from tests.agent.world import WAREHOUSE, plain_tool

OWN = plain_tool("ledger_post")
LEDGER = Skill("ledger", "Books.", "", categories=("finance",), mcp=("books",), tools=(OWN,))
CLAIMED = plain_tool("post_entry", namespace="books")
FREE = plain_tool("query_order", namespace="shop")
INDEX = index_of([LEDGER], [plain_tool("load_skill"), OWN, CLAIMED, FREE])


def group_name(index: SkillIndex, tool: str) -> str | None:
    group = index.group_of(tool)
    return group.name if group is not None else None


def test_a_skill_owns_its_own_tools_and_those_of_the_namespaces_it_claims() -> None:
    assert group_name(INDEX, "ledger_post") == group_name(INDEX, "post_entry") == "ledger"


def test_the_rest_belongs_to_the_core() -> None:
    assert group_name(INDEX, "load_skill") == group_name(INDEX, "query_order") == CORE.name


def test_no_tool_no_group() -> None:
    assert INDEX.group_of("ledger_pots") is None


def test_the_group_holds_the_whole_catalogue() -> None:
    skill = Skill("warehouse", "Bins.", "", mcp=("warehouse",))
    group = index_of([skill], WAREHOUSE).find("warehouse")
    assert group is not None
    assert len(group.tools) == 48


def test_every_tool_is_in_exactly_one_group() -> None:
    names = [tool.name for group in INDEX.groups for tool in group.tools]
    assert sorted(names) == sorted(["load_skill", "ledger_post", "post_entry", "query_order"])


def test_a_tool_registered_under_the_name_of_an_own_tool_is_the_skills() -> None:
    assert group_name(index_of([LEDGER], [plain_tool("ledger_post")]), "ledger_post") == "ledger"


def test_a_tool_whose_skill_is_gone_is_sealed_with_the_unknown() -> None:
    orphan = replace(OWN, owner="ledger")
    assert group_name(index_of([], [orphan]), "ledger_post") == UNKNOWN.name
    assert group_name(index_of(None, [orphan]), "ledger_post") == UNKNOWN.name


def test_without_facts_no_namespace_counts_as_free() -> None:
    assert group_name(index_of(None, [FREE]), "query_order") == UNKNOWN.name
    assert group_name(index_of(None, [plain_tool("load_skill")]), "load_skill") == CORE.name
