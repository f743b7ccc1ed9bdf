"""A tool that several skills list is unlocked by any one of them.

What it states
    For each tool of the host's `owners` with more than one skill, and for each of these skills: a fresh agent in which
    that skill alone is loaded shows the tool.

Why it matters
    Masking that is written as "all tools of the skills that are not loaded" hides a shared tool until the last of its
    skills is loaded. The model has read the right manual, and the tool is not there.

A failing example
    ::

        masked = {tool for skill in skills if skill.name not in loaded for tool in skill.tool_ids}

    Refuted, `disagrees`: `create_order` is not shown though `phone_order` counts as loaded. With
    `listed - {tool for skill in skills if skill.name in loaded for tool in skill.tool_ids}` it holds.

The repair
    Take what the loaded skills list away from what is listed at all, in this order.

Its limits
    A host in which no two skills list one tool shows nothing of this.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe import masks
from pytest_invariants.probe.answers import Lacking, of_run
from pytest_invariants.probe.host import Facts
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.tables import lighten, mapping, settle

ID = "shared-tool-any-owner"


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("table", "owners", "load", "loaded")
    tried = sum(_alone(session, facts, *pair) for facts in session.facts for pair in _shared(session, facts))
    if not tried:
        raise Lacking("no tool is listed by more than one skill, or all of them are unlocked from the start")
    return f"{tried} times one of several skills was loaded, and the tool that they share was shown"


def _shared(session: ProbeSession, facts: Facts) -> list[tuple[str, str]]:
    """Every tool with several skills, with each of them."""
    with session.stage(facts) as stage:
        owners = mapping(stage, "owners")
    return [(tool, skill) for tool, skills in owners.items() if len(skills) > 1 for skill in skills]


def _alone(session: ProbeSession, facts: Facts, tool: str, skill: str) -> bool:
    """Whether the tool was masked before the skill was loaded."""
    with session.stage(facts) as stage:
        lighten(stage)
        only = {tool: mapping(stage, "owners")[tool]}
        before = masks.judge(stage, only)
        stage.pull("load", skill)
        settle(stage)
        masks.judge(stage, only)
        return not before


INVARIANT = Invariant(id=ID, family="masking", scope=Scope.RUN, page=__doc__ or "", play=play)
