"""Every function through which a capability gets out is a surface of the registry, or exempt by name.

What it states
    The code has no door that the registry does not know: a function is a door if a capability gets out of it and no
    other function of the code calls it. Of a surface it states that its function is there and lets a capability out.
    An exemption names a function that is there, is a door, is no surface, and has not run out.

Why it matters
    Every other invariant is asked of the surfaces that the registry names. Nothing else forces the author of the next
    entry point to name it, and an exemption that nobody needs any more hides the next door of that name.

A failing example
    ::

        # entrypoints/preview.py, added today; entrypoints/registry.yaml knows nothing of it
        def render(name):
            return LOADER.get(name).body

    Refuted, `unregistered-door`, with the way on which the manual's text gets out.

The repair
    Ask the seal in the function and add it under `surfaces`; or, where it is no way in for the agent, add it under
    `exempt` with the reason and, best, a date. `invariants doors` prints both rows.

Its limits
    Only code below the roots that `code:` names is read, and only what `capabilities:` names is a capability. What a
    framework calls without a name in the code is found by its decorator or its registration, not by its caller.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.registry.model import Surface
from pytest_invariants.verdict import Finding

if TYPE_CHECKING:
    from pytest_invariants.flow.prover import Prover

ID = "door-registered"


def prove(prover: Prover, surface: Surface | None) -> Finding:
    return prover.registered(surface)


INVARIANT = Invariant(id=ID, family="doors", scope=Scope.BOTH, page=__doc__ or "", prove=prove)
