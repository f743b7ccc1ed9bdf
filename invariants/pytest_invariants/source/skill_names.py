"""What one skill file alone cannot show: skills that are counted twice, and names that are taken for one another."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from pytest_invariants.registry.problems import quoted
from pytest_invariants.source.skill_files import MANUAL, Flaw

LOOK_ALIKES = str.maketrans(
    "аеорсухіјѕԁһӏոցզԛԝвкмнтɑɡοανιτρυѵⅼ", "aeopcyxijsdhlngqqwbkmhtagoavitpuvl"
)  # fmt: skip
"""Letters of other alphabets that look like those of a skill's name, among them Cyrillic, Greek and Armenian ones."""
_JOINTS = re.compile(r"[\s_.-]+")


def slug(name: str) -> str:
    """What is left of a name once case, accents, look-alike letters and kinds of joints are taken for nothing."""
    plain = unicodedata.normalize("NFKD", name).casefold().translate(LOOK_ALIKES)
    letters = "".join(char for char in plain if not unicodedata.combining(char))
    return _JOINTS.sub("-", letters).strip("-")


def is_manual(path: str) -> bool:
    return path.rpartition("/")[2].lower() == MANUAL.lower()


def check_tree(paths: Iterable[str], targets: Mapping[str, str]) -> list[Flaw]:
    """Every flaw of the skills of a repository taken together.

    `paths` are those of its files, and `targets` says where each of its links leads.
    """
    manuals = sorted(path for path in paths if is_manual(path))
    return sorted({*check_places(manuals, targets), *check_names(manuals)})


def check_places(manuals: list[str], targets: Mapping[str, str]) -> list[Flaw]:
    """Manuals that some readers do not find, and others count twice."""
    return sorted({*_file_names(manuals), *_links(targets, manuals), *_nested(manuals)})


def _file_names(manuals: list[str]) -> Iterator[Flaw]:
    for path in manuals:
        if not path.endswith(MANUAL):
            yield Flaw(path, 1, "readers that mind the case do not find this file", f"rename it to {MANUAL}")


def _links(targets: Mapping[str, str], manuals: list[str]) -> Iterator[Flaw]:
    """A link to a manual, or to a folder with manuals below it, brings a skill into view a second time."""
    for path, target in targets.items():
        end = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        if is_manual(path) or any(manual.startswith(f"{end}/") for manual in manuals):
            message = "this is a link to a skill, which some readers count twice and others pass over"
            yield Flaw(path, 1, message, "put the files themselves here, or remove the link")


def _nested(manuals: list[str]) -> Iterator[Flaw]:
    folders = {str(PurePosixPath(path).parent): path for path in manuals}
    for folder, path in folders.items():
        outer = next((str(above) for above in PurePosixPath(folder).parents if str(above) in folders), None)
        if outer is not None and outer != ".":
            message = f"it lies inside the skill {quoted(outer)}: some readers count it, and others do not"
            yield Flaw(path, 1, message, "move it beside that skill, or rename the file")


def check_names(manuals: list[str], *, one_agent: bool = False) -> Iterator[Flaw]:
    """Folders whose names become one where a reader or a file system is not exact.

    Only folders beside each other are compared, unless `one_agent` reads them all.
    """
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path in manuals:
        folder = PurePosixPath(path).parent
        groups["" if one_agent else slug(str(folder.parent)), slug(folder.name)].append(path)
    for paths in groups.values():
        for path in paths if len(paths) > 1 else ():
            other = next(each for each in paths if each != path)
            message = f"the skill is easily taken for {quoted(str(PurePosixPath(other).parent))}"
            yield Flaw(path, 1, message, "give it a name of its own")
