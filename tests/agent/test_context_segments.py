"""A segment is keyed by the fingerprint of the table; a provider that refused is skipped for that segment only."""

from __future__ import annotations

import pytest

from entrypoints.agent import Agent
from entrypoints.model import ContentRefused, Reply, ScriptedModel
from entrypoints.segments import Quarantine, Segment
from entrypoints.session import Session
from entrypoints.table import fingerprint
from entrypoints.turn import Provider, Thread
from skills.model import Schema

ONE, TWO = Schema("one", "First.", {}), Schema("two", "Second.", {})


def test_the_fingerprint_covers_names_order_descriptions_and_parameters() -> None:
    tables = [
        (ONE, TWO),
        (TWO, ONE),
        (ONE,),
        (Schema("one", "Other.", {}), TWO),
        (Schema("one", "First.", {"type": "object"}), TWO),
        (),
    ]
    assert len({fingerprint(table) for table in tables}) == len(tables)
    assert fingerprint((ONE, TWO)) == fingerprint([Schema("one", "First.", {}), TWO])


def test_another_table_or_thread_is_another_segment() -> None:
    thread = Thread("a")
    assert Segment.of(thread, [ONE]) == Segment.of(thread, [ONE])
    assert Segment.of(thread, [ONE]) != Segment.of(thread, [TWO])
    assert Segment.of(thread, [ONE]) != Segment.of(Thread("b"), [ONE])


def test_a_refusal_counts_for_one_provider_in_one_segment() -> None:
    quarantine, here = Quarantine(), Segment("a", "table")
    quarantine.add(here, "first")
    assert quarantine.holds(here, "first")
    assert not quarantine.holds(here, "second")
    assert not quarantine.holds(Segment("a", "other table"), "first")


def test_a_provider_is_skipped_after_its_refusal(agent: Agent) -> None:
    first = ScriptedModel(Provider("first"), [ContentRefused])
    second = ScriptedModel(Provider("second"), [Reply("yes")] * 2)
    session = Session(agent, "x", [first, second])
    assert [session.ask("a"), session.ask("b")] == ["yes", "yes"]
    assert (len(first.requests), len(second.requests)) == (1, 2)


def test_when_all_have_refused_the_session_says_so(agent: Agent) -> None:
    with pytest.raises(RuntimeError, match="every provider has refused"):
        Session(agent, "x", [ScriptedModel(Provider("only"), [ContentRefused])]).ask("a")
