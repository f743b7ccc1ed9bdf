"""What the judges of a server say of single answers that no small server gives."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pytest_invariants.catalogue.server import (
    answers_well_formed,
    capabilities_answer,
    pages_whole,
    protocol_kept,
    schemas_valid,
)
from pytest_invariants.hosts.mcp.kinds import METHODS, TEMPLATES, TOOLS, kind_of
from pytest_invariants.hosts.mcp.seen import METHOD_NOT_FOUND, ODD_METHOD, Listing, Reply, Seen, Visit
from pytest_invariants.probe.answers import Fallen, Lacking
from pytest_invariants.verdict import RUN

GREETING = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"resources": {}},
    "serverInfo": {"name": "small", "version": "1"},
}


def seen(**changes: Any) -> Seen:
    """A server with resources, and no list of templates."""
    none = Listing(TEMPLATES, replies=(Reply(code=METHOD_NOT_FOUND, message="no"),), fault="refused")
    lists = {"resources/list": Listing(kind_of("resources/list"), replies=(Reply(result={"resources": []}),))}
    lists |= {TEMPLATES.lists: none}
    asked = {
        "ping": Reply(result={}),
        ODD_METHOD: Reply(code=METHOD_NOT_FOUND),
        "version": Reply(result=GREETING),
        "logging/setLevel": Reply(code=METHOD_NOT_FOUND),
        "completion/complete": Reply(code=METHOD_NOT_FOUND),
    }
    made = Seen("small", True, (Visit("the first process", GREETING, lists, lists),), asked=asked)
    return replace(made, revisions=("2025-06-18", "2025-11-25"), **changes)


def test_a_server_need_not_have_templates() -> None:
    assert capabilities_answer.judge(seen(), RUN) == "declared and answered: resources"
    with pytest.raises(Lacking, match="no list of templates, which it need not"):
        pages_whole.judge(seen(), TEMPLATES.lists)


def test_what_is_not_declared_is_refused_and_not_left_without_an_answer() -> None:
    lost = seen(asked={**seen().asked, "prompts/list": Reply(lost="no answer within 1 s")})
    with pytest.raises(Fallen, match="`prompts/list`, which belongs to no declared capability, gets no answer"):
        capabilities_answer.judge(lost, RUN)
    empty = seen(asked={**seen().asked, "prompts/list": Reply(result={"prompts": []})})
    assert capabilities_answer.judge(empty, RUN)


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        (Reply(lost="no answer within 1 s"), "a client that offers the revision 1999-12-31 gets no answer within 1 s"),
        (Reply(result={}), "answered with the revision None to a client that offers 1999-12-31"),
    ],
)
def test_a_revision_that_never_was_is_answered(odd: Reply, said: str) -> None:
    with pytest.raises(Fallen, match=said):
        protocol_kept.judge(seen(asked={**seen().asked, "version": odd}), RUN)


def test_a_revision_that_never_was_may_be_refused() -> None:
    assert protocol_kept.judge(seen(asked={**seen().asked, "version": Reply(code=-32602, message="no")}), RUN)


def test_a_revision_that_nobody_has_written_down_has_no_form() -> None:
    later = {**GREETING, "protocolVersion": "2099-01-01"}
    visit = replace(seen().visits[0], greeting=later)
    with pytest.raises(Lacking, match="the revision 2099-01-01 has no form for `resources/list`"):
        answers_well_formed.judge(seen(visits=(visit,)), "resources/list")


def test_every_method_belongs_to_a_kind_and_no_other_does() -> None:
    assert {kind_of(method).capability for method in METHODS} == {"tools", "resources", "prompts"}
    with pytest.raises(KeyError):
        kind_of("tools/cancel")


REFERENCES = [
    ("#/$defs/Name", True),
    ("#/$defs/Gone", False),
    ("#", True),
    ("#/$defs/a~1b", True),
    ("#/anyOf/0", True),
    ("#/anyOf/7", False),
    ("#name", True),
    ("#other", False),
    ("https://example.org/schema", True),
    ("https://example.org/other", False),
]


@pytest.mark.parametrize(("reference", "leads"), REFERENCES)
def test_a_reference_is_followed_within_the_schema(reference: str, leads: bool) -> None:
    schema = {
        "$id": "https://example.org/schema",
        "type": "object",
        "anyOf": [{}],
        "$defs": {"Name": {"type": "string", "$anchor": "name"}, "a/b": {}},
        "properties": {"one": {"$ref": reference}},
    }
    found = list(schemas_valid.problems({"name": "t", "inputSchema": schema}))
    assert found == ([] if leads else [f"`t`, inputSchema: `$ref` {reference!r} leads nowhere in it"])


def test_a_schema_that_is_none_is_told() -> None:
    assert list(schemas_valid.problems({"name": "t", "inputSchema": True})) == [
        "`t`, inputSchema: it is True, which is no schema of an object"
    ]


def test_several_mistakes_are_counted_and_listed() -> None:
    tools = tuple({"name": name} for name in ("one", "two"))
    visit = Visit("the first process", GREETING, {TOOLS.lists: Listing(TOOLS, tools)}, {})
    with pytest.raises(Fallen, match=r"`one` has no `inputSchema` \(and 1 more\)") as told:
        schemas_valid.judge(seen(visits=(visit,)), TOOLS.lists)
    assert told.value.script == ("`one` has no `inputSchema`", "`two` has no `inputSchema`")
