"""Run the prover: over a registry that has been read, or over a snapshot that git holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from pytest_invariants.flow.judging.doors import Door
from pytest_invariants.flow.prover import Prover
from pytest_invariants.hook.conditions import Conditions
from pytest_invariants.hook.git import Git
from pytest_invariants.hook.snapshot import Snapshot, copied
from pytest_invariants.hook.standing import Entry, Stand, Standing
from pytest_invariants.program.program import Program
from pytest_invariants.registry.model import Registry, Surface
from pytest_invariants.registry.problems import Problem, RegistryError
from pytest_invariants.registry.reader import read
from pytest_invariants.report.model import problems_of
from pytest_invariants.verdict import Finding, Reason


@dataclass(frozen=True)
class Judged:
    """How an agent stands, and the program that it was read from; None where the registry has mistakes."""

    standing: Standing
    program: Program | None = None
    names: frozenset[str] = frozenset()
    """The names that bear on the verdicts."""


def judge(git: Git, shot: Snapshot, registry: str | None = None) -> Standing:
    """How the agent of a snapshot stands, or would stand with another text for its registry."""

    def examine(folder: Path) -> Standing:
        if registry is not None:
            (folder / shot.registry).write_text(registry, encoding="utf-8", newline="")
        return examine_folder(folder / shot.registry, folder).standing

    return copied(git, shot, examine)


def examine_folder(registry: Path, root: Path) -> Judged:
    """How the agent of a folder stands; the mistakes of its registry are part of the answer."""
    try:
        return _judged(read(registry, root))
    except RegistryError as error:
        return Judged(Standing(problems=tuple(_of_the_commit(problem, root) for problem in error.problems)))


def _of_the_commit(problem: Problem, root: Path) -> Problem:
    """A problem that speaks of the scratch folder speaks of what is staged there."""
    said = (problem.message.replace(str(root), "what is staged"), problem.remedy.replace(str(root), "what is staged"))
    return replace(problem, path=problem.path.removeprefix(f"{root}/"), message=said[0], remedy=said[1])


def _judged(registry: Registry) -> Judged:
    prover = Prover(registry)
    if prover.problems:
        return Judged(Standing(problems=problems_of(prover)))
    standing = _standing(prover, registry)
    return Judged(standing, prover.program, prover.bearing)


def _standing(prover: Prover, registry: Registry) -> Standing:
    doors = prover.doors
    texts = Conditions(registry.root)
    return Standing(
        seal=str(registry.seal.function),
        surfaces=tuple(stand_of(surface, _finding(prover, surface), texts) for surface in registry.surfaces),
        doors=tuple(_entry(prover, door) for door in doors.records),
        stale=doors.stale,
        unexamined=doors.unexamined,
        unreadable=tuple(finding.at for finding in prover.unreadable if finding.at is not None),
    )


def _entry(prover: Prover, door: Door) -> Entry:
    info = next((info for info in prover.m.functions.values() if info.reference == door.function), None)
    names: tuple[str, ...] = ()
    if info is not None:
        spec = info.node.args
        names = tuple(each.arg for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs))
    return Entry(door.function, door.at, door.way, door.covered_by, door.asks, names)


def _finding(prover: Prover, surface: Surface) -> Finding:
    registered = prover.registered(surface)
    return registered if registered.reason is Reason.MISSING_FUNCTION else prover.consulted(surface)


def stand_of(surface: Surface, finding: Finding, texts: Conditions) -> Stand:
    """A surface with what was found of it."""
    manner = surface.manner.value
    return Stand(surface.id, str(surface.function), manner, surface.at, finding, texts.of(finding.guards))
