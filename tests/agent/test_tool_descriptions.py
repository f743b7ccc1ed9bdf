"""A description says what a tool does, whether it writes, and what it is not for; no two read alike."""

from __future__ import annotations

from dataclasses import replace

from entrypoints.core_tools import BASE, BROWSING
from skills.descriptions import description_problems, overlap
from skills.loader import SkillLoader
from tests.agent.world import SHOP, WAREHOUSE, plain_tool

GOOD = replace(plain_tool("good"), description="Shows an order. Read-only. Not for refunds.")


def test_the_agents_own_tools_have_no_defect() -> None:
    own = [tool for skill in SkillLoader().all() for tool in skill.tools]
    assert description_problems([*BASE, *BROWSING, *own, *SHOP, *WAREHOUSE]) == []


def test_it_must_say_whether_it_writes() -> None:
    assert description_problems([replace(GOOD, writes=True)]) == ["good: say 'Writes.' in the description"]
    assert description_problems([GOOD]) == []


def test_it_must_say_what_it_is_not_for() -> None:
    vague = replace(GOOD, description="Shows an order. Read-only.")
    assert description_problems([vague]) == ["good: say what it is not for"]


def test_two_that_share_most_of_their_words_are_a_defect() -> None:
    twin = replace(GOOD, name="twin", description="Shows the order. Read-only. Not for any refunds.")
    assert overlap(GOOD, twin) > 0.5
    assert description_problems([GOOD, twin]) == ["good and twin: their descriptions share most words"]
    other = replace(GOOD, name="other", description="Finds a contact of the sales desk. Read-only. Not for orders.")
    assert description_problems([GOOD, other]) == []
