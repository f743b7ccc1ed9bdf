"""table-stable and table-snapshot. The agents here are opened in processes of their own, so this file is importable."""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pytest_invariants.catalogue.table import table_snapshot, table_stable
from pytest_invariants.probe.host import Facts, Host
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.registry.model import Reference
from pytest_invariants.verdict import Finding, Reason, Verdict

from tests.catalogue.small import Small, finding_of, small_registry

TOOLS = ("note_add", "note_find", "ledger_add", "ledger_find", "payroll_run", "clock", "search", "load")


class Tabled(Small):
    """Honest: registered in any order, sorted at the end."""

    facts = (Facts(category="office"), Facts())

    def open(self, facts: Facts) -> None:
        super().open(facts)
        self.registered = list(TOOLS)
        if facts.order:
            random.Random(facts.order).shuffle(self.registered)

    def table(self) -> list[dict[str, object]]:
        return [{"name": name, "description": "A tool."} for name in sorted(self.registered)]


class ByRegistration(Tabled):
    def table(self) -> list[dict[str, object]]:
        return [{"name": name} for name in self.registered]


class ByHash(Tabled):
    def table(self) -> list[dict[str, object]]:
        return [{"name": name} for name in set(self.registered)]


class ByFolder(Tabled):
    def table(self) -> list[dict[str, object]]:
        return [{"name": name} for name in os.listdir(Path(__file__).parents[1]) if "." not in name]


class ByScan(Tabled):
    def table(self) -> list[dict[str, object]]:
        return [{"name": path.name} for path in Path(__file__).parents[1].glob("*") if path.is_dir()]


class ByCall(Tabled):
    """Counts in a description how often it was asked."""

    asked = 0

    def table(self) -> list[dict[str, object]]:
        self.asked += 1
        return [{"name": "clock", "description": f"Asked {self.asked} times."}]


class Unwritable(Tabled):
    def table(self) -> Any:
        return [{"name": object()}]


class ByEnd(Tabled):
    """Loads at the same time as it opens, and keeps what comes in the order in which it comes."""

    async def open(self, facts: Facts) -> None:  # type: ignore[override]
        super().open(facts)
        self.came: list[str] = []
        await asyncio.gather(*map(self.load_one, TOOLS))

    async def load_one(self, name: str) -> str:
        self.came.append(name)
        return name

    def table(self) -> list[dict[str, object]]:
        return [{"name": name} for name in self.came]


class BySlots(ByEnd):
    """Honest: loads at the same time, and seats what comes where it was asked for."""

    async def open(self, facts: Facts) -> None:  # type: ignore[override]
        await super().open(facts)
        self.came = list(await asyncio.gather(*map(self.load_one, TOOLS)))


class ByThread(Tabled):
    """The same with threads."""

    def open(self, facts: Facts) -> None:
        super().open(facts)
        with ThreadPoolExecutor(len(TOOLS)) as pool:
            self.came = [end.result() for end in as_completed([pool.submit(str, name) for name in TOOLS])]

    def table(self) -> list[dict[str, object]]:
        return [{"name": name} for name in self.came]


class Returns(Tabled):
    """Honest: a server that comes back takes its old seats."""

    def open(self, facts: Facts) -> None:
        super().open(facts)
        self.there = True

    def drop(self) -> None:
        self.there = False

    def connect(self) -> None:
        self.there = True

    def table(self) -> list[dict[str, object]]:
        return [entry for entry in super().table() if self.there or entry["name"] != "clock"]


class Appended(Returns):
    """It is appended anew each time."""

    def connect(self) -> None:
        self.there = self.last = True

    def table(self) -> list[dict[str, object]]:
        table = super().table()
        last = hasattr(self, "last") and self.there
        return sorted(table, key=lambda entry: last and entry["name"] == "clock")


class StaysAway(Returns):
    def connect(self) -> None:
        return None


class ComesLater(Returns):
    """Honest: the server is not there yet when the agent opens."""

    def open(self, facts: Facts) -> None:
        super().open(facts)
        self.there = False


class Rereads(Tabled):
    def reload(self) -> None:
        self.registered.reverse()

    def table(self) -> list[dict[str, object]]:
        return super().table()[:: -1 if self.registered[0] == "load" else 1]


@pytest.mark.parametrize(
    ("host", "verdict", "reason"),
    [
        (Tabled, Verdict.HELD, None),
        (BySlots, Verdict.HELD, None),
        (Returns, Verdict.HELD, None),
        (ComesLater, Verdict.HELD, None),
        (ByEnd, Verdict.REFUTED, Reason.DISAGREES),
        (ByThread, Verdict.REFUTED, Reason.DISAGREES),
        (Appended, Verdict.REFUTED, Reason.DISAGREES),
        (StaysAway, Verdict.REFUTED, Reason.DISAGREES),
        (Rereads, Verdict.REFUTED, Reason.DISAGREES),
        (ByRegistration, Verdict.REFUTED, Reason.DISAGREES),
        (ByHash, Verdict.REFUTED, Reason.DISAGREES),
        (ByFolder, Verdict.REFUTED, Reason.DISAGREES),
        (ByScan, Verdict.REFUTED, Reason.DISAGREES),
        (ByCall, Verdict.REFUTED, Reason.DISAGREES),
        (Unwritable, Verdict.REFUTED, Reason.HARNESS),
        (Small, Verdict.UNEXAMINED, None),
    ],
)
def test_a_table_is_stable(host: type[Host], verdict: Verdict, reason: Reason | None) -> None:
    finding = finding_of(table_stable.INVARIANT, host)
    assert (finding.verdict, finding.reason) == (verdict, reason), finding


def test_what_a_server_left_behind_is_named() -> None:
    message = judged_stable(Appended)
    assert "after the tool server drops out and the tool server connects: `clock` stood at place 1" in message
    assert "`clock` is gone" in judged_stable(StaysAway)
    assert "loads in another order" in judged_stable(ByEnd)


def judged_stable(host: type[Host]) -> str:
    return finding_of(table_stable.INVARIANT, host).message


def test_the_difference_is_shown() -> None:
    finding = finding_of(table_stable.INVARIANT, ByRegistration)
    assert "folders, registration and loads in another order" in finding.message
    assert any(step.note.startswith("+") and "name" in step.note for step in finding.trace)


EXTRA = {"limits": [3, 1, 2]}


def of_turn(turn: object) -> object:
    return turn


class Extra(Tabled):
    def extra(self) -> list[int]:
        return [3, 1, 2]

    def resident(self) -> set[str]:
        return {"clock", "load"}


Run = Callable[..., Finding]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Plays the snapshot of an agent whose registry lies in a temporary folder."""

    def play(host: type[Host], *, update: bool = False, **more: object) -> Finding:
        rows = replace(small_registry(host, **more), path=tmp_path / "registry.yaml")
        assert table_snapshot.INVARIANT.play is not None
        return table_snapshot.INVARIANT.play(ProbeSession(rows, update_snapshots=update), None)

    return play


def test_a_snapshot_is_written_only_when_it_is_asked_for(run: Run, tmp_path: Path) -> None:
    first = run(Tabled)
    assert (first.verdict, first.reason) == (Verdict.REFUTED, Reason.CHANGED)
    assert "no snapshot has been taken yet" in first.message
    assert not (tmp_path / "snapshots").exists()
    assert run(Tabled, update=True).verdict is Verdict.HELD
    assert run(Tabled).verdict is Verdict.HELD


def test_the_files_are_readable_and_keep_their_order(run: Run, tmp_path: Path) -> None:
    run(Extra, update=True, snapshots={"extra": Reference("nowhere", "extra"), "more": Reference(__name__, "EXTRA")})
    names = sorted(path.name for path in (tmp_path / "snapshots").iterdir())
    ways = ("category-office", "category-office-no-loader", "no-category", "no-category-no-loader")
    wanted = [f"{kind}-with-{way}.json" for kind in ("extra", "resident", "table") for way in ways]
    assert names == sorted([*wanted, "more.json"])
    table = json.loads((tmp_path / "snapshots" / "table-with-no-category.json").read_text())
    assert [entry["name"] for entry in table] == sorted(TOOLS)
    assert list(table[0]) == ["name", "description"]


class Reworded(Tabled):
    def table(self) -> list[dict[str, object]]:
        return [{**entry, "description": "A good tool."} for entry in super().table()]


class Reordered(Tabled):
    def table(self) -> list[dict[str, object]]:
        return [{"description": entry["description"], "name": entry["name"]} for entry in super().table()]


@pytest.mark.parametrize("other", [Reworded, Reordered])
def test_every_byte_counts(run: Run, other: type[Host]) -> None:
    run(Tabled, update=True)
    finding = run(other)
    assert (finding.verdict, finding.reason) == (Verdict.REFUTED, Reason.CHANGED)
    assert "--snapshot-update" in finding.remedy
    assert not any("\x1b" in step.note for step in finding.trace)


def test_a_snapshot_that_is_missing_is_named(run: Run) -> None:
    run(Tabled, update=True)
    finding = run(Extra)
    notes = [step.note for step in finding.trace]
    assert notes[notes.index("snapshots/resident-with-no-category.json") + 1] == "there is no snapshot yet"


def test_a_snapshot_that_is_left_over_is_named_and_removed(run: Run, tmp_path: Path) -> None:
    run(Extra, update=True)
    finding = run(Tabled)
    assert "snapshots/resident-with-no-category.json" in [step.note for step in finding.trace]
    run(Tabled, update=True)
    assert not list((tmp_path / "snapshots").glob("resident*"))


def test_what_cannot_be_called_is_not_examined(run: Run) -> None:
    finding = run(Small, snapshots={"turn": Reference(__name__, "of_turn")})
    assert finding.verdict is Verdict.UNEXAMINED
    assert "wants arguments" in finding.message
    assert run(Small).verdict is Verdict.UNEXAMINED
