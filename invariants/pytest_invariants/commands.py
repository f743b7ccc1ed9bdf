"""What the commands do. Each takes what the user chose and returns the exit status."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from pytest_invariants.check import check as examine
from pytest_invariants.check import selectable
from pytest_invariants.cli import UsageError
from pytest_invariants.flow.prover import Prover
from pytest_invariants.registry.model import Registry
from pytest_invariants.registry.problems import RegistryError
from pytest_invariants.registry.reader import read
from pytest_invariants.registry.suggest import closest
from pytest_invariants.report import doors as inventory
from pytest_invariants.report import output, pages, render
from pytest_invariants.report.model import Report, Status
from pytest_invariants.report.terminal import Paint, wants_colour, width_of
from pytest_invariants.report.text import proof_lines

REGISTRY = Path("entrypoints", "registry.yaml")


@dataclass(frozen=True, slots=True)
class Choice:
    """What to examine, and whether to show the tracebacks of faults of the harness."""

    static: bool = False
    select: tuple[str, ...] = ()
    debug: bool = False


def find_registry(given: Path | None, start: Path) -> Path:
    """The registry's file: the one that is given, that of a given repository, or the nearest one upwards of `start`.

    :raises UsageError: where none is given and none is found.
    """
    if given is not None:
        return given / REGISTRY if given.is_dir() else given
    for folder in (start, *start.parents):
        if (folder / REGISTRY).is_file():
            return folder / REGISTRY
    raise UsageError(f"there is no {REGISTRY.as_posix()} in {start} or in a folder above it; name the registry")


def check(given: Path | None, choice: Choice, format: str, target: Path | None) -> int:
    """Examine, and show the report on standard output or in `target`."""
    if target:
        output.check_writable(target)
    registry = read(find_registry(given, Path.cwd()))
    _require_known(choice.select, selectable(registry))
    with nullcontext() if choice.static else output.kept_clean():
        report = examine(registry, static=choice.static, select=choice.select)
    if target:
        output.write(target, render(report, format))
    else:
        output.show(render(report, format, colour=wants_colour(sys.stdout), width=width_of(sys.stdout)))
    _show_trouble(report, choice)
    return int(report.status())


def _show_trouble(report: Report, choice: Choice) -> None:
    """What is wrong with the registry, or with the harness, is said on standard error whatever the format."""
    for problem in report.problems:
        print(problem, file=sys.stderr)
    for fault in report.faults:
        print(f"invariants: {fault.surface}: {fault.invariant}: {fault.error}", file=sys.stderr)
        if choice.debug:
            print(fault.traceback, file=sys.stderr)
    if report.faults:
        hint = "" if choice.debug else "; run again with --debug for the traceback"
        print(f"invariants: a fault of the harness itself, please report it{hint}", file=sys.stderr)


def doors(given: Path | None, format: str) -> int:
    """Show every door. An unregistered door or a stale exemption falls, and so does finding no door at all."""
    registry = read(find_registry(given, Path.cwd()))
    prover = Prover(registry)
    if prover.problems:
        raise RegistryError(prover.problems)
    if format == "json":
        text = inventory.as_json(prover.doors)
    else:
        text = inventory.as_text(prover.doors, registry, Paint(wants_colour(sys.stdout)), width_of(sys.stdout))
    output.show(text)
    if prover.doors.unregistered or prover.doors.stale:
        return int(Status.FALLS)
    return int(Status.HOLDS if prover.doors.found else Status.NOTHING_EXAMINED)


def explain(id: str, given: Path | None) -> int:
    """Show the page of an invariant or of a reason code; failing that, all that is proved of a surface."""
    page = pages.invariant_page(id) or pages.reason_page(id)
    if page:
        output.show(page)
        return int(Status.HOLDS)
    registry = read(find_registry(given, Path.cwd()))
    _require_known([id], [*selectable(registry), *pages.reason_ids()])
    report = examine(registry, static=True, select=(id,))
    if report.problems:
        raise RegistryError(report.problems)
    paint, width = Paint(wants_colour(sys.stdout)), width_of(sys.stdout)
    proofs = proof_lines(report.of_surface(id), registry.root, paint=paint, width=width)
    output.show("\n".join((*_surface_head(registry, id), *proofs, "")))
    return int(Status.HOLDS)


def _surface_head(registry: Registry, id: str) -> Iterable[str]:
    for surface in registry.surfaces:
        if surface.id == id:
            yield f"{surface.id}: {surface.function} ({surface.manner}), {surface.at}"


def _require_known(ids: Iterable[str], known: Iterable[str]) -> None:
    """:raises UsageError: that names every stranger among `ids` at once, with the closest match."""
    candidates = sorted(set(known))
    strangers = [id for id in ids if id not in candidates]
    if strangers:
        raise UsageError("\n".join(_stranger(id, candidates) for id in strangers))


def _stranger(id: str, candidates: list[str]) -> str:
    near = closest(id, candidates)
    return f"there is no `{id}`; " + (f"did you mean `{near}`?" if near else f"there are {', '.join(candidates)}")
