"""Names that lead out of the repository: into a package that the agent uses, such as its framework."""

from __future__ import annotations

from pytest_invariants.flow.judging.wording import MESSAGES, REMEDIES
from pytest_invariants.program.program import Program
from pytest_invariants.registry.model import Reference, Registry, Surface
from pytest_invariants.registry.suggest import closest
from pytest_invariants.verdict import RUN, Finding, Reason, Verdict


def is_outside(reference: Reference, program: Program, registry: Registry) -> bool:
    """Whether a name begins with no package of the repository, nor with a slip of the pen for one of them.

    What is installed does not count: a commit hook runs where the agent's framework is not.
    """
    top = reference.module.partition(".")[0]
    own = {module.partition(".")[0] for module in program.sources}
    there = any((registry.root / name).exists() for name in (top, f"{top}.py"))
    return top not in own and not there and closest(top, own) is None


def undecided(surface: Surface) -> Finding:
    """`seal-consulted` of what cannot be read: only a run of the surface can answer."""
    reason = Reason.FOREIGN_CODE
    verdict = Verdict.UNDECIDED
    return Finding(surface.id, "seal-consulted", verdict, 0, reason, surface.at, (), MESSAGES[reason], REMEDIES[reason])


def unexamined(invariant: str, surface: str = RUN) -> Finding:
    """The answer to a question that is only asked of code that is read."""
    return Finding(surface, invariant, Verdict.UNEXAMINED, message=MESSAGES[Reason.FOREIGN_CODE])
