"""Layouts are learnt from the programs that are judged, and say under which key a verdict on a tree is kept."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

from pytest_invariants.hook.cache import Cache
from pytest_invariants.hook.git import Git, Tree
from pytest_invariants.hook.kept import digest
from pytest_invariants.hook.layout import Layout, Row, answer_name, id_of, layout_name, modules_in, read_layout
from pytest_invariants.hook.quick import judged_by
from pytest_invariants.hook.snapshot import PROJECT, Snapshot
from pytest_invariants.hook.standing import Standing, as_json, from_json

if TYPE_CHECKING:
    from pytest_invariants.program.program import Program

Found: TypeAlias = tuple[Standing, Layout | None]
"""How a tree stands, and where its files lie."""


def as_bytes(found: Found) -> bytes:
    standing, layout = found
    return json.dumps(as_json(standing)).encode() + b"\n" + (layout.to_bytes() if layout is not None else b"")


def from_bytes(said: bytes) -> Found:
    """The opposite of `as_bytes`."""
    standing, _, layout = said.partition(b"\n")
    return from_json(json.loads(standing)), Layout.from_bytes(layout)


class Layouts:
    """Those of one registry, at its path from the top of the repository."""

    def __init__(self, git: Git, cache: Cache, registry: str) -> None:
        self._git, self._cache, self._registry = git, cache, registry
        self._judge = judged_by()

    def key(self, tree: Tree) -> str | None:
        """The key of the verdict on a tree; None where it is not known which of its files count."""
        layout = self._layout(tree)
        if layout is None:
            return None
        listing = listing_of(tree)
        inside = layout.inside(listing)
        if inside not in layout.insides or not self._is_apart(layout, tree, listing):
            return None
        return digest(self._judge, self._row(tree), inside.encode())

    def _is_apart(self, layout: Layout, tree: Tree, listing: bytes) -> bool:
        """Whether no word comes up in what is apart; that none does is kept."""
        spans = layout.unknown(listing)
        ids = [id_of(row).decode() for _, span in spans.values() for row in modules_in(listing, span)]
        if any(map(layout.connects, self._git.contents(ids).values())):
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
    named = [folder for group in related.named for folder in program.apart.get(group, ())]
    return Layout(
        _encoded(inside, _code(shot.code)),
        _encoded(inside, (folder for folders in program.apart.values() for folder in folders)),
        sorted([*_encoded(inside, named), *map(os.fsencode, _projects(shot))]),
        sorted(word.encode() for word in related.words),
    )


def _encoded(inside: str, paths: Iterator[str] | list[str]) -> list[bytes]:
    return sorted({os.fsencode(f"{inside}{path}") for path in paths})


def _code(entries: tuple[str, ...]) -> Iterator[str]:
    """Folders and files of the code, and what makes packages of the folders above them."""
    for entry in entries:
        for form in {entry.rstrip("/"), entry.replace(".", "/").rstrip("/")} - {""}:
            yield from (form, f"{form}.py") if form.endswith(".py") else (f"{form}/", f"{form}.py")
            yield from (f"{above}/__init__.py" for above in PurePosixPath(form).parents if str(above) != ".")
        if entry.rstrip("/") in ("", "."):
            yield ""


def _projects(shot: Snapshot) -> Iterator[str]:
    """The files that would make a folder above the registry the root of the repository."""
    for folder in PurePosixPath(shot.shown).parents:
        yield str(folder / PROJECT)
