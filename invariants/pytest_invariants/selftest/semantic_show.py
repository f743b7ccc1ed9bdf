"""The table of declared mutants, for people in a terminal or in Markdown, and for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pytest_invariants.catalogue import CATALOGUE
from pytest_invariants.report.terminal import BOLD, GREEN, RED, YELLOW, Cell, Paint, columns, paragraph, printable
from pytest_invariants.selftest.model import Status
from pytest_invariants.selftest.semantic import Fate, SemanticTable, Tried

VERSION = 1
COLOURS = {Fate.KILLED: GREEN, Fate.UNSHOWN: YELLOW, Fate.SURVIVED: RED, Fate.UNFIT: YELLOW}
ENDINGS = {
    Status.KILLED: ("KILLED: each mutant was noticed by the invariant that is meant for it", GREEN),
    Status.SURVIVED: ("SURVIVED: not every mutant was noticed", RED),
    Status.NOTHING: ("NOT TRIED: there was no mutant, and that is no pass", YELLOW),
}
COMMAND = "invariants selftest {registry}--mutants {file} --jobs 2 --format markdown --output {output}"


def text(table: SemanticTable, *, colour: bool = False, width: int = 100) -> str:
    return "\n".join(_text(table, Paint(colour), width)) + "\n"


def _text(table: SemanticTable, paint: Paint, width: int) -> Iterator[str]:
    rows = [[Cell("mutant", BOLD), Cell("invariant", BOLD), Cell("fate", BOLD)]]
    rows += [
        [Cell(one.mutant.id), Cell(one.mutant.invariant), Cell(word(one), COLOURS[one.fate])] for one in table.tried
    ]
    yield from columns(rows, paint)
    for one in table.tried:
        if one.fate is not Fate.KILLED:
            yield ""
            yield paint(f"{one.mutant.at}: {one.mutant.id} {one.fate}", COLOURS[one.fate])
            yield from paragraph(one.mutant.what, "    ", width)
            if one.by is not None:
                yield from paragraph(printable(f"{one.by.surface}: {one.by.message}"), "    ", width)
    word_, shade = ENDINGS[table.status()]
    yield ""
    yield tally(table)
    yield paint(word_, shade)


def word(one: Tried) -> str:
    """The fate, with the reason and the surface that it was seen at."""
    if one.by is None or one.fate is Fate.SURVIVED:
        return one.fate.value
    where = "" if one.by.surface == "*" else f" at {one.by.surface}"
    return f"{one.fate} ({one.by.reason or one.by.verdict}{where})"


def tally(table: SemanticTable) -> str:
    found = {fate: table.count(fate) for fate in Fate}
    parts = [f"{number} {fate}" for fate, number in found.items() if number]
    return f"{len(table.tried)} mutants: {', '.join(parts) or 'none'}"


def document(table: SemanticTable) -> str:
    rows = [
        {
            "id": one.mutant.id,
            "what": one.mutant.what,
            "invariant": one.mutant.invariant,
            "files": [edit.path for edit in one.mutant.edits],
            "fate": one.fate.value,
            "surface": one.by.surface if one.by else None,
            "reason": (one.by.reason or None) if one.by else None,
            "message": one.by.message if one.by else "",
        }
        for one in table.tried
    ]
    counts = {fate.value: table.count(fate) for fate in Fate}
    whole = {"version": VERSION, "mutants": rows, "fates": counts, "status": int(table.status())}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def command(file: str, output: str, registry: str = "") -> str:
    """The command that writes a page; `registry` is the one that was named, if any."""
    return COMMAND.format(registry=f"{registry} " if registry else "", file=file, output=output)


def markdown(table: SemanticTable, file: str, output: str, registry: str = "") -> str:
    return "\n".join(_markdown(table, file, command(file, output, registry))) + "\n"


def _markdown(table: SemanticTable, file: str, written_by: str) -> Iterator[str]:
    yield f"<!-- Written by `{written_by}`. -->"
    yield "# Semantic mutants"
    yield ""
    yield "Each mutant is the agent of this repository with one fault of the kind that people make; it is declared in"
    yield f"`{file}`. It runs in a copy, where the invariant that is meant for it has to fall, and passes without it."
    yield ""
    yield f"{tally(table)}. {ENDINGS[table.status()][0]}."
    for invariant in CATALOGUE:
        tried = [one for one in table.tried if one.mutant.invariant == invariant.id]
        if tried:
            yield from _section(invariant.id, tried)


def _section(invariant: str, tried: list[Tried]) -> Iterator[str]:
    yield ""
    yield f"## {invariant}"
    yield ""
    yield "| mutant | what was done | where | fate |"
    yield "|---|---|---|---|"
    for one in tried:
        paths = dict.fromkeys(edit.path for edit in one.mutant.edits)
        cells = (f"`{one.mutant.id}`", one.mutant.what, ", ".join(f"`{path}`" for path in paths), word(one))
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
