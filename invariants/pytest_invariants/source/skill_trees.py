"""The skill folders of a repository as they lie on the disk: manuals, and links, which are told and not followed."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pytest_invariants.source.skill_files import MANUAL, Flaw, Style, check_file
from pytest_invariants.source.skill_names import check_places, is_manual
from pytest_invariants.verdict import RUN, Finding, Place, Reason, Step, Verdict


@dataclass(frozen=True, slots=True)
class SkillTree:
    """`manuals` are paths from the repository's root, sorted; `links` says where each link below the folders leads."""

    root: Path
    manuals: tuple[str, ...]
    links: Mapping[str, str]

    def flaws(self, style: Style) -> list[Flaw]:
        """Everything that is wrong with single files and with the places where they lie."""
        own = [flaw for path in self.manuals if path not in self.links for flaw in self._check(path, style)]
        return sorted({*own, *check_places(list(self.manuals), self.links)})

    def _check(self, path: str, style: Style) -> list[Flaw]:
        try:
            raw = (self.root / path).read_bytes()
        except OSError as error:
            return [Flaw(path, 1, f"the file cannot be read ({error.strerror})", "let it be read")]
        return check_file(raw, path, PurePosixPath(path).parent.name, style)


def skill_tree(root: Path, folders: Iterable[str]) -> SkillTree:
    """What lies below these folders of the repository."""
    manuals: set[str] = set()
    links: dict[str, str] = {}
    for folder in folders:
        for here, subfolders, files in os.walk(root / folder):
            for name in (*subfolders, *files):
                path = Path(here, name)
                shown = path.relative_to(root).as_posix()
                if path.is_symlink():
                    into = f"/{MANUAL}" if (path / MANUAL).is_file() else ""
                    links[f"{shown}{into}"] = f"{os.readlink(path)}{into}"
                if is_manual(shown) and not path.is_dir():
                    manuals.add(shown)
    return SkillTree(root, tuple(sorted(manuals)), links)


def lacking(invariant: str, folders: Collection[str], tree: SkillTree) -> Finding | None:
    """The finding where there is nothing to judge; None where there is."""
    if not folders:
        message = "the registry names no folder of skills"
        return Finding(RUN, invariant, Verdict.UNEXAMINED, message=message, remedy="name them under `skills`")
    if not tree.manuals:
        message = f"no {MANUAL} lies below {', '.join(folders)}"
        remedy = "correct `skills` in the registry"
        return Finding(RUN, invariant, Verdict.REFUTED, reason=Reason.NOT_SHOWN, message=message, remedy=remedy)
    return None


def found(invariant: str, reason: Reason, flaws: Iterable[Flaw], held: str) -> Finding:
    """One finding out of all flaws; notes are none."""
    wrong = [flaw for flaw in flaws if not flaw.note]
    if not wrong:
        return Finding(RUN, invariant, Verdict.PROVED, message=held)
    first, *others = wrong
    more = f" (and {len(others)} more)" if others else ""
    trace = tuple(Step(Place(flaw.path, flaw.line), f"{flaw.message}; {flaw.remedy}") for flaw in wrong)
    return Finding(
        RUN,
        invariant,
        Verdict.REFUTED,
        reason=reason,
        at=Place(first.path, first.line),
        trace=trace,
        message=f"{first.message}{more}",
        remedy=first.remedy,
    )
