"""What has been loaded stays loaded, in the order in which it came.

What it states
    Where `policies` say `loaded: grows`: within a run the loaded skills are only ever added to, behind those that were
    there. The next step, loading again, reloading, and a server that drops out and comes back take nothing away.
    Compaction does what `compaction` declares: `keeps`, or `resets`. A new turn, a resumed thread and a restart may
    begin anew.

Why it matters
    Providers keep the prefix of a request in a cache, and read the tools first. Unloading a skill saves its schemas
    and costs the whole history; a set that shrinks and grows costs it again and again.

A failing example
    ::

        state.loaded = [*state.loaded, name][-3:]              # the oldest gives way

    Refuted, `against-policy`: `notes` no longer counts as loaded after the manual of payroll is loaded. With
    `dict.fromkeys((*state.loaded, name))` it holds.

The repair
    Merge, remove duplicates, keep the order of first appearance, and offer no operation that takes away.

Its limits
    The host's `loaded` is believed; what follows from it for the table is for `tail-only` and `masked-until-loaded`.
    The seal says yes to everything meanwhile: that a sealed skill's tools are not shown is for `seal-decides`.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe import growth
from pytest_invariants.probe.answers import of_run
from pytest_invariants.probe.growth import Effect
from pytest_invariants.probe.session import ProbeSession

ID = "loaded-grows"
COMPACTION = {"keeps": Effect.KEEPS, "resets": Effect.EMPTIES}


@of_run(ID)
def play(session: ProbeSession) -> str:
    growth.require(session, "grows")
    levers = growth.follow(session, _effects(session))
    return f"what is loaded stays so, in its order, through drawn scripts of loading and {levers} levers"


def _effects(session: ProbeSession) -> dict[str, Effect]:
    kept = dict.fromkeys(("step", "reload", "drop", "connect"), Effect.KEEPS)
    free = dict.fromkeys(("turn", "resume", "restart"), Effect.FREE)
    return {**kept, **free, "compact": COMPACTION.get(session.policy("compaction", ""), Effect.FREE)}


INVARIANT = Invariant(id=ID, family="table", scope=Scope.RUN, page=__doc__ or "", play=play)
