"""The doors that the ledger lists beside the surfaces."""

from __future__ import annotations

from pytest_invariants.hook.ledger import accepted, text
from pytest_invariants.hook.standing import Entry, Standing
from pytest_invariants.verdict import Place

from tests.hook.test_changes_in_words import OPEN, PROVED, UNSURE, of

AT = Place("agent/doors.py", 3)


def door(name: str, covered_by: str | None) -> Entry:
    return Entry(f"agent.doors:{name}", AT, (), covered_by, asks=True)


def written(*doors: Entry) -> str:
    return text(Standing(surfaces=(PROVED,), doors=doors))


def test_a_door_that_is_a_surface_is_not_listed_twice() -> None:
    assert "doors that are no surfaces" not in written(door("index", "surface index"))


def test_every_other_door_is_listed_with_what_covers_it() -> None:
    shown = written(door("index", "surface index"), door("dump", "exempt: a console"), door("peek", None))
    assert shown.endswith(
        "\n\ndoors that are no surfaces:\n  agent.doors:dump: exempt: a console\n  agent.doors:peek: covered by nothing\n"
    )


def test_only_what_is_undecided_is_accepted_by_a_ledger() -> None:
    assert accepted(text(of(UNSURE))) == {("index", "proxy")}
    assert accepted(text(of(OPEN))) == accepted(text(of(PROVED))) == frozenset()
