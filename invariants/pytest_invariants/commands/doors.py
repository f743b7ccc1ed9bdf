"""`invariants doors`: every door that the code has, what it lets out, and what covers it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_invariants.cli import UsageError
from pytest_invariants.commands.common import find_registry, paint, width
from pytest_invariants.flow.judging.doors import Doors
from pytest_invariants.flow.prover import Prover
from pytest_invariants.registry.model import Manner, Reference, Registry, Surface
from pytest_invariants.registry.problems import RegistryError
from pytest_invariants.registry.reader import read
from pytest_invariants.report import doors, output
from pytest_invariants.report.model import Status, problems_of
from pytest_invariants.verdict import Finding


@dataclass(frozen=True, slots=True)
class Known:
    """What is known where there is no registry: any of these, and the rest is proposed."""

    code: tuple[str, ...] = ()
    seal: str | None = None
    capabilities: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.code or self.seal or self.capabilities)


def run(given: Path | None, known: Known, format: str) -> int:
    """Show every door. An unregistered door or a stale exemption falls, and so does finding no door at all.

    Without a registry nothing is registered yet: then what was found holds, and what was not is no pass.
    """
    registry = None if known else _registry(given)
    if registry is None:
        from pytest_invariants.commands import proposed_doors

        return proposed_doors.run(given or Path(), known, format)
    prover = Prover(registry)
    if prover.problems:
        raise RegistryError(problems_of(prover))
    show(registry, prover.doors, findings(registry, prover), format)
    if prover.doors.unregistered or prover.doors.stale:
        return int(Status.FALLS)
    return int(Status.HOLDS if prover.doors.found else Status.NOTHING_EXAMINED)


def _registry(given: Path | None) -> Registry | None:
    """The registry that is meant; None where a folder is meant that has none.

    :raises UsageError: where a file is named that is not there. :raises RegistryError: with every mistake in it.
    """
    try:
        path = find_registry(given, Path.cwd())
    except UsageError:
        return None
    return None if given is not None and given.is_dir() and not path.exists() else read(path)


def show(registry: Registry, found: Doors, proofs: dict[str, Finding], format: str) -> None:
    known = about(registry, found, proofs)
    if format == "json":
        output.show(doors.as_json(found, known))
    else:
        output.show(doors.as_text(found, registry.root, paint(), width(), known))


def about(registry: Registry, found: Doors, proofs: dict[str, Finding]) -> dict[str, doors.About]:
    """What each door is to others, how far it is proved, and the row that would cover it."""
    from pytest_invariants.hook.proposal import propose
    from pytest_invariants.hook.standing import Entry
    from pytest_invariants.scaffold.decorators import roles
    from pytest_invariants.scaffold.registrars import handed
    from pytest_invariants.scaffold.survey import Survey

    if not found.records:
        return {}
    survey = Survey(registry.root, registry.code)
    over, functions = handed(survey), survey.functions
    loose = [door for door in found.records if door.covered_by is None]
    named = {door.function: tuple(functions[door.function].parameters) for door in loose if door.function in functions}
    entries = [Entry(d.function, d.at, d.way, None, d.asks, named.get(d.function, ())) for d in loose]
    rows = propose(entries, [surface.id for surface in registry.surfaces])
    text = registry.path.read_text(encoding="utf-8") if rows and registry.path.exists() else ""
    lines = {function: tuple(row.lines(text)) for function, row in rows.items()}
    return {
        door.function: doors.About(roles(door, over), proofs.get(door.function), lines.get(door.function, ()))
        for door in found.records
    }


def findings(registry: Registry, prover: Prover) -> dict[str, Finding]:
    """How far each door is proved, by its function; one that is no surface is judged as if it were."""
    rows = {str(surface.function): surface for surface in registry.surfaces}
    proofs = {ref: prover.consulted(surface) for ref, surface in rows.items()}
    return proofs | _as_if_registered(registry, [door for door in prover.doors.found if door not in rows])


def _as_if_registered(registry: Registry, functions: Iterable[str]) -> dict[str, Finding]:
    rows = tuple(Surface(ref, Reference.parse(ref), Manner.BOTH, registry.seal.at) for ref in functions)
    if not rows:
        return {}
    prover = Prover(replace(registry, surfaces=(*registry.surfaces, *rows), exempt=()))
    return {} if prover.problems else {row.id: prover.consulted(row) for row in rows}
