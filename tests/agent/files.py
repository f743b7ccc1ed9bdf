"""The part of the host that has to do with skill files: reading folders, and disabling skills by name."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pytest_invariants import Host

from skills.loader import SkillLoader


class FilesHost(Host):
    """`disabled` are the names with which the agent is started."""

    disabled: tuple[str, ...] = ()

    def read_skills(self, folder: Path) -> dict[str, str]:
        return {skill.name: skill.description for skill in SkillLoader(folder).all()}

    def disable(self, *names: str) -> None:
        SkillLoader(disabled=names)
        self.disabled = names
        self.restart()

    def restart(self) -> None:
        """The agent starts again, without what is disabled."""
        raise NotImplementedError


@cache
def bodies() -> frozenset[str]:
    """The manuals of all skills of the repository, whether or not an agent knows them."""
    return frozenset(skill.body for skill in SkillLoader().all())
