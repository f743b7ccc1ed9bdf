"""Every door that was found and what covers it, for `invariants doors`."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pytest_invariants.flow.doors import Door, Doors
from pytest_invariants.registry.model import Registry
from pytest_invariants.report.json import VERSION, Json, place, step
from pytest_invariants.report.terminal import BOLD, GREEN, RED, YELLOW, Cell, Paint, columns, paragraph, printable
from pytest_invariants.report.text import step_lines

NOTHING = "NOTHING"


def as_json(doors: Doors) -> str:
    """`{"version": 1, "doors": [...], "stale": [...], "unexamined": [...]}`."""
    document: Json = {
        "version": VERSION,
        "doors": [_row(door) for door in doors.records],
        "stale": [*doors.stale],
        "unexamined": [*doors.unexamined],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _row(door: Door) -> Json:
    return {
        "function": door.function,
        "at": place(door.at),
        "covered_by": door.covered_by,
        "asks": door.asks,
        "public": door.public,
        "decorators": [*door.decorated],
        "way": [step(one) for one in door.way],
    }


def as_text(doors: Doors, registry: Registry, paint: Paint, width: int) -> str:
    return "\n".join(_lines(doors, registry, paint, width)) + "\n"


def _lines(doors: Doors, registry: Registry, paint: Paint, width: int) -> Iterator[str]:
    head = [Cell(title, BOLD) for title in ("door", "at", "covered by", "asks the seal")]
    if doors.records:
        yield from columns([head, *map(_cells, doors.records)], paint)
    for door in doors.records:
        if door.covered_by is None:
            yield from _loose(door, registry, paint, width)
    for title, names in (("stale exemption", doors.stale), ("not followed to its end", doors.unexamined)):
        for name in names:
            yield ""
            yield from paragraph(f"{name}: {title}", "    ", width, first="")
    yield ""
    yield _sum(doors)


def _cells(door: Door) -> list[Cell]:
    cover = Cell(NOTHING, RED) if door.covered_by is None else Cell(printable(door.covered_by), GREEN)
    return [Cell(door.function), Cell(str(door.at)), cover, Cell("yes") if door.asks else Cell("no", YELLOW)]


def _loose(door: Door, registry: Registry, paint: Paint, width: int) -> Iterator[str]:
    """A door that nobody answers for, with the way on which a capability leaves it, and the rows to choose from."""
    yield ""
    yield paint(f"{door.at}: {door.function} is covered by nothing", RED)
    for one in door.way:
        yield from step_lines(one, registry.root, paint, width)
    name = door.function.rpartition(":")[2].rpartition(".")[2]
    yield f'    either a surface:     {name}: {{function: "{door.function}", manner: browse or named}}'
    yield f'    or exempt:            - {{function: "{door.function}", reason: "why it is no door"}}'


def _sum(doors: Doors) -> str:
    if not doors.records:
        return "no door was found: nothing that the registry calls a capability gets out anywhere"
    counted = f"{len(doors.registered)} registered, {len(doors.exempt)} exempt, {len(doors.unregistered)} unregistered"
    stale = f", {len(doors.stale)} stale" if doors.stale else ""
    return f"{len(doors.records)} found: {counted}{stale}"
