"""Nobody but the seal decides: no second function, no second reader of its facts, no second binding of its name.

What it states
    The facts that the registry names under `seal.state` decide about a grant in the seal and nowhere else; no other
    function of the code computes what the seal computes; and nothing binds the seal's name anew while the agent runs.

Why it matters
    A second reader is right on the day on which it is written. When the rule changes, the seal changes and the copy
    does not; from then on two surfaces give different answers, and each of them looks right for itself.

A failing example
    ::

        def render_index(turn):
            for skill in LOADER.all():
                if not skill.categories or turn.category in skill.categories:    # the seal, written once more
                    yield skill.description

    Refuted, `look-alike`: nothing leaks today, and the copy will stay behind when the seal learns of a new fact.

The repair
    Call the seal. Where the facts are needed for something else than a decision (to show them in a refusal, say), hand
    them on without a branch on them.

Its limits
    Alike is what tests the same facts in the same way; a copy in another language, in SQL or in a prompt is not seen.
    Facts that are not named under `seal.state` may be read by anybody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.registry.model import Surface
from pytest_invariants.verdict import RUN, Finding, Reason, Verdict

if TYPE_CHECKING:
    from pytest_invariants.flow.prover import Prover

ID = "seal-sole"


def prove(prover: Prover, surface: Surface | None) -> Finding:
    if surface is not None:
        raise ValueError(f"{ID} is asked of the run")
    if not prover.problems and not prover.seal_is_outside and not prover.m.seal.functions:
        return _no_function(prover)
    return prover.sole()


def _no_function(prover: Prover) -> Finding:
    """Nothing can be said of a second one where the first is not known."""
    seal = prover.registry.seal
    message = f"the seal `{seal.function}` is a class, so that it is not known which function decides"
    remedy = "name the function or the method that decides"
    return Finding(RUN, ID, Verdict.UNDECIDED, None, Reason.OPAQUE_CALLABLE, seal.at, (), message, remedy)


INVARIANT = Invariant(id=ID, family="doors", scope=Scope.RUN, page=__doc__ or "", prove=prove)
