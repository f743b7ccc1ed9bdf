"""The seal closes a skill with everything that belongs to it.

What it states
    A skill owns its tools, the tools of the namespaces that it claims, and its files. Where the seal denies the skill,
    none of them can be reached and none is in the table; where it allows it, all of them can.

Why it matters
    Half a skill sealed is a hole: the manual is refused, and its other files, its scripts or the sixty tools of its
    namespace stay open, because somebody asked about a name and not about the group.

A failing example
    ::

        def call(turn, tool):
            skill = SKILLS.get(tool.split("__")[0])     # finds no skill for a tool of a namespace
            if skill and sealed(skill.categories, turn.category):
                raise Refused(tool)

    Refuted, `leaked`: `warehouse__count`, which belongs to `stock`, runs though the seal says no to `stock`.

The repair
    Map every tool and every file to its skill (`group_of`), and ask the seal about the skill.

Its limits
    What belongs to a skill is what the host's `parts` names.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.answers import Fallen, Lacking, of_run
from pytest_invariants.probe.host import Facts
from pytest_invariants.probe.judge import quoted
from pytest_invariants.probe.schemas import names_in
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.worlds import without
from pytest_invariants.verdict import Reason

ID = "group-sealed"

Parts = dict[str, tuple[str, ...]]


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("parts", "reach")
    reached = 0
    for facts in session.facts:
        reached += _examined(session, facts)
    if not reached:
        raise Lacking("the host's `parts` names nothing that belongs to a skill")
    return f"{reached} parts can be reached while their skill is allowed, and none while it is sealed"


def _examined(session: ProbeSession, facts: Facts) -> int:
    groups = session.groups(facts)
    if not groups:
        raise Lacking("the host's `seal_arguments` do not say what the seal is asked about")
    with session.stage(facts) as stage:
        parts: Parts = {skill: stage.agent.names("parts", skill) for skill in session.skills}
        reached = sum(_reachable(stage, skill, parts[skill]) for skill in session.skills)
    session.through(facts, [without(*group) for group in groups], lambda stage: _closed(stage, parts))
    return reached


def _reachable(stage: Stage, skill: str, parts: tuple[str, ...]) -> int:
    for part in parts:
        outcome = stage.agent.outcome("reach", part)
        if not outcome.ran:
            message = f"`{part}` of `{skill}` cannot be reached though {stage.swapped.world}: {outcome.text:.200}"
            raise Fallen(Reason.NOT_SHOWN, message, "repair the host's `reach`, or take the part out of `parts`")
    return len(parts)


def _closed(stage: Stage, parts: Parts) -> None:
    """While one group is sealed, its parts are closed, and the first of each other skill's is open."""
    if stage.dead:
        return
    group = stage.swapped.world.denied or frozenset()
    shared = {part for skill, owned in parts.items() if skill not in group for part in owned}
    sealed = {part: skill for skill in sorted(group) for part in parts[skill] if part not in shared}
    for part, skill in sealed.items():
        if stage.agent.outcome("reach", part).ran:
            _fall(stage, f"`{part}`, which belongs to `{skill}`, can be reached")
    shown = names_in(stage.agent.call("table")) & sealed.keys() if stage.session.has("table") else frozenset()
    if shown:
        _fall(stage, f"{quoted(shown)} of {quoted(group)} stands in the table")
    for skill in stage.session.skills:
        if skill not in group:
            _reachable(stage, skill, parts[skill][:1])


def _fall(stage: Stage, what: str) -> None:
    remedy = "map every tool and every file to its skill, and ask the seal about the skill"
    raise Fallen(Reason.LEAKED, f"{what} though {stage.swapped.world}", remedy, tuple(stage.script))


INVARIANT = Invariant(id=ID, family="doors", scope=Scope.RUN, page=__doc__ or "", play=play)
