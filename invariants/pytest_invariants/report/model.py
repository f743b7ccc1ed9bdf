"""What a run of the harness returns: every finding, the doors, and what the command's exit status has to be."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_invariants.registry.problems import Problem
from pytest_invariants.verdict import RUN, Finding, Place, Verdict

if TYPE_CHECKING:
    from pytest_invariants.catalogue.model import Invariant
    from pytest_invariants.flow.judging.doors import Doors
    from pytest_invariants.flow.prover import Prover
    from pytest_invariants.registry.model import Registry

CONSULTED = "seal-consulted"
DECIDES = "seal-decides"
REGISTERED = "door-registered"


class Status(IntEnum):
    """The command's exit status."""

    HOLDS = 0
    FALLS = 1
    MISUSED = 2
    """The registry or the call is wrong."""
    NOTHING_EXAMINED = 3
    FAULT = 4
    """A fault of the harness itself."""


@dataclass(frozen=True, slots=True)
class Fault:
    """An exception of the harness itself, met while one question was asked."""

    surface: str
    invariant: str
    error: str
    traceback: str


class Answers(ABC):
    """What a run has found, whatever was examined: an agent (`Report`), or a server (`server.ServerReport`).

    `problems` are mistakes in what the run was told to examine; `faults` are the harness's own.
    """

    invariants: tuple[Invariant, ...]
    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    faults: tuple[Fault, ...]

    @property
    @abstractmethod
    def title(self) -> str:
        """What was examined: a file, a command or an address."""

    @property
    @abstractmethod
    def root(self) -> Path:
        """The folder that places are relative to."""

    @property
    @abstractmethod
    def surfaces(self) -> tuple[str, ...]:
        """Every surface, in the order in which it is shown."""

    @property
    @abstractmethod
    def examined(self) -> bool:
        """Whether anything at all was looked at; a run over nothing never passes."""

    @abstractmethod
    def place_of(self, finding: Finding) -> Place | None:
        """Where a finding points, or None where there is no source to point at."""

    def covered(self, _finding: Finding) -> bool:
        """Whether the probe stands in for a proof."""
        return False

    def falls(self, finding: Finding) -> bool:
        """Whether this finding alone makes the run fall."""
        if finding.verdict is Verdict.UNDECIDED:
            return not self.covered(finding)
        return finding.verdict is Verdict.REFUTED

    @property
    def left_open(self) -> bool:
        """Whether the run falls for something that is no finding."""
        return False

    @property
    def falling(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if self.falls(finding))

    @property
    def unexamined(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.verdict is Verdict.UNEXAMINED)

    @property
    def undecided(self) -> int:
        """How many questions the prover could not answer, whether or not the probe stands in for it."""
        return sum(finding.verdict is Verdict.UNDECIDED for finding in self.findings)

    def status(self) -> Status:
        if self.problems:
            return Status.MISUSED
        if self.faults:
            return Status.FAULT
        if self.falling or self.left_open:
            return Status.FALLS
        return Status.HOLDS if self.examined else Status.NOTHING_EXAMINED

    def of_surface(self, surface: str) -> tuple[Finding, ...]:
        """The findings about one surface, or about the run (`RUN`)."""
        return tuple(finding for finding in self.findings if finding.surface == surface)

    @property
    def rows(self) -> tuple[str, ...]:
        """The surfaces in their order, then the run; rows without a finding are left out."""
        asked = {finding.surface for finding in self.findings}
        return tuple(row for row in (*self.surfaces, RUN) if row in asked)

    @property
    def columns(self) -> tuple[str, ...]:
        """The invariants that were asked of surfaces, in the catalogue's order."""
        asked = {finding.invariant for finding in self.findings if finding.surface != RUN}
        return tuple(invariant.id for invariant in self.invariants if invariant.id in asked)


@dataclass(frozen=True, slots=True)
class Report(Answers):
    """The answers of one run over an agent, in the order of the registry's surfaces and of the catalogue.

    `problems` are errors of the registry that only the code could show (a seal that is not there); `static` says that
    the probe was not run, so that nothing can stand in for what the prover left undecided.
    """

    registry: Registry
    invariants: tuple[Invariant, ...]
    findings: tuple[Finding, ...]
    doors: Doors
    files: int
    lines: int
    static: bool = False
    problems: tuple[Problem, ...] = ()
    faults: tuple[Fault, ...] = ()
    apart: tuple[str, ...] = ()
    """Top-level packages among the code that were searched and not read: no import connects them with the registry."""

    @property
    def title(self) -> str:
        return self.registry.seal.at.path

    @property
    def root(self) -> Path:
        return self.registry.root

    @property
    def surfaces(self) -> tuple[str, ...]:
        return tuple(surface.id for surface in self.registry.surfaces)

    @property
    def examined(self) -> bool:
        doors = self.doors.found or self.doors.outside
        return bool(self.files and doors and len(self.unexamined) < len(self.findings))

    def covered(self, finding: Finding) -> bool:
        """Whether the probe stands in for a proof: the seal decides at this surface, as was seen by swapping it."""
        return (
            finding.verdict is Verdict.UNDECIDED
            and finding.invariant == CONSULTED
            and not self.static
            and any(
                other.invariant == DECIDES and other.surface == finding.surface and other.verdict is Verdict.HELD
                for other in self.findings
            )
        )

    @property
    def left_open(self) -> bool:
        """Whether the inventory, where it was asked for, has a door that nobody answers for, or a stale exemption."""
        asked = any(invariant.id == REGISTERED for invariant in self.invariants)
        return asked and bool(self.doors.unregistered or self.doors.stale)

    def place_of(self, finding: Finding) -> Place:
        """Where the finding points; failing that, the row of its surface in the registry, or that of the seal."""
        rows = {surface.id: surface.at for surface in self.registry.surfaces}
        return finding.at or rows.get(finding.surface, self.registry.seal.at)


def problems_of(prover: Prover) -> tuple[Problem, ...]:
    """What the registry names and the code does not have."""
    return tuple(Problem(one.at.path, one.at.line, 1, one.message, one.remedy) for one in prover.problems)
