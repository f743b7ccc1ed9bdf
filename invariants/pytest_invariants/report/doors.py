"""Every door that was found and what covers it, for `invariants doors`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from pytest_invariants.flow.judging.doors import Door, Doors
from pytest_invariants.report.json import VERSION, Json, place, step
from pytest_invariants.report.terminal import BOLD, GREEN, RED, YELLOW, Cell, Paint, columns, paragraph, printable
from pytest_invariants.report.text import step_lines
from pytest_invariants.verdict import Finding, Verdict

NOTHING = "NOTHING"
MOST = 3
"""Capabilities that are named in a row of the table."""


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a door beside the inventory: what it is to others (`tool`, `route`), and how far it is proved."""

    roles: tuple[str, ...] = ()
    finding: Finding | None = None
    row: tuple[str, ...] = ()
    """What the registry lacks to cover it, as it would stand there."""


Known = Mapping[str, About]
"""By the function of the door."""
NONE: Known = MappingProxyType({})


def as_json(doors: Doors, known: Known = NONE) -> str:
    """`{"version": 1, "doors": [...], "stale": [...], "unexamined": [...]}`."""
    document: Json = {
        "version": VERSION,
        "doors": [_row(door, known.get(door.function, About())) for door in doors.records],
        "stale": [*doors.stale],
        "unexamined": [*doors.unexamined],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _row(door: Door, about: About) -> Json:
    finding = about.finding
    return {
        "function": door.function,
        "at": place(door.at),
        "reaches": [*door.reaches],
        "way": [step(one) for one in door.way],
        "public": door.public,
        "decorators": [*door.decorated],
        "roles": [*about.roles],
        "covered_by": door.covered_by,
        "asks": door.asks,
        "verdict": None if finding is None else finding.verdict.value,
        "level": None if finding is None else finding.level,
        "reason": None if finding is None or finding.reason is None else finding.reason.value,
    }


def as_text(doors: Doors, root: Path, paint: Paint, width: int, known: Known = NONE) -> str:
    return "\n".join(_lines(doors, root, paint, width, known)) + "\n"


def _lines(doors: Doors, root: Path, paint: Paint, width: int, known: Known) -> Iterator[str]:
    head = [Cell(title, BOLD) for title in ("door", "at", "is", "lets out", "covered by", "asks the seal", "level")]
    if doors.records:
        rows = (_cells(door, known.get(door.function, About())) for door in doors.records)
        yield from columns([head, *rows], paint)
    yield from _ways(doors)
    for door in doors.records:
        if door.covered_by is None:
            yield from _loose(door, root, paint, width, known.get(door.function, About()))
    for title, names in (("stale exemption", doors.stale), ("not followed to its end", doors.unexamined)):
        for name in names:
            yield ""
            yield from paragraph(f"{name}: {title}", "    ", width, first="")
    yield ""
    yield _sum(doors)


def _cells(door: Door, about: About) -> list[Cell]:
    cover = Cell(NOTHING, RED) if door.covered_by is None else Cell(printable(door.covered_by), GREEN)
    said = ", ".join(("public" if door.public else "private", *about.roles))
    asks = Cell("yes") if door.asks else Cell("no", YELLOW)
    out = Cell(_lets_out(door))
    return [Cell(door.function), Cell(str(door.at)), Cell(said), out, cover, asks, _level(about.finding)]


def _lets_out(door: Door) -> str:
    """The capabilities, without the modules that have them."""
    names = [printable(ref.rpartition(":")[2]) for ref in door.reaches]
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return (", ".join(names[:MOST]) or "-") + more


def _ways(doors: Doors) -> Iterator[str]:
    """The ways out of the doors that are covered, a line each; a door that is not gets its way step by step."""
    ways = [(door, _way(door)) for door in doors.records if door.covered_by is not None and door.way]
    if ways:
        yield ""
        yield from (f"{door.function} by {way}" for door, way in ways)


def _way(door: Door) -> str:
    places = [str(step.at) for step in door.way if step.at is not None]
    return " → ".join(place for place, before in zip(places, ["", *places], strict=False) if place != before)


def _level(finding: Finding | None) -> Cell:
    if finding is None:
        return Cell("-")
    level = "-" if finding.level is None else str(finding.level)
    if finding.verdict is Verdict.PROVED:
        return Cell(level, GREEN)
    return Cell(f"{level} ({finding.verdict.value}: {finding.reason})", RED)


def _loose(door: Door, root: Path, paint: Paint, width: int, about: About) -> Iterator[str]:
    """A door that nobody answers for, with the way on which a capability leaves it, and the rows to choose from."""
    yield ""
    yield paint(f"{door.at}: {door.function} is covered by nothing", RED)
    for one in door.way:
        yield from step_lines(one, root, paint, width)
    name = door.function.rpartition(":")[2].rpartition(".")[2]
    row = about.row or (f'  {name}: {{function: "{door.function}", manner: browse or named}}',)
    yield f"    either a surface:   {row[0]}"
    yield from (f"                        {line}" for line in row[1:])
    yield f'    or exempt:            - {{function: "{door.function}", reason: "why it is no door"}}'


def _sum(doors: Doors) -> str:
    if not doors.records:
        return "no door was found: nothing that counts as a capability gets out anywhere"
    counted = f"{len(doors.registered)} registered, {len(doors.exempt)} exempt, {len(doors.unregistered)} unregistered"
    stale = f", {len(doors.stale)} stale" if doors.stale else ""
    return f"{len(doors.records)} found: {counted}{stale}"
