"""Drawing scripts with Hypothesis: always the same ones, never written to disk, and the shortest failure is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, assume, configuration, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky
from hypothesis.strategies import SearchStrategy

from pytest_invariants.probe.answers import Fallen
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.worlds import DENY, World, faults, without
from pytest_invariants.verdict import Reason

T = TypeVar("T")
SHRINKS = 25
"""How many shorter scripts are tried after the first that fails."""


def bounded(examples: int, steps: int = 8, *, shrinks: bool = True) -> settings:
    """Settings that do not depend on time, machine or history; without `shrinks` somebody else shortens what fails."""
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        derandomize=True,
        database=None,
        deadline=None,
        print_blob=False,
        verbosity=Verbosity.quiet,
        report_multiple_bugs=False,
        phases=(Phase.generate, Phase.shrink) if shrinks else (Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )


@contextmanager
def storage_elsewhere() -> Iterator[None]:
    """What Hypothesis keeps on disk (constants of the code, even without a database) stays out of the repository."""
    before = getattr(configuration, "__hypothesis_home_directory", None)
    with TemporaryDirectory(prefix="invariants-") as folder:
        configuration.set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(before)


class Patience:
    """Ends the search for a shorter script: an agent that is slow to open would be opened hundreds of times.

    It counts runs, not seconds, so that the same script comes out on every machine. `best` is the shortest failure.
    """

    def __init__(self, runs: int = SHRINKS) -> None:
        self.best: Fallen | None = None
        self._left = runs

    def begin(self) -> None:
        """To be called as an example begins; when patience is at an end, no further one counts."""
        if self.best is not None:
            self._left -= 1
        assume(self._left > 0)

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Remembers the shortest failure that comes by."""
        try:
            yield
        except Fallen as fallen:
            if self.best is None or len(fallen.script) < len(self.best.script):
                self.best = fallen
            raise

    def play(self, run: Callable[[], None]) -> None:
        """Run what Hypothesis made. Raises the shortest failure, for an agent that answers differently a refutation."""
        try:
            with storage_elsewhere():
                run()
        except Fallen as fallen:
            raise self.best or fallen from None
        except Flaky as error:
            if self.best is None or self._left > 0:
                raise self._by_chance() from error
            raise self.best from None

    def _by_chance(self) -> Fallen:
        message = "the same script gave two different answers"
        message += f", one of them: {self.best.message}" if self.best else ""
        remedy = "fix what is random in the agent or in its host (time, hash order, leftovers of an earlier agent)"
        return Fallen(Reason.DISAGREES, message, remedy, self.best.script if self.best else ())


def played(strategy: SearchStrategy[T], story: Callable[[T], None], examples: int) -> None:
    """Play a story with drawn scripts. Raises what it raises for the shortest one."""
    patience = Patience()

    @bounded(examples)
    @given(strategy)
    def run(drawn: T) -> None:
        patience.begin()
        with patience.watch():
            story(drawn)

    patience.play(run)


def worlds(session: ProbeSession, awaited: bool, *, broken: bool = True) -> SearchStrategy[World]:
    """Worlds over the host's skills, the simplest first: any set of groups denied, everything denied, any fault."""
    groups = session.groups(session.facts[0])
    some = st.sets(st.sampled_from(groups)).map(lambda denied: without(*(skill for group in denied for skill in group)))
    choices = [some, st.just(DENY)] if groups else [st.just(without()), st.just(DENY)]
    if broken:
        choices.append(st.sampled_from(faults(session.registry.seal.kind, awaited)))
    return st.one_of(choices)
