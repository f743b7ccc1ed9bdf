"""Ask every invariant of the catalogue of every surface, and of the run; the prover first, then the probe."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_invariants.catalogue import CATALOGUE
from pytest_invariants.catalogue.model import Invariant
from pytest_invariants.flow.prover import Prover
from pytest_invariants.registry.model import Registry, Surface
from pytest_invariants.report.model import Fault, Report, problems_of
from pytest_invariants.verdict import RUN, Finding, Reason, Verdict

if TYPE_CHECKING:
    from pytest_invariants.probe.session import ProbeSession


@dataclass(frozen=True, slots=True)
class Question:
    """One invariant, asked of one surface or (`surface is None`) of the run."""

    invariant: Invariant
    surface: Surface | None

    @property
    def about(self) -> str:
        return RUN if self.surface is None else self.surface.id


class Examination:
    """Answers questions about one registry: the code is read once, the probe opened when first needed."""

    def __init__(self, registry: Registry, *, static: bool = False, update_snapshots: bool = False) -> None:
        self.registry = registry
        self.static = static
        self._update_snapshots = update_snapshots
        self.prover = Prover(registry)
        self._session: ProbeSession | None = None

    def answer(self, question: Question) -> Finding:
        """The answer of both halves of the invariant in one finding.

        :raises Exception: whatever a half raises; that is a fault of the harness, never of the agent.
        """
        prove, play = question.invariant.prove, question.invariant.play
        proof = prove(self.prover, question.surface) if prove else None
        if play is None or self.static:
            return proof or _nothing(question, "a run is needed, and this examination only reads")
        played = play(self.session, question.surface)
        return combined(proof, played) if proof else played

    @property
    def session(self) -> ProbeSession:
        if self._session is None:
            from pytest_invariants.probe.session import ProbeSession

            self._session = ProbeSession(self.registry, update_snapshots=self._update_snapshots)
        return self._session


def check(
    registry: Registry,
    *,
    static: bool = False,
    select: Collection[str] = (),
    progress: Callable[[Question], None] = lambda _question: None,
) -> Report:
    """Examine the agent that `registry` describes.

    `static` leaves out the probe: nothing is imported or run. `select` keeps the invariants and the surfaces that it
    names; where it names only one of the two kinds, all of the other are kept. `progress` is told of each question
    before it is asked.
    """
    examination = Examination(registry, static=static)
    prover = examination.prover
    asked = [] if prover.problems else list(questions(registry, static=static, select=select))
    answers = [_answer(examination, question, progress) for question in asked]
    known = {question.invariant for question in asked}
    return Report(
        registry=registry,
        invariants=tuple(invariant for invariant in CATALOGUE if invariant in known),
        findings=(*(finding for finding, _ in answers), *prover.unreadable),
        doors=prover.doors,
        files=prover.files,
        lines=prover.lines,
        static=static,
        problems=problems_of(prover),
        faults=tuple(fault for _, fault in answers if fault),
        apart=tuple(prover.program.apart),
    )


def questions(registry: Registry, *, static: bool = False, select: Collection[str] = ()) -> Iterator[Question]:
    """Every question of a run: surface by surface in the registry's order, then those about the run."""
    of_agents = [one for one in CATALOGUE if one.prove or (one.play and not static)]
    chosen = [one for one in of_agents if _chosen(one.id, _ids(CATALOGUE), select)]
    names = {surface.id for surface in registry.surfaces} | {RUN}
    for surface in (*registry.surfaces, None):
        if _chosen(surface.id if surface else RUN, names, select):
            yield from (Question(invariant, surface) for invariant in chosen if invariant.suits(surface))


def selectable(registry: Registry) -> tuple[str, ...]:
    """Every id that `select` may hold."""
    of_agents = (one.id for one in CATALOGUE if one.prove or one.play)
    return (*of_agents, *(surface.id for surface in registry.surfaces), RUN)


def _ids(invariants: Collection[Invariant]) -> set[str]:
    return {invariant.id for invariant in invariants}


def _chosen(one: str, kind: Collection[str], select: Collection[str]) -> bool:
    wanted = [each for each in select if each in kind]
    return not wanted or one in wanted


def combined(proof: Finding, played: Finding) -> Finding:
    """One answer out of two: a counterexample wins; a run may stand in for a proof, and never the other way round."""
    if proof.verdict is Verdict.REFUTED or played.verdict is Verdict.UNEXAMINED:
        return proof
    if proof.verdict is Verdict.PROVED and played.passes:
        return proof
    return played


def _answer(
    examination: Examination, question: Question, progress: Callable[[Question], None]
) -> tuple[Finding, Fault | None]:
    progress(question)
    try:
        return examination.answer(question), None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # an agent that calls sys.exit() must not end the run, least of all with 0
        said = f"{type(error).__name__}: {error}".rstrip(": ")
        fault = Fault(question.about, question.invariant.id, said, traceback.format_exc())
        return _broken(question, said), fault


def _broken(question: Question, said: str) -> Finding:
    return Finding(
        surface=question.about,
        invariant=question.invariant.id,
        verdict=Verdict.UNDECIDED,
        reason=Reason.HARNESS,
        message=f"the harness itself failed here: {said}",
        remedy="run again with --debug and report what it prints",
    )


def _nothing(question: Question, why: str) -> Finding:
    return Finding(question.about, question.invariant.id, Verdict.UNEXAMINED, message=why)
