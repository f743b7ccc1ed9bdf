"""Which tools are in every request.

Residency is a union of two sources. The central list below holds in any loading state, and no frontmatter takes a name
away from it. A skill with `availability: resident` adds its own tools, never those of the MCP namespaces it claims.
Both loading paths must give one answer, so a name that a skill makes resident stands in the central list too.
"""

from __future__ import annotations

from collections.abc import Sequence

from skills.loader import SkillLoader, skills_in_force
from skills.model import Availability, Skill

ALWAYS_AVAILABLE: frozenset[str] = frozenset(
    {
        "search_knowledge",
        "load_skill",
        "flush_memory",
        "introspect",
        "read_manual",
        "get_current_time",
        "note_add",
        "note_find",
    }
)


def resident_by_skill(skills: Sequence[Skill]) -> frozenset[str]:
    """The own tools of the resident skills: those without a namespace."""
    return frozenset(
        tool.name
        for skill in skills
        if skill.availability is Availability.RESIDENT
        for tool in skill.tools
        if tool.namespace is None
    )


def resident_names(skills: Sequence[Skill] | None, central: frozenset[str] = ALWAYS_AVAILABLE) -> frozenset[str]:
    """Every resident name; `skills` is None on a path without a loader."""
    return central | resident_by_skill(skills or ())


def always_loaded(tool: str, skills: Sequence[Skill] | None, central: frozenset[str] = ALWAYS_AVAILABLE) -> bool:
    """Whether a tool is in every request: it is in the central list, or a resident skill's own."""
    return tool in resident_names(skills, central)


def resident_with_loader() -> frozenset[str]:
    """The resident set on the path with a loader: the agent's own process."""
    return resident_names(skills_in_force(SkillLoader(), None))


def resident_without_loader() -> frozenset[str]:
    """The resident set on the path without one: integration tests, rehearsal of a restart, bootstrap."""
    return resident_names(skills_in_force(None, None))
