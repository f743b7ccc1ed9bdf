"""After everything that may happen to an agent, what is masked is what the declared policies say.

What it states
    A skill is loaded, then something happens: a step, a turn, compaction, reloading, a resumed thread, a restart, a
    server that drops out and comes back. After each, the tools that wait for a manual are shown if and only if one of
    their skills still counts as loaded; and compaction does what the policy `compaction` says: with `resets` they are
    masked again, with `keeps` they stay.

Why it matters
    Two records of what was loaded, one for the mask and one for the history, come apart on compaction and on resume.
    Either the model has tools whose manual it no longer knows, or it has lost tools that it was promised.

A failing example
    ::

        self.unlocked |= set(skill.tool_ids)            # a second record, which compaction does not reach

    Refuted, `disagrees`: `cancel_order` is shown though none of order_change counts as loaded. A mask that is computed
    from the messages before each step holds.

The repair
    Keep one record of what is loaded, and compute the mask from it each time.

Its limits
    The host's `loaded` is believed; that it follows its own policy is for `loaded-grows` and `loaded-follows-history`.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe import masks
from pytest_invariants.probe.answers import Fallen, Lacking, of_run
from pytest_invariants.probe.growth import LEVERS
from pytest_invariants.probe.judge import quoted
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.tables import mapping, settle
from pytest_invariants.verdict import Reason

ID = "mask-follows-policy"


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("table", "owners", "load", "loaded")
    levers = [(lever, argument) for lever, argument in LEVERS if session.has(lever)]
    if not levers:
        raise Lacking("the host has no lever that could change what is loaded")
    if not all([_after(session, lever, argument) for lever, argument in levers]):
        raise Lacking("loading unlocks no tool that waits for a manual")
    return f"what is masked follows what is loaded, after each of {len(levers)} levers"


def _after(session: ProbeSession, lever: str, argument: bool | None) -> bool:
    """Whether there was anything unlocked before the lever was moved."""
    with session.stage() as stage:
        owners = mapping(stage, "owners")
        for skill in dict.fromkeys(skill for skills in owners.values() for skill in skills):
            stage.pull("load", skill)
        settle(stage)
        before = masks.judge(stage, owners)
        stage.pull(lever, *(() if argument is None else (argument,)))
        settle(stage)
        if lever == "drop" and session.has("connect"):
            stage.pull("connect")
            settle(stage)
        after = masks.judge(stage, owners)
        if lever == "compact":
            _compacted(stage, before, after)
    return bool(before)


def _compacted(stage: Stage, before: frozenset[str], after: frozenset[str]) -> None:
    declared = stage.session.policy("compaction", "")
    if declared == "keeps" and before - after:
        message = f"{quoted(before - after)} is masked again after compaction, and `compaction: keeps` is declared"
        remedy = "carry what is loaded over, or declare `compaction: resets`"
        raise Fallen(Reason.AGAINST_POLICY, message, remedy, tuple(stage.script))
    if declared == "resets" and after:
        message = f"{quoted(after)} is still shown after compaction, and `compaction: resets` is declared"
        remedy = "read what is loaded off the messages that are left, or declare `compaction: keeps`"
        raise Fallen(Reason.AGAINST_POLICY, message, remedy, tuple(stage.script))


INVARIANT = Invariant(id=ID, family="masking", scope=Scope.RUN, page=__doc__ or "", play=play)
