"""The host of a server that serves the folders of skills as resources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

from pytest_invariants.hosts.fastmcp.host import FastMCPHost, names_of
from pytest_invariants.probe.host import Listing, Outcome, Where

MANUAL, MANIFEST = "SKILL.md", "_manifest"


class SkillsHost(FastMCPHost):
    """Give `skills` (names of skill folders), `folder` and `build`.

    Surfaces beside those of `FastMCPHost`: `list_skills` and `get_skill` (the extension for skills, which the newer
    provider brings). All files of a skill are its `parts`. Without `seal_arguments` of your own, a skill counts as
    sealed when its manual is disabled, and a part that is still read then belongs to a skill that is half sealed.
    """

    folder: ClassVar[Path]
    """Where the folders of the skills lie."""

    def uri_of(self, skill: str) -> str:
        return skill if "://" in skill else f"skill://{skill}/{MANUAL}"

    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        manual = self.uri_of(skill)
        return {"component": Where(lambda component: manual in names_of(component))}

    # Surfaces

    async def list_skills(self) -> Listing:
        entries = await self.asked(lambda client: client.list_skills(cache_mode="bypass"))
        return self.listing(self.uri_of, [str(entry.uri) for entry in entries], entries)

    async def get_skill(self, name: str) -> Outcome:
        uri = self.uri_of(name)
        entry = await self.asked(lambda client: client.get_skill(uri, cache_mode="bypass"))
        return Outcome(True, repr(entry))

    # Facts

    def parts(self, skill: str) -> list[str]:
        """The addresses of its files, in a fixed order, and of its manifest."""
        root = self.folder / skill
        files = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
        return [f"skill://{skill}/{quote(file)}" for file in (*files, MANIFEST)]

    async def reach(self, part: str) -> Outcome:
        return await self.read(part)

    def spellings(self, skill: str) -> list[str]:
        return list(_spelled(skill))


def _spelled(skill: str) -> Iterator[str]:
    """Addresses that stand for the manual where a path is decoded or made shorter on the way."""
    for file in ("SKILL%2Emd", "%53KILL.md", "./SKILL.md", "/SKILL.md", "x/../SKILL.md", "skill.md"):
        yield f"skill://{skill}/{file}"
    yield f"skill://{skill.upper()}/{MANUAL}"
    yield f"SKILL://{skill}/{MANUAL}"
