"""What counts as loaded is what the history says was loaded.

What it states
    Where `policies` say `loaded: follows-history`: a skill counts as loaded from its loading message on, in the order
    of first appearance, for as long as the message is there. Steps, turns, reloading, servers that come and go and a
    resumed thread (on the same objects, or rebuilt from what was stored) change nothing. Compaction does what
    `compaction` declares: with `resets` the messages are gone and nothing is loaded, with `keeps` all of it still is.

Why it matters
    A manual that compaction took out of sight is not known to the model any more, so its tools are masked again. An
    agent that keeps a second record beside the history ends in two answers: after a resume, or after compaction.

A failing example
    ::

        self.loaded.add(name)          # and nobody looks at the messages again

    Refuted, `against-policy`: `notes` still counts as loaded after the history is compacted. An agent that reads the
    marks off its messages before each step holds.

The repair
    Keep no record of your own: read the loading marks off the messages, each time.

Its limits
    The host's `loaded` is believed, and its `compact` has to take all messages away. A restart may lose a history that
    was not stored. That no text can forge a mark is for `history-forged`.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe import growth
from pytest_invariants.probe.answers import of_run
from pytest_invariants.probe.growth import Effect
from pytest_invariants.probe.session import ProbeSession

ID = "loaded-follows-history"
COMPACTION = {"keeps": Effect.KEEPS, "resets": Effect.EMPTIES}


@of_run(ID)
def play(session: ProbeSession) -> str:
    growth.require(session, "follows-history")
    levers = growth.follow(session, _effects(session))
    return f"what is loaded is what the history says, through drawn scripts of loading and {levers} levers"


def _effects(session: ProbeSession) -> dict[str, Effect]:
    kept = dict.fromkeys(("step", "turn", "reload", "drop", "connect", "resume"), Effect.KEEPS)
    compaction = COMPACTION.get(session.policy("compaction", ""), Effect.FREE)
    return {**kept, "restart": Effect.FREE, "compact": compaction}


INVARIANT = Invariant(id=ID, family="table", scope=Scope.RUN, page=__doc__ or "", play=play)
