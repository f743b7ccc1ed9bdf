"""Layouts are learnt from the programs that are judged, and say under which key a verdict on a tree is kept."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

from pytest_invariants.hook.cache import Cache
from pytest_invariants.hook.carry import carried
from pytest_invariants.hook.footing import forms
from pytest_invariants.hook.git import Git, Tree
from pytest_invariants.hook.grounds import Files, Grounds
from pytest_invariants.hook.grounds import from_bytes as grounds_from_bytes
from pytest_invariants.hook.kept import digest
from pytest_invariants.hook.layout import LINK, Layout, Row, answer_name, id_of, layout_name, read_layout, rows_in
from pytest_invariants.hook.quick import judged_by
from pytest_invariants.hook.snapshot import PROJECT, Snapshot
from pytest_invariants.hook.standing import Standing, as_json, from_json

if TYPE_CHECKING:
    from pytest_invariants.program.program import Program

Found: TypeAlias = tuple[Standing, Layout | None, Grounds | None]
"""How a tree stands, where its files lie, and on what that rests."""
RECENT = 8
"""Trees that were judged last, and of which the verdicts may be carried over."""
TRIED = 2
"""Of these, the likest ones, that are compared."""


def as_bytes(found: Found) -> bytes:
    standing, layout, grounds = found
    parts = [json.dumps(as_json(standing)).encode(), grounds.to_bytes() if grounds is not None else b""]
    return b"\n".join([*parts, layout.to_bytes() if layout is not None else b""])


def from_bytes(said: bytes) -> Found:
    """The opposite of `as_bytes`."""
    standing, grounds, layout = said.split(b"\n", 2)
    return from_json(json.loads(standing)), Layout.from_bytes(layout), grounds_from_bytes(grounds)


class Layouts:
    """Those of one registry, at its path from the top of the repository."""

    def __init__(self, git: Git, cache: Cache, registry: str) -> None:
        self._git, self._cache, self._registry = git, cache, registry
        self._judge = judged_by()
        self._tried: list[Files] = []

    def key(self, tree: Tree) -> str | None:
        """The key of the verdict on a tree; None where it is not known which of its files count."""
        layout = self._layout(tree)
        if layout is None:
            return None
        listing = listing_of(tree)
        inside = layout.inside(listing)
        if inside not in layout.insides or not self._is_apart(layout, tree, listing):
            return None
        return self._key_of(tree, inside)

    def _key_of(self, tree: Tree, inside: str) -> str:
        return digest(self._judge, self._row(tree), inside.encode())

    def keep(self, shot: Snapshot, tree: Tree, found: Found) -> None:
        """Keep what was found of a tree; but what is said of a mistake hangs on more, and is soon found again."""
        standing, layout, grounds = found
        if standing.problems:
            return
        if layout is not None:
            self.learn(tree, layout)
        key = self.key(tree)
        self._cache.put(key or shot.key, standing)
        if key is not None and grounds is not None:
            self._cache.write(f"grounds-{key}", grounds.to_bytes())
            self._tried.clear()

    def carry(self, shot: Snapshot, tree: Tree) -> Standing | None:
        """How a tree stands, by how others stood; None where that does not tell."""
        layout = self._layout(tree)
        if layout is None or shot.code is None or not self._is_apart(layout, tree, listing_of(tree)):
            return None
        files = Files.of(shot, layout, listing_of(tree))
        if files in self._tried:
            return None
        self._tried.append(files)
        for standing, grounds in self._likest(layout, tree, files):
            found = carried(self._git, files, grounds, standing)
            if found is not None:
                self.keep(shot, tree, (found[0], layout, found[1]))
                return found[0]
        return None

    def _likest(self, layout: Layout, tree: Tree, files: Files) -> list[tuple[Standing, Grounds]]:
        """How other trees stood on which the verdicts may rest, those first in which the fewest files were others."""
        rows: list[tuple[int, Standing, Grounds]] = []
        for inside in reversed(layout.insides[-RECENT:]):
            key = self._key_of(tree, inside)
            grounds, standing = grounds_from_bytes(self._cache.read(f"grounds-{key}") or b""), self._cache.get(key)
            if grounds is not None and standing is not None:
                rows.append((len(files.changed_since(grounds.files)), standing, grounds))
        return [(standing, grounds) for _, standing, grounds in sorted(rows, key=lambda row: row[0])[:TRIED]]

    def _is_apart(self, layout: Layout, tree: Tree, listing: bytes) -> bool:
        """Whether no word comes up in what is apart, and no link leads out of it; that it is so is kept."""
        spans = layout.unknown(listing)
        rows = [row for _, span in spans.values() for row in rows_in(listing, span)]
        ids = [id_of(row).decode() for row in rows if row.endswith(b".py")]
        if any(row.startswith(LINK) for row in rows) or any(map(layout.connects, self._git.contents(ids).values())):
            return False
        if spans:
            layout.clean += spans
            self._cache.write(layout_name(self._judge, self._row(tree)), layout.to_bytes())
        return True

    def learn(self, tree: Tree, made: Layout) -> None:
        """Keep what the program that was judged said of the tree."""
        if self._cache.cold:
            return
        known, listing = self._layout(tree), listing_of(tree)
        if known is not None and known.same_parts(made):
            made.insides, made.clean = known.insides, known.clean
        inside = made.inside(listing)
        made.insides = [*(each for each in made.insides if each != inside), inside]
        made.clean += [*made.unknown(listing)]
        self._cache.write(layout_name(self._judge, self._row(tree)), made.to_bytes())

    def keep_answer(self, before: Tree, after: Tree, status: int, text: str) -> None:
        """Keep what was said of a change, where the layout holds on both sides."""
        layout = self._layout(after)
        if layout is None or self.key(before) is None or self.key(after) is None:
            return
        states = layout.inside(listing_of(before)), layout.inside(listing_of(after))
        self._cache.write(answer_name(self._judge, self._row(after), *states), f"{status}\n{text}".encode())

    def _layout(self, tree: Tree) -> Layout | None:
        if self._cache.cold or self._registry not in tree:
            return None
        return read_layout(self._cache.kept, layout_name(self._judge, self._row(tree)))

    def _row(self, tree: Tree) -> Row:
        return listing_of({self._registry: tree[self._registry]}).removesuffix(b"\0")


def listing_of(tree: Tree) -> bytes:
    """A tree as `git ls-files --stage -z` writes it."""
    found = sorted((os.fsencode(path), blob) for path, blob in tree.items())
    return b"".join(f"{blob.mode} {blob.id} 0\t".encode() + path + b"\0" for path, blob in found)


def layout_of(shot: Snapshot, program: Program | None) -> Layout | None:
    """The layout that a program shows; None where any file may count."""
    related = program.related if program is not None else None
    if program is None or related is None or shot.follows_links or shot.code is None:
        return None
    inside = "" if shot.root == "." else f"{shot.root}/"
    apart = tuple(folder for folders in program.apart.values() for folder in folders)
    if any(source.path.startswith(apart) for source in program.sources.values()):
        return None  # one root of the code lies in another
    named = [folder for group in related.named for folder in program.apart.get(group, ())]
    return Layout(
        _encoded(inside, _code(shot.code)),
        _encoded(inside, apart),
        sorted([*_encoded(inside, [*named, *_naming(shot.code)]), *map(os.fsencode, _projects(shot))]),
        sorted(word.encode() for word in related.words),
        _encoded(inside, shot.footing.found),
        _encoded(inside, {*shot.footing.names} - shot.footing.found),
    )


def _encoded(inside: str, paths: Iterable[str]) -> list[bytes]:
    return sorted({os.fsencode(f"{inside}{path}") for path in paths})


def _code(entries: tuple[str, ...]) -> Iterator[str]:
    """Folders and files of the code, and what makes packages of the folders above them."""
    for entry in entries:
        for form in forms(entry):
            yield from (form, f"{form}.py") if form.endswith(".py") else (f"{form}/", f"{form}.py")
            yield from (f"{above}/__init__.py" for above in PurePosixPath(form).parents if str(above) != ".")
            if form == ".":
                yield ""


def _naming(entries: tuple[str, ...]) -> Iterator[str]:
    """What gives the packages of the code their names, also of those that are apart: files that make packages of folders, and
    folders of the code in which another one lies."""
    every = {form for entry in entries for form in forms(entry)}
    for form in every:
        folders = [PurePosixPath(form), *PurePosixPath(form).parents]
        yield from (f"{folder}/__init__.py" for folder in folders if str(folder) != ".")
        if any(other == "." or form.startswith(f"{other}/") for other in every - {form}):
            yield f"{form}/"


def _projects(shot: Snapshot) -> Iterator[str]:
    """The files that would make a folder above the registry the root of the repository."""
    for folder in PurePosixPath(shot.shown).parents:
        yield str(folder / PROJECT)
