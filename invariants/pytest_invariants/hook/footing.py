"""What a registry is looked up by name alone: the folders of code and of skills, and what lies beside them under a name that it uses.

Of a folder only that it is there counts, whatever it holds: git knows no empty one, so it is told from the paths of files.
Links on the way are followed where they stay inside the repository. A submodule is a folder of which nothing is known.
"""

from __future__ import annotations

import os
import posixpath
import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pytest_invariants.hook.git import LINK, SUBMODULE, Blob, Git, Tree

NAMED = re.compile(r"\b(?P<group>[^\W\d]\w*)[\w.]*:[^\W\d]")
"""What a registry names, by the look of it."""
MOST_LINKS = 40
"""More in a row are a loop."""


@dataclass(frozen=True, slots=True)
class Footing:
    """Paths are relative to the repository's root."""

    names: tuple[str, ...] = ()
    """All that was looked at, sorted, whether it is there or not; the others are among them."""
    folders: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    links: Tree = field(default_factory=dict)
    beside: frozenset[str] = field(default=frozenset(), compare=False)
    """Other folders at the root: one of them may have been meant by a name that is not there."""

    @property
    def found(self) -> frozenset[str]:
        return self.folders | self.files | self.links.keys()

    def is_on(self, root: Path) -> bool:
        """Whether all of the names are on the disk what they are here, and none of them is a link."""
        return not self.links and all(
            (os.path.isdir(root / name), os.path.lexists(root / name))
            == (name in self.folders, name in self.folders or name in self.files)
            for name in self.names
        )


def forms(entry: str) -> set[str]:
    """What the path of an entry of the registry may be, written as a path or with dots; `.` is the root."""
    return {posixpath.normpath(form.lstrip("/") or ".") for form in (entry, entry.replace(".", "/"))}


def footing(git: Git, tree: Tree, inside: str, entries: Iterable[str], text: str) -> Footing:
    """That of a registry with these entries and this text. `inside` is where its repository lies, with a slash or empty."""
    tops = {found["group"] for found in NAMED.finditer(text)}
    wanted = {form for entry in entries for form in forms(entry)} | tops
    search = _Search(git, tree, inside)
    for name in sorted({*wanted, *(f"{name}.py" for name in wanted)} - {".", "..py"}):
        search.look(name)
    return Footing(
        tuple(sorted(search.names)),
        frozenset(search.folders),
        frozenset(search.files),
        search.links,
        frozenset(search.beside()),
    )


class _Search:
    """Names in one tree, and what was found of them."""

    def __init__(self, git: Git, tree: Tree, inside: str) -> None:
        self._git, self._tree, self._inside = git, tree, inside
        self._paths = sorted(path.removeprefix(inside) for path in tree if path.startswith(inside))
        self.names: set[str] = set()
        self.folders: set[str] = set()
        self.files: set[str] = set()
        self.links: dict[str, Blob] = {}

    def beside(self) -> set[str]:
        return {path.partition("/")[0] for path in self._paths if "/" in path}

    def look(self, name: str) -> None:
        """Go from folder to folder, and through links as far as they stay inside."""
        here, rest, links = "", name.split("/"), 0
        while rest:
            part = rest.pop(0)
            if part == ".." and not here:
                return
            place = posixpath.normpath(posixpath.join(here, part))
            link = self._note(place)
            if link is None:
                here = "" if place == "." else place
                continue
            links += 1
            target = os.fsdecode(self._git.contents([link.id])[link.id])
            if target.startswith("/") or links > MOST_LINKS:
                return
            rest = [*filter(None, target.split("/")), *rest]

    def _note(self, place: str) -> Blob | None:
        """Write down what is at a place, and give it back if it is a link."""
        if place == ".":
            return None
        self.names.add(place)
        blob = self._tree.get(self._inside + place)
        if blob is not None and blob.mode == LINK:
            self.links[place] = blob
            return blob
        if self._is_folder(place) or (blob is not None and blob.mode == SUBMODULE):
            self.folders.add(place)
        elif blob is not None:
            self.files.add(place)
        return None

    def _is_folder(self, place: str) -> bool:
        at = bisect_left(self._paths, f"{place}/")
        return at < len(self._paths) and self._paths[at].startswith(f"{place}/")
