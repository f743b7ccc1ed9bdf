"""The one loader: the folders of a root that hold a SKILL.md, in the order of their names."""

from __future__ import annotations

import difflib
import importlib.util
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from skills.frontmatter import parse_skill
from skills.model import Skill, Tool
from skills.problems import Problem, SkillFileError

ROOT = Path(__file__).resolve().parent
MANUAL = "SKILL.md"
TOOLS = "tools.py"


class SkillLoader:
    """Reads skills when it is made and again on `reload`; in between the answer stays the same.

    `enabled` are the names of the skills that take part: None for all of the root, an empty list for none. `disabled`
    are those that take no part whatever else is said.
    """

    def __init__(self, root: Path = ROOT, enabled: Sequence[str] | None = None, disabled: Sequence[str] = ()) -> None:
        self._root = root
        self._enabled = enabled
        self._disabled = disabled
        self._skills: tuple[Skill, ...] = ()
        self._withheld: frozenset[str] = frozenset()
        self.reload()

    def all(self) -> tuple[Skill, ...]:
        return self._skills

    def withheld(self) -> frozenset[str]:
        """The MCP namespaces that skills claim which take no part: such a skill takes its namespaces with it."""
        return self._withheld

    def reload(self) -> None:
        """Read the files again.

        Raises:
            SkillFileError: with the problems of all files; what was read before stays in force.
        """
        problems: list[Problem] = []
        folders = self._folders(problems)
        taking_part = self._taking_part(folders, problems)
        read = {name: _attempt(folder, name in taking_part, problems) for name, folder in folders.items()}
        if problems:
            raise SkillFileError(problems)
        found = [skill for skill in read.values() if skill is not None]
        self._skills = tuple(skill for skill in found if skill.name in taking_part)
        claims = {namespace for skill in self._skills for namespace in skill.mcp}
        self._withheld = frozenset(namespace for skill in found for namespace in skill.mcp) - claims

    def _folders(self, problems: list[Problem]) -> dict[str, Path]:
        """The folders of skills by their names, whether or not they take part."""
        found = {path.name: path for path in sorted(self._root.iterdir()) if path.is_dir()}
        for name, folder in found.items():
            odd = [
                entry.name for entry in folder.iterdir() if entry.name != MANUAL and entry.name.lower() == "skill.md"
            ]
            problems.extend(Problem(f"{name}/{entry}", 1, f"name the file {MANUAL}") for entry in odd)
        return {name: folder for name, folder in found.items() if (folder / MANUAL).is_file()}

    def _taking_part(self, known: Collection[str], problems: list[Problem]) -> frozenset[str]:
        """The names of the skills that take part. An entry of either list that matches no skill is a problem."""
        for kind, names in (("enabled", self._enabled or ()), ("disabled", self._disabled)):
            for name in sorted(set(names) - set(known)):
                close = difflib.get_close_matches(name, known, 1)
                hint = f"did you mean {close[0]}?" if close else "there is no such folder with a SKILL.md"
                problems.append(Problem(str(self._root), 1, f"{kind} skill {name!r}: {hint}"))
        return frozenset(known if self._enabled is None else self._enabled) - frozenset(self._disabled)


def skills_in_force(turn_loader: SkillLoader | None, process_loader: SkillLoader | None) -> tuple[Skill, ...] | None:
    """The skills of the turn's loader, else those of the process-wide one, else None: nothing is known about skills."""
    loader = turn_loader if turn_loader is not None else process_loader
    return loader.all() if loader is not None else None


def withheld_in_force(turn_loader: SkillLoader | None, process_loader: SkillLoader | None) -> frozenset[str]:
    """The withheld namespaces by the loader that answers; none where nothing is known about skills."""
    loader = turn_loader if turn_loader is not None else process_loader
    return loader.withheld() if loader is not None else frozenset()


def _attempt(folder: Path, with_tools: bool, problems: list[Problem]) -> Skill | None:
    """The skill of a folder, or None where its problems have been noted."""
    try:
        skill = _read(folder)
        return replace(skill, tools=_own_tools(folder)) if with_tools else skill
    except SkillFileError as error:
        problems.extend(error.problems)
        return None


def _read(folder: Path) -> Skill:
    file = folder / MANUAL
    path = f"{folder.name}/{MANUAL}"
    skill = parse_skill(file.read_bytes(), path)
    if skill.name != folder.name:
        raise SkillFileError(
            [Problem(path, 1, f"name is {skill.name!r}, the folder is {folder.name!r}: make them equal")]
        )
    return skill


def _own_tools(folder: Path) -> tuple[Tool, ...]:
    """The `TOOLS` of the folder's module, marked with their owner; a skill may have none."""
    file = folder / TOOLS
    if not file.is_file():
        return ()
    spec = importlib.util.spec_from_file_location(f"skills.{folder.name}.tools", file)
    if spec is None or spec.loader is None:
        raise SkillFileError([Problem(f"{folder.name}/{TOOLS}", 1, "not a Python module")])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tools: tuple[Tool, ...] = module.TOOLS
    return tuple(replace(tool, owner=folder.name, namespace=None) for tool in tools)
