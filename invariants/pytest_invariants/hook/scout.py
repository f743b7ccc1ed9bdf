"""A change that can bear on no verdict is told without proving anything, where nothing is known of either side.

What is staged is laid out, read and searched, as the prover would do it first; that says which packages are related to what
the registry names. All verdicts are the same on both sides where each changed file that counts

- is of a package that is apart on both sides: nothing connected it before the change either; or
- differs in comments, documentation, empty lines and form alone, and all searches find the same in its text.

Of any other change nothing is said here: it is left to the prover.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pytest_invariants.cli import UsageError
from pytest_invariants.hook.footing import NAMED
from pytest_invariants.hook.git import Blob, Git, is_environment
from pytest_invariants.hook.layout import Layout
from pytest_invariants.hook.layouts import layout_of, listing_of
from pytest_invariants.hook.sides import Trees
from pytest_invariants.hook.snapshot import Snapshot, laid_out
from pytest_invariants.program.outline import Reading, moved
from pytest_invariants.program.program import Program
from pytest_invariants.registry.problems import RegistryError
from pytest_invariants.registry.reader import read
from pytest_invariants.source.files import SIZE_LIMIT, text_of
from pytest_invariants.source.registers import registers
from pytest_invariants.source.relevance import signs
from pytest_invariants.source.stores import stores

MOST_PARSED = 200
"""Files that are compared; with more the prover is not much slower."""


class _Every(frozenset[int]):
    """Whatever function is asked for."""

    def __contains__(self, _: object) -> bool:
        return True


WHOLE = Reading(_Every(), _Every(), frozenset())
"""All of a file."""


def scout(git: Git, trees: Trees, before: Snapshot, after: Snapshot) -> Layout | None:
    """The layout under which both sides stand alike; None where that cannot be told."""
    try:
        change = _Change(git, trees, before, after)
        if not change.is_usual or change.is_hopeless:
            return None
        return laid_out(git, after, change.layout_in, staged=trees.after is trees.staged)
    except (UsageError, RegistryError, OSError):
        return None


@dataclass(frozen=True)
class _Change:
    """What is staged, and what it is staged upon. Paths are relative to the repository's root, as a snapshot has them."""

    git: Git
    trees: Trees
    before: Snapshot
    after: Snapshot

    @property
    def is_usual(self) -> bool:
        """Whether both sides have the same registry, at one place, which finds the same there, and no links among the code."""
        sides = (self.before, self.after)
        registries = {(side.root, side.registry, side.files[side.registry]) for side in sides}
        touched = {path for path, _ in set(self.trees.before.items()) ^ set(self.trees.after.items())}
        return (
            len(registries) == 1
            and self.after.code is not None
            and self.before.footing == self.after.footing
            and not any(side.follows_links for side in sides)
            and not any(map(is_environment, touched))
        )

    @cached_property
    def changed(self) -> dict[str, tuple[Blob | None, Blob | None]]:
        """The files that were changed, each as it was and as it is; None where it is not there."""
        old, new = self.before.judged, self.after.judged
        paths = sorted({path for path, _ in set(old.items()) ^ set(new.items())})
        return {path: (old.get(path), new.get(path)) for path in paths}

    @cached_property
    def _contents(self) -> dict[str, bytes]:
        return self.git.contents(blob.id for blobs in self.changed.values() for blob in blobs if blob is not None)

    def _versions(self, path: str) -> tuple[bytes | None, bytes | None]:
        old, new = (self._contents[blob.id] if blob is not None else None for blob in self.changed[path])
        return old, new

    @property
    def is_hopeless(self) -> bool:
        """Whether a file that counts by its mere place was changed in more than its form: the code need not be read."""
        text = self.git.contents([self.after.files[self.after.registry].id]).popitem()[1].decode(errors="replace")
        groups = {found["group"] for found in NAMED.finditer(text)}
        roots = {"", *(entry for entry in self.after.code or () if entry.endswith("/"))}
        roots |= {f"{above}/" for entry in self.after.code or () if (above := os.path.dirname(entry.rstrip("/")))}
        places = tuple(f"{root}{group}{end}" for root in roots for group in groups for end in ("/", ".py"))
        related = [path for path in self.changed if path.startswith(places)]
        return len(related) > MOST_PARSED or not all(is_form(*self._versions(path)) for path in related)

    def layout_in(self, root: Path) -> Layout | None:
        """The layout of what is staged, which lies in this folder, where the other side has the same verdicts."""
        from pytest_invariants.hook.plain import is_plain

        registry = read(root / self.after.registry, root)
        program = Program.load(registry)
        layout = layout_of(self.after, program)
        if layout is None or program.unreadable or not self._is_alike(program, layout):
            return None
        return layout if is_plain(program, registry) else None

    def _is_alike(self, program: Program, layout: Layout) -> bool:
        inside = "" if self.after.root == "." else f"{self.after.root}/"
        apart = {path for path in self.changed if os.fsencode(inside + path).startswith(layout.apart)}
        others = [path for path in self.changed if path not in apart]
        names = [layout.named_in(listing_of(tree)) for tree in (self.trees.before, self.trees.after)]
        return (
            names[0] == names[1]
            and len(others) <= MOST_PARSED
            and all(self._was_apart(path, program, layout) for path in apart)
            and all(is_form(*self._versions(path)) and self._looks_alike(path, program) for path in others)
        )

    def _was_apart(self, path: str, program: Program, layout: Layout) -> bool:
        """Whether nothing in a file connected its package before the change, or nothing that does not stand there now."""
        old = self._versions(path)[0]
        return old is None or not layout.connects(old) or self._looks_alike(path, program)

    def _looks_alike(self, path: str, program: Program) -> bool:
        """Whether the search for what is related sees the same in both versions of a file."""
        old, new = self._versions(path)
        if old is None or new is None or program.related is None:
            return False
        words, groups = program.related.words, {*program.related.groups, *program.apart}
        return signs(old, groups, words) == signs(new, groups, words)


def is_form(old: bytes | None, new: bytes | None) -> bool:
    """Whether two versions of a file differ in nothing that a verdict could be read from."""
    if old is None or new is None or max(len(old), len(new)) > SIZE_LIMIT:
        return False
    move = moved(old, new, WHOLE)
    alike = move is not None and not move.added and not move.renamed
    return alike and all(search(text_of(old)) == search(text_of(new)) for search in (stores, registers))
