"""On every path to a grant the seal is asked, about the right thing, for the right caller, now, and is obeyed.

What it states
    A capability leaves the surface only where the seal has said yes. The levels say how far that was shown: 1 the
    surface reaches the seal; 2 every path to the grant asks it (awaits, iterates or enters it); 3 the grant stands on
    the branch where it said yes; 4 it was asked about what is granted, on behalf of the one who asks; 5 it was asked in
    this call, and nothing was exchanged since.

Why it matters
    A check that is there and does not bind is worse than none: the reader sees it and is calm. A test takes the paths
    that its author thought of; the branch without a check is the one that nobody thought of.

A failing example
    ::

        async def activate(turn, name):
            skill = LOADER.get(name)
            if skill_sealed_for(skill.categories, turn.category):
                log.warning("sealed: %s", name)
            return skill.body

    Refuted at level 2, `verdict-ignored`: the seal is asked on every path, and the body leaves whatever it says. The
    trace shows the way.

The repair
    Let the refusal leave the function: return or raise where the seal says no, before the capability is touched. A
    check that several surfaces share belongs into one function, which the prover follows.

Its limits
    What cannot be followed is undecided, with the reason and a remedy, and never proved. Loops are looked at for all
    elements together. A surface that is too large to be followed whole is searched for one way around: one that is
    found refutes it, and where none is found it stays undecided. What a library does is taken from its documentation;
    what `typing.cast` says is believed. A guard or a setting that some function of the code replaces, takes out or
    switches off is not taken for sure, whoever calls that function; one that is only replaced from outside, by a test
    for instance, is. A function that puts hooks into a table under names that it is given is taken to leave the guard's
    own name alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.registry.model import Surface
from pytest_invariants.verdict import Finding

if TYPE_CHECKING:
    from pytest_invariants.flow.prover import Prover

ID = "seal-consulted"


def prove(prover: Prover, surface: Surface | None) -> Finding:
    if surface is None:
        raise ValueError(f"{ID} is asked of a surface")
    return prover.consulted(surface)


INVARIANT = Invariant(id=ID, family="doors", scope=Scope.SURFACE, page=__doc__ or "", prove=prove)
