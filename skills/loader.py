"""The one loader: the folders of a root that hold a SKILL.md, in the order of their names."""

from __future__ import annotations

import difflib
import importlib.util
from collections.abc import Sequence
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

    `enabled` are the names of the skills that take part: None for all of the root, an empty list for none.
    """

    def __init__(self, root: Path = ROOT, enabled: Sequence[str] | None = None) -> None:
        self._root = root
        self._enabled = enabled
        self._skills: tuple[Skill, ...] = ()
        self.reload()

    def all(self) -> tuple[Skill, ...]:
        return self._skills

    def reload(self) -> None:
        """Read the files again.

        Raises:
            SkillFileError: with the problems of all files; what was read before stays in force.
        """
        skills: list[Skill] = []
        problems: list[Problem] = []
        for folder in self._folders(problems):
            try:
                skills.append(_read(folder))
            except SkillFileError as error:
                problems.extend(error.problems)
        if problems:
            raise SkillFileError(problems)
        self._skills = tuple(skills)

    def _folders(self, problems: list[Problem]) -> list[Path]:
        found = {path.name: path for path in sorted(self._root.iterdir()) if path.is_dir()}
        for name, folder in found.items():
            odd = [
                entry.name for entry in folder.iterdir() if entry.name != MANUAL and entry.name.lower() == "skill.md"
            ]
            problems.extend(Problem(f"{name}/{entry}", 1, f"name the file {MANUAL}") for entry in odd)
        known = {name: folder for name, folder in found.items() if (folder / MANUAL).is_file()}
        if self._enabled is None:
            return list(known.values())
        for name in sorted(set(self._enabled) - set(known)):
            close = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {close[0]}?" if close else "there is no such folder with a SKILL.md"
            problems.append(Problem(str(self._root), 1, f"enabled skill {name!r}: {hint}"))
        return [folder for name, folder in known.items() if name in self._enabled]


def skills_in_force(turn_loader: SkillLoader | None, process_loader: SkillLoader | None) -> tuple[Skill, ...] | None:
    """The skills of the turn's loader, else those of the process-wide one, else None: nothing is known about skills."""
    loader = turn_loader if turn_loader is not None else process_loader
    return loader.all() if loader is not None else None


def _read(folder: Path) -> Skill:
    file = folder / MANUAL
    path = f"{folder.name}/{MANUAL}"
    skill = parse_skill(file.read_bytes(), path)
    if skill.name != folder.name:
        raise SkillFileError(
            [Problem(path, 1, f"name is {skill.name!r}, the folder is {folder.name!r}: make them equal")]
        )
    return replace(skill, tools=_own_tools(folder))


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
