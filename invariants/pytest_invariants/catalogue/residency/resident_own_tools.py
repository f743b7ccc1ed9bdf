"""A resident skill makes its own tools resident, and never those of the namespaces that it claims.

What it states
    The set of resident tools is the union of the central list and the own tools of the resident skills. All own tools
    of a resident skill are in it; the tools of a namespace that the skill claims are not, unless the list names them.

Why it matters
    A namespace holds dozens to hundreds of tools. One line in one file would put them all into every request, where
    each costs tokens in every turn, and where they crowd out what the model needs.

A failing example
    ::

        def resident(skills):
            return {tool for skill in skills if skill.resident for tool in group(skill)}   # with the namespaces

    Refuted, `disagrees`: `warehouse__count` is resident and stands neither in the list nor among a skill's own tools.

The repair
    Take the skill's own tools by their declaration, not all tools of its group.

Its limits
    The host's `resident_skills`, `own_tools` and `parts` are believed. Without a central list in the registry only
    the parts of resident skills are looked at.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe import paths
from pytest_invariants.probe.answers import Fallen, Lacking, of_run
from pytest_invariants.probe.judge import quoted
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.worlds import REAL
from pytest_invariants.verdict import Reason

ID = "resident-own-tools"


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("resident", "resident_skills", "own_tools")
    central = paths.central(session)
    looked: set[str] = set()
    for facts in paths.everywhere(session):
        with session.stage(facts, REAL) as stage:
            looked |= _look(stage, central)
    if not looked:
        raise Lacking("no skill is resident as a whole under any of the host's facts")
    return f"the resident skills ({', '.join(sorted(looked))}) add their own tools and no others"


def _look(stage: Stage, central: frozenset[str]) -> set[str]:
    agent, resident = stage.agent, frozenset(stage.agent.names("resident"))
    skills = agent.names("resident_skills")
    own = {skill: frozenset(agent.names("own_tools", skill)) for skill in skills}
    for skill, tools in own.items():
        if tools - resident:
            message = f"`{skill}` is resident, and its own {quoted(tools - resident)} is not, with {stage.facts}"
            raise Fallen(Reason.DISAGREES, message, "make every own tool of a resident skill resident")
    due = central.union(*own.values())
    foreign = resident - due if central else _foreign(stage, skills, own) & resident
    if foreign:
        message = f"{quoted(foreign)} is resident and neither in the central list nor a resident skill's own tool"
        remedy = "take the skill's own tools, not those of the namespaces that it claims"
        raise Fallen(Reason.DISAGREES, f"{message}, with {stage.facts}", remedy)
    return set(skills)


def _foreign(stage: Stage, skills: tuple[str, ...], own: dict[str, frozenset[str]]) -> frozenset[str]:
    """What belongs to the groups of the resident skills and is nobody's own tool."""
    if not stage.session.has("parts"):
        raise Lacking("the registry names no central list and the host has no `parts`, so foreign tools cannot be told")
    parts = frozenset(part for skill in skills for part in stage.agent.names("parts", skill))
    return parts.difference(*own.values())


INVARIANT = Invariant(id=ID, family="residency", scope=Scope.RUN, page=__doc__ or "", play=play)
