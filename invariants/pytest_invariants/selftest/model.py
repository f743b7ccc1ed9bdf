"""What a self-test consists of and what came of it: mutants, rulings, and the table of both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from pytest_invariants.registry.model import Registry
from pytest_invariants.verdict import Finding, Place, Reason


class Outcome(StrEnum):
    """What became of a mutant at one surface."""

    KILLED = "killed"
    """The surface falls, for a reason that fits what was spoiled."""
    MISNAMED = "misnamed"
    """The surface falls, for a reason that says something else."""
    UNDECIDED = "undecided"
    """The surface no longer passes, but nobody says that it is open."""
    COVERED = "covered"
    """By probe: nothing came out, because another question was on the way; without any question it would have."""
    SURVIVED = "survived"
    """The surface passes as before: the harness has not noticed."""


class Half(StrEnum):
    PROVER = "prover"
    PROBE = "probe"


class Status(IntEnum):
    """The exit status; 2 (the registry is wrong) and 4 (a fault of the harness) are given by the command."""

    KILLED = 0
    SURVIVED = 1
    NOTHING = 3


@dataclass(frozen=True, slots=True)
class Question:
    """A line at which the seal is asked, the source there, and the surfaces whose proofs hang on it.

    `function` is the qualified name of the function around it, empty where there is none. `also` are further lines,
    where each alone would do: such are spoiled together. `through` names the function whose call leads to the question,
    where the line itself only calls such a helper.
    """

    at: Place
    source: str
    surfaces: tuple[str, ...]
    function: str = ""
    also: tuple[Place, ...] = ()
    through: str = ""

    @property
    def places(self) -> tuple[Place, ...]:
        return (self.at, *self.also)


@dataclass(frozen=True, slots=True)
class Mutant:
    """The spoiled `files`, path by path and whole, and the lines that differ, in the form that a parser gives them."""

    operator: str
    question: Question
    files: tuple[tuple[str, bytes], ...]
    diff: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Skipped:
    """An operator that does not apply to a question, and why."""

    operator: str
    question: Question
    why: str


@dataclass(frozen=True, slots=True)
class Ruling:
    """What one half of the harness made of a mutant at one surface."""

    surface: str
    half: Half
    outcome: Outcome
    reason: Reason | None
    message: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """A mutant with its rulings. `strays` are surfaces that fell although their proofs do not hang on the question."""

    mutant: Mutant
    rulings: tuple[Ruling, ...]
    strays: tuple[Ruling, ...] = ()

    def ruling(self, surface: str, half: Half) -> Ruling | None:
        return next((one for one in self.rulings if (one.surface, one.half) == (surface, half)), None)


@dataclass(frozen=True, slots=True)
class KillTable:
    """The whole self-test. `proofs` and `plays` are what the two halves say of each surface of the code as it stands.

    `plays` is empty where the probe was not asked for.
    """

    registry: Registry
    operators: tuple[str, ...]
    proofs: Mapping[str, Finding]
    plays: Mapping[str, Finding]
    questions: tuple[Question, ...]
    trials: tuple[Trial, ...]
    skipped: tuple[Skipped, ...]

    @property
    def rulings(self) -> Iterator[Ruling]:
        return (ruling for trial in self.trials for ruling in trial.rulings)

    def count(self, outcome: Outcome) -> int:
        return sum(ruling.outcome is outcome for ruling in self.rulings)

    @property
    def unfit(self) -> tuple[Finding, ...]:
        """What does not pass as it stands: there is nothing to open there, or nobody to notice it."""
        return tuple(one for one in (*self.proofs.values(), *self.plays.values()) if not one.passes)

    @property
    def untried(self) -> tuple[str, ...]:
        """Surfaces at which no mutant was tried."""
        tried = {ruling.surface for ruling in self.rulings}
        return tuple(surface for surface in self.proofs if surface not in tried)

    def status(self) -> Status:
        """A survivor counts most; a surface at which nothing was tried is never a pass."""
        if self.count(Outcome.SURVIVED):
            return Status.SURVIVED
        return Status.NOTHING if self.untried or not self.proofs else Status.KILLED
