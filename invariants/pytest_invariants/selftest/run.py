"""The whole self-test of one registry."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing import get_context

from pytest_invariants.registry.model import Registry
from pytest_invariants.selftest import playing, proving
from pytest_invariants.selftest.code import Code
from pytest_invariants.selftest.model import KillTable, Mutant, Skipped, Trial
from pytest_invariants.selftest.mutants import mutant, mutants
from pytest_invariants.selftest.operators import BY_ID, OPERATORS
from pytest_invariants.selftest.questions import askings, every_question
from pytest_invariants.verdict import Finding

Progress = Callable[[int, int], None]
"""Told after each mutant how many have been tried, and of how many."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What to try: `select` names surfaces and operators, all of a kind where it names none. `jobs` processes do it."""

    select: tuple[str, ...] = ()
    probe: bool = False
    jobs: int = 1


class TrialError(Exception):
    """A mutant could not be tried: a fault of the harness. The text says which, and what went wrong."""


@dataclass(frozen=True, slots=True)
class Bench:
    """Where mutants are tried: the code as it stands, what is said of it, and the surfaces to rule on.

    `bare` is what the probe says of the agent without any question.
    """

    registry: Registry
    proofs: Mapping[str, Finding]
    surfaces: tuple[str, ...]
    plays: Mapping[str, Finding]
    bare: Mapping[str, Finding]

    def tried(self, mutant: Mutant) -> Trial:
        """One mutant, tried on the prover, and on the probe at the surfaces that hold there as they stand.

        :raises TrialError: whatever went wrong.
        """
        try:
            return self._tried(mutant)
        except Exception as error:
            which = f"{mutant.operator} at {mutant.question.at}"
            raise TrialError(f"{which}: {type(error).__name__}: {error}") from error

    def _tried(self, mutant: Mutant) -> Trial:
        proofs = proving.proofs_of_mutant(self.registry, mutant)
        chosen = {surface: proofs[surface] for surface in self.surfaces}
        rulings = proving.rulings(mutant, chosen)
        if playing.visible(mutant):
            hanging = [one for one in mutant.question.surfaces if one in self.plays and self.plays[one].passes]
            seeing = [one for one in hanging if one in self.bare and not self.bare[one].passes]
            rulings += playing.rulings(mutant, playing.plays(self.registry, hanging, mutant), seeing)
        return Trial(mutant, rulings, proving.strays(mutant, proofs, self.proofs))


def selectable(registry: Registry) -> tuple[str, ...]:
    """Every id that `select` may hold."""
    return (*(operator.id for operator in OPERATORS), *(surface.id for surface in registry.surfaces))


def selftest(registry: Registry, choice: Choice = Choice(), progress: Progress | None = None) -> KillTable:
    """Spoil every question in every way, in copies, and see whether the harness notices at the right surfaces.

    :raises RegistryError: where the registry names what the code does not have.
    """
    surfaces = _chosen([surface.id for surface in registry.surfaces], choice.select)
    operators = _chosen([operator.id for operator in OPERATORS], choice.select)
    prover = proving.prover_of(registry)
    proofs = proving.proofs(prover)
    code = Code(registry)
    held = proving.hanging(prover, proofs)
    asked = [one for one in askings(code, held) if set(one.question.surfaces) & set(surfaces)]
    made = [one for one in mutants(code, asked) if one.operator in operators]
    trying = [one for one in made if isinstance(one, Mutant)]
    plays = playing.plays(registry, surfaces) if choice.probe and trying else {}
    bench = Bench(registry, proofs, surfaces, plays, _bare(code, plays))
    return KillTable(
        registry=registry,
        operators=operators,
        proofs={surface: proofs[surface] for surface in surfaces},
        plays=plays,
        questions=tuple(asking.question for asking in asked),
        trials=tuple(_counted(_each(bench.tried, trying, choice.jobs), len(trying), progress)),
        skipped=tuple(one for one in made if isinstance(one, Skipped)),
    )


def _bare(code: Code, plays: Mapping[str, Finding]) -> dict[str, Finding]:
    """What the probe says where it holds, once every question has been taken out: it should fall everywhere."""
    every = every_question(code) if plays else None
    made = mutant(code, every, BY_ID["drop-guard"]) if every else None
    holding = [surface for surface, finding in plays.items() if finding.passes]
    return playing.plays(code.registry, holding, made) if isinstance(made, Mutant) else {}


def _chosen(kind: list[str], select: Collection[str]) -> tuple[str, ...]:
    wanted = [one for one in kind if one in select]
    return tuple(wanted or kind)


def _each(work: Callable[[Mutant], Trial], made: Iterable[Mutant], jobs: int) -> Iterator[Trial]:
    if jobs < 2:
        yield from map(work, made)
        return
    with ExitStack() as stack:
        pool = stack.enter_context(ProcessPoolExecutor(jobs, mp_context=get_context("spawn")))
        stack.callback(pool.shutdown, cancel_futures=True)
        yield from pool.map(work, made)


def _counted(trials: Iterable[Trial], total: int, progress: Progress | None) -> Iterator[Trial]:
    for number, trial in enumerate(trials, start=1):
        if progress is not None:
            progress(number, total)
        yield trial
