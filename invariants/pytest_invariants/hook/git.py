"""What git holds: the staged content and that of a revision, as blobs by path. The work tree is never read."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from pytest_invariants.cli import UsageError
from pytest_invariants.hook import layout

LINK, SUBMODULE = layout.LINK.decode(), layout.SUBMODULE.decode()


@dataclass(frozen=True, slots=True)
class Blob:
    """A file's content by its id, and the file's mode as git writes it (`100644`, `100755`, `120000` for a link)."""

    mode: str
    id: str


Tree: TypeAlias = Mapping[str, Blob]
"""Blobs by their path from the top of the repository, with forward slashes. Of a submodule (`SUBMODULE`) git has no content."""


def is_environment(path: str) -> bool:
    """Whether a file makes its folder no part of the code, wherever it lies."""
    return path.rpartition("/")[2] == "pyvenv.cfg"


class Git:
    """The repository that a folder belongs to. What git tells its hooks (`GIT_INDEX_FILE`, `GIT_DIR`) counts.

    :raises UsageError: by every method, with git's own words, where git cannot answer.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.top = Path(self._text("rev-parse", "--show-toplevel").rstrip("\n"))

    def head(self) -> str | None:
        """The commit that the change is made to; None before the first one."""
        run = self._run("rev-parse", "--quiet", "--verify", "HEAD^{commit}")
        return run.stdout.decode().strip() if run.returncode == 0 else None

    def commit(self, revision: str) -> str:
        """The id of the commit that a revision names."""
        run = self._run("rev-parse", "--quiet", "--verify", "--end-of-options", f"{revision}^{{commit}}")
        if run.returncode:
            raise UsageError(f"git knows no commit `{revision}`; fetch it, or name another")
        return run.stdout.decode().strip()

    def merge_base(self, one: str, other: str) -> str:
        """The commit at which two parted, or `one` itself where they have nothing in common."""
        run = self._run("merge-base", one, other)
        return run.stdout.decode().strip() if run.returncode == 0 else one

    def staged(self) -> Tree:
        """The index: what a commit made now would hold."""
        tree: dict[str, Blob] = {}
        torn: set[str] = set()
        for row in _rows(self._bytes("ls-files", "--stage", "-z", "--full-name", ":/")):
            meta, path = row
            mode, id, stage = meta.split(" ")
            if stage != "0":
                torn.add(path)
            else:
                tree[path] = Blob(mode, id)
        if torn:
            raise UsageError(f"{', '.join(sorted(torn))}: merge conflicts; resolve them and stage the result")
        return tree

    def tree(self, commit: str | None) -> Tree:
        """The content of a commit; empty for None."""
        if commit is None:
            return {}
        rows = _rows(self._bytes("ls-tree", "-r", "-z", "--full-tree", commit))
        split = ((meta.split(" "), path) for meta, path in rows)
        return {path: Blob(mode, id) for (mode, _, id), path in split}

    def is_laid_out(self, paths: Iterable[str]) -> bool:
        """Whether the work tree holds what is staged and, at and below these paths, no other Python file.

        What git was told to pass over there (a sparse work tree, files that are taken for unchanged) it cannot tell, nor
        what lies in a repository inside this one.
        """
        where = ("-z", "--full-name", "--", *(":/" if path == "." else f":(top,literal){path}" for path in paths))
        if self._run("diff", "--quiet", "--no-ext-diff", "--ignore-submodules").returncode:
            return False
        known = self._bytes("ls-files", "-v", "--stage", *where).split(b"\0")[:-1]
        others = self._bytes("ls-files", "--others", *where).split(b"\0")[:-1]
        return all(row.startswith(b"H 1") and not row.startswith(b"H 160000") for row in known) and not any(
            name.endswith((b".py", b"/")) or is_environment(os.fsdecode(name)) for name in others
        )

    def contents(self, ids: Iterable[str]) -> dict[str, bytes]:
        """The bytes of each blob."""
        wanted = list(dict.fromkeys(ids))
        if not wanted:
            return {}
        answer = self._bytes("cat-file", "--batch", given="".join(f"{id}\n" for id in wanted).encode())
        found: dict[str, bytes] = {}
        at = 0
        for id in wanted:
            end = answer.index(b"\n", at)
            name, _, size = answer[at:end].decode().rpartition(" ")
            if not size.isdecimal():
                raise UsageError(f"git has no content for {name}: fetch it first")
            found[id] = answer[end + 1 : end + 1 + int(size)]
            at = end + int(size) + 2
        return found

    def _text(self, *arguments: str) -> str:
        return os.fsdecode(self._bytes(*arguments))

    def _bytes(self, *arguments: str, given: bytes = b"") -> bytes:
        run = self._run(*arguments, given=given)
        if run.returncode:
            said = run.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
            raise UsageError(f"git {arguments[0]}: {said or f'exit status {run.returncode}'}")
        return run.stdout

    def _run(self, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        plain = {**os.environ, "GIT_LITERAL_PATHSPECS": "0", "GIT_OPTIONAL_LOCKS": "0"}
        try:
            return subprocess.run(
                ["git", *arguments], cwd=self._folder, env=plain, input=given, capture_output=True, check=False
            )
        except OSError as error:
            raise UsageError(f"git cannot be run ({error.strerror or error}); install it") from None


def _rows(output: bytes) -> Iterator[tuple[str, str]]:
    """Pairs of what stands before the tab and the path, which may hold anything; a path that climbs is left out."""
    for row in output.split(b"\0"):
        meta, tab, name = row.partition(b"\t")
        path = os.fsdecode(name)
        if tab and ".." not in path.split("/") and not path.startswith("/"):
            yield meta.decode(), path
