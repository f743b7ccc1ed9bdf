"""Whatever a server answers, the report is a report: no answer makes the harness itself fail."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from pytest_invariants.commands.server import Choice, UsageError, judged, look
from pytest_invariants.hosts.mcp.kinds import KINDS
from pytest_invariants.hosts.mcp.seen import Listing, Reply, Seen
from pytest_invariants.report import FORMATS, render
from pytest_invariants.report.model import Status
from pytest_invariants.verdict import RUN

from tests.hosts.small_server import Server
from tests.hosts.test_mcp_http import running

JUNK: tuple[Any, ...] = (
    None,
    True,
    0,
    -1.5,
    "",
    "x" * 300,
    "\x1b[31m\u202e",
    [],
    [None],
    {},
    {"$ref": "#/a"},
    {"type": 1},
)
METHODS = (
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
)


@pytest.fixture(scope="module")
def honest() -> Seen:
    """What is seen of the honest server."""
    with running(Server(), {}) as address:
        return look(Choice(address, calls=("open_drawer={}",), patience=20))


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every part of a JSON value, the value itself left out."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield (*path, key)
        yield from places(part, (*path, key))


def spoiled(value: Any, draw: random.Random) -> Any:
    """A copy with junk in one place, or with one key less."""
    made = copy.deepcopy(value)
    ways = list(places(made))
    if not ways:
        return made
    *above, last = draw.choice(ways)
    inner = made
    for key in above:
        inner = inner[key]
    if draw.random() < 0.2:
        del inner[last]
    else:
        inner[last] = copy.deepcopy(draw.choice(JUNK))
    return made


def spoiled_reply(reply: Reply, draw: random.Random) -> Reply:
    return reply if reply.result is None else replace(reply, result=spoiled(reply.result, draw))


def spoiled_listing(listing: Listing, draw: random.Random) -> Listing:
    """As reading a list leaves it: things without a name are not in it."""
    items = [item for item in spoiled(list(listing.items), draw) if isinstance(item, Mapping)]
    named = tuple(item for item in items if isinstance(item.get(listing.kind.id), str))
    return replace(listing, items=named, replies=tuple(spoiled_reply(one, draw) for one in listing.replies))


def spoiled_seen(seen: Seen, draw: random.Random) -> Seen:
    """Only what connecting has made sure of stays: a revision was named."""
    visits = tuple(
        replace(visit, first={name: spoiled_listing(one, draw) for name, one in visit.first.items()})
        for visit in seen.visits
    )
    greeting = spoiled(dict(visits[0].greeting), draw) | {"protocolVersion": "2025-11-25"}
    return replace(
        seen,
        visits=(replace(visits[0], greeting=greeting), *visits[1:]),
        trials=tuple(replace(trial, reply=spoiled_reply(trial.reply, draw)) for trial in seen.trials),
        asked={name: spoiled_reply(reply, draw) for name, reply in seen.asked.items()},
    )


def test_no_answer_is_a_fault_of_the_harness(honest: Seen) -> None:
    draw, statuses = random.Random(20261130), set()
    for _ in range(120):
        report = judged(spoiled_seen(honest, draw))
        assert [fault.traceback for fault in report.faults] == []
        statuses.add(report.status())
        for format in FORMATS:
            assert render(report, format)
    assert Status.FALLS in statuses


@pytest.mark.parametrize("method", METHODS[1:])
def test_a_method_that_is_answered_with_junk_is_no_fault_of_the_harness(method: str) -> None:
    for junk in ({}, {"tools": None, "resources": 5, "prompts": "x", "resourceTemplates": {}, "contents": [1]}):
        with running(answering(method, junk), {}) as address:
            report = judged(look(Choice(address, patience=20)))
        assert [fault.traceback for fault in report.faults] == []
        assert report.findings


def test_a_server_that_introduces_itself_with_junk_cannot_be_used() -> None:
    said = "answers `initialize` without `protocolVersion`; add it"
    with running(answering("initialize", {}), {}) as address, pytest.raises(UsageError, match=said):
        look(Choice(address, patience=20))


def answering(method: str, junk: Any) -> Server:
    server = Server()
    server.handlers[method] = lambda _: copy.deepcopy(junk)
    return server


def test_a_reply_that_is_lost_is_told_at_every_single_question(honest: Seen) -> None:
    for name in honest.asked:
        report = judged(replace(honest, asked={**honest.asked, name: Reply(lost="no answer within 1 s")}), (RUN,))
        told = [one for one in report.falling if "no answer within 1 s" in one.message]
        expected = name not in ("resources/unsubscribe",)
        assert bool(told) is expected, name


def test_every_kind_of_thing_is_named_in_words() -> None:
    assert [kind.word for kind in KINDS] == ["tool", "resource", "resource template", "prompt"]
