"""Agents that read and disable skills: honest ones, and those that break a single rule each."""

from __future__ import annotations

from pathlib import Path

import yaml
from pytest_invariants.probe.host import Facts, Outcome

from tests.catalogue.small import CATEGORIES, Small


class Reads(Small):
    """Honest: it refuses what it does not understand, and names the file."""

    def read_skills(self, folder: Path) -> dict[str, str]:
        found: dict[str, str] = {}
        for path in sorted(folder.iterdir()):
            for file in path.iterdir():
                if file.name != "SKILL.md" and file.name.lower() == "skill.md":
                    raise ValueError(f"{file}: name it SKILL.md")
            name, description = self.read(path / "SKILL.md")
            if name in found:
                raise ValueError(f"{path}: the name {name} is taken")
            found[name] = description
        return found

    def read(self, file: Path) -> tuple[str, str]:
        if file.parent.is_symlink():
            raise ValueError(f"{file}: a link")
        fields = self.fields(file)
        if fields["name"] != file.parent.name:
            raise ValueError(f"{file}: the name {fields['name']} is not the folder's")
        return fields["name"], fields["description"]

    def fields(self, file: Path) -> dict[str, str]:
        try:
            head, fence, _ = file.read_text(encoding="utf-8-sig").removeprefix("---\n").partition("\n---\n")
            fields: dict[str, str] = yaml.safe_load(head)
            return {key: fields[key] for key in ("name", "description")} if fence else {}
        except (ValueError, yaml.YAMLError, KeyError, TypeError) as error:
            raise ValueError(f"{file}: {error!r}") from error


class Drops(Reads):
    """What cannot be read is passed over."""

    def read_skills(self, folder: Path) -> dict[str, str]:
        try:
            return super().read_skills(folder)
        except ValueError:
            return {}


class ReadsLines(Reads):
    """A line is a key, a colon and a value."""

    def fields(self, file: Path) -> dict[str, str]:
        lines = super().fields(file) and file.read_text(encoding="utf-8").splitlines()
        return dict(line.split(": ", 1) for line in lines if line.startswith(("name: ", "description: ")))


class EndsAtDashes(Reads):
    def fields(self, file: Path) -> dict[str, str]:
        fields = super().fields(file)
        return {**fields, "description": fields["description"].partition("---")[0]}


class NeedsNoDescription(Reads):
    def fields(self, file: Path) -> dict[str, str]:
        try:
            return super().fields(file)
        except ValueError:
            if "name: notes" in file.read_text(encoding="utf-8", errors="replace"):
                return {"name": "notes", "description": ""}
            raise


class NeedsNoFrontmatter(Reads):
    def fields(self, file: Path) -> dict[str, str]:
        if file.read_bytes().startswith(b"#"):
            return {"name": file.parent.name, "description": "Is not described."}
        return super().fields(file)


class SaysNothing(Reads):
    def read_skills(self, folder: Path) -> dict[str, str]:
        try:
            return super().read_skills(folder)
        except ValueError:
            raise ValueError from None


class FollowsLinks(Reads):
    def read(self, file: Path) -> tuple[str, str]:
        return file.parent.name, self.fields(file)["description"]


class LastWins(Reads):
    """The key of a skill is its slug."""

    def read_skills(self, folder: Path) -> dict[str, str]:
        found = super().read_skills(folder)
        slugs = {name.lower().replace("_", "-"): name for name in found}
        return {name: found[name] for name in slugs.values()}


class ReadsNothing(Reads):
    def read_skills(self, folder: Path) -> dict[str, str]:
        return {}


class ReadsAList(Reads):
    def read_skills(self, folder: Path) -> dict[str, str]:
        return list(super().read_skills(folder))  # type: ignore[return-value]


class Disables(Small):
    """Honest: it knows exact names, and refuses all others."""

    def open(self, facts: Facts) -> None:
        super().open(facts)
        self.gone: frozenset[str] = frozenset()

    def disable(self, *names: str) -> None:
        if strangers := [name for name in names if name not in CATEGORIES]:
            raise ValueError(f"there is no skill {strangers}")
        self.gone = frozenset(names)

    def closed(self, skill: str) -> bool:
        return super().closed(skill) or self.missing(skill)

    def missing(self, skill: str) -> bool:
        return skill in self.gone

    def parts(self, skill: str) -> list[str]:
        return [f"{skill}/SKILL.md", f"{skill}_tool"]

    def reach(self, part: str) -> Outcome:
        skill = part.removesuffix("/SKILL.md").removesuffix("_tool")
        return Outcome(not self.closed(skill), part)


class ComparesLoosely(Disables):
    """Honest: case and what stands around a name are taken for nothing, and everything else is told."""

    def disable(self, *names: str) -> None:
        plain = {name.strip().lower().partition("/")[0] for name in names}
        super().disable(*(name for name in plain))


class TakesAnything(Disables):
    def disable(self, *names: str) -> None:
        self.gone = frozenset(names)


class RefusesMutely(Disables):
    def disable(self, *names: str) -> None:
        try:
            super().disable(*names)
        except ValueError:
            raise ValueError from None


class HidesOnly(Disables):
    """The list is filtered, and the order is not."""

    def activate(self, *names: str) -> Outcome:
        hidden, self.gone = self.gone, frozenset()
        try:
            return super().activate(*names)
        finally:
            self.gone = hidden


class LeavesTools(Disables):
    """Who has lost the skill still has its tool."""

    def reach(self, part: str) -> Outcome:
        return Outcome(part.endswith("_tool") or super().reach(part).ran, part)


class TakesAll(Disables):
    def missing(self, skill: str) -> bool:
        return bool(self.gone)


class ByPrefix(Disables):
    """A name takes away what it begins with."""

    def disable(self, *names: str) -> None:
        self.gone = frozenset(names)

    def missing(self, skill: str) -> bool:
        return any(skill.startswith(name[:-1].lower()) for name in self.gone)


class ReachesNothing(Disables):
    def reach(self, part: str) -> Outcome:
        return Outcome(False, part)


class AsksNobody(Disables):
    index = None  # type: ignore[assignment]
    activate = None  # type: ignore[assignment]
