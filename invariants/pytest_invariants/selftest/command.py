"""`invariants selftest`: open doors in copies of the code, and see whether the harness notices."""

from __future__ import annotations

import sys
from pathlib import Path

from pytest_invariants.commands.common import paint, read_registry, require_known, width
from pytest_invariants.report import output
from pytest_invariants.selftest import document, semantic, semantic_show, show
from pytest_invariants.selftest.edits import read_mutants
from pytest_invariants.selftest.model import KillTable
from pytest_invariants.selftest.run import Choice, selectable, selftest


def run(given: Path | None, choice: Choice, format: str, target: Path | None) -> int:
    """Try every mutant, and show the kill table on standard output or in `target`."""
    if target:
        output.check_writable(target)
    registry = read_registry(given)
    require_known(choice.select, selectable(registry))
    table = selftest(registry, choice, _progress if sys.stderr.isatty() else None)
    if target:
        output.write(target, _rendered(table, format))
    else:
        output.show(_rendered(table, format, colour=paint().on, columns=width()))
    return int(table.status())


def _rendered(table: KillTable, format: str, colour: bool = False, columns: int = 100) -> str:
    match format:
        case "json":
            return document.render(table)
        case "markdown":
            return show.markdown(table)
        case _:
            return show.text(table, colour=colour, width=columns)


def _progress(number: int, total: int) -> None:
    print(f"\r{number} of {total} mutants" + ("\n" if number == total else ""), end="", file=sys.stderr, flush=True)


def run_declared(given: Path | None, file: Path, choice: Choice, format: str, target: Path | None) -> int:
    """Try the mutants that a file declares, and show what became of them on standard output or in `target`."""
    if target:
        output.check_writable(target)
    registry = read_registry(given)
    mutants = read_mutants(file, registry)
    require_known(choice.select, semantic.selectable(mutants))
    trying = semantic.chosen(mutants, choice.select)
    table = semantic.try_all(registry, trying, choice.jobs, _progress if sys.stderr.isatty() else None)
    match format:
        case "json":
            shown = semantic_show.document(table)
        case "markdown":
            named = given.as_posix() if given else ""
            shown = semantic_show.markdown(table, file.as_posix(), target.as_posix() if target else "FILE", named)
        case _:
            shown = semantic_show.text(table, colour=paint().on and not target, width=width())
    if target:
        output.write(target, shown)
    else:
        output.show(shown)
    return int(table.status())
