"""Which tools wait for a manual, and whether the table shows those of them, and only those, that are unlocked."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_invariants.probe.answers import Fallen
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.tables import said, shown
from pytest_invariants.verdict import Reason

Owners = Mapping[str, tuple[str, ...]]
"""For each tool that waits, the skills of which one has to be loaded."""


def judge(stage: Stage, owners: Owners) -> frozenset[str]:
    """The tools that wait and are shown. Raises Fallen where one is shown too early, or not although it is unlocked."""
    loaded, table = frozenset(stage.agent.names("loaded")), frozenset(shown(stage).names)
    found = said(stage, "searchable")
    for tool, skills in owners.items():
        by = sorted(loaded & set(skills))
        if by and tool not in table:
            message = f"`{tool}` is not shown though `{by[0]}` counts as loaded"
            _fall(stage, message, "unlock what a skill lists as soon as any of its skills is loaded", loaded)
        if not by and tool in table | found:
            where = "is shown" if tool in table else "can be found by a search"
            message = f"`{tool}` {where} though none of {', '.join(skills) or 'its skills'} counts as loaded"
            _fall(stage, message, "mask it until one of the skills that list it is loaded", loaded)
    return frozenset(owners) & table


def search_tool(stage: Stage) -> frozenset[str]:
    """The name of the search tool, which goes when there is nothing left to find."""
    return frozenset({str(stage.agent.call("search_tool"))}) if stage.session.has("search_tool") else frozenset()


def _fall(stage: Stage, message: str, remedy: str, loaded: frozenset[str]) -> None:
    script = (*stage.script, f"loaded: {', '.join(sorted(loaded)) or 'nothing'}")
    raise Fallen(Reason.DISAGREES, f"{message}, with {stage.facts}", remedy, script)
