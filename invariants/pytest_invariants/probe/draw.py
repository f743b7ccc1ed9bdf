"""Drawing scripts with Hypothesis: always the same ones, never written to disk, and the shortest failure is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky
from hypothesis.strategies import SearchStrategy

from pytest_invariants.probe.answers import Fallen
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.worlds import DENY, World, faults, without
from pytest_invariants.verdict import Reason

T = TypeVar("T")


def bounded(examples: int, steps: int = 8) -> settings:
    """Settings that do not depend on time, machine or history."""
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        derandomize=True,
        database=None,
        deadline=None,
        print_blob=False,
        report_multiple_bugs=False,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )


def played(strategy: SearchStrategy[T], story: Callable[[T], None], examples: int) -> None:
    """Play a story with drawn scripts; what it raises for the shortest one comes out."""

    @bounded(examples)
    @given(strategy)
    def run(drawn: T) -> None:
        story(drawn)

    with steady():
        run()


@contextmanager
def steady() -> Iterator[None]:
    """Turns Hypothesis' complaint about an agent that answers differently to the same script into a refutation."""
    try:
        yield
    except Flaky as error:
        first = next((each for each in getattr(error, "exceptions", ()) if isinstance(each, Fallen)), None)
        script = first.script if first else ()
        message = "the same script gave two different answers" + (f", one of them: {first.message}" if first else "")
        remedy = "fix what is random in the agent or in its host (time, hash order, leftovers of an earlier agent)"
        raise Fallen(Reason.DISAGREES, message, remedy, script) from error


def worlds(session: ProbeSession, awaited: bool, *, broken: bool = True) -> SearchStrategy[World]:
    """Worlds over the host's skills, the simplest first: any set of groups denied, everything denied, any fault."""
    groups = session.groups(session.facts[0])
    some = st.sets(st.sampled_from(groups)).map(lambda denied: without(*(skill for group in denied for skill in group)))
    choices = [some, st.just(DENY)] if groups else [st.just(without()), st.just(DENY)]
    if broken:
        choices.append(st.sampled_from(faults(session.registry.seal.kind, awaited)))
    return st.one_of(choices)
