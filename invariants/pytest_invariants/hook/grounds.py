"""What the verdicts on a tree rest on: which bodies of functions were read, which names bear on them, and which files there were.

With that, a change which touches none of it is told without the prover: see `carry`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_invariants.hook.git import is_environment
from pytest_invariants.hook.kept import digest

if TYPE_CHECKING:
    from pytest_invariants.hook.layout import Layout
    from pytest_invariants.hook.snapshot import Snapshot
    from pytest_invariants.program.outline import Reading
    from pytest_invariants.program.program import Program

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Files:
    """The related files of one tree, by their paths from the repository's root."""

    ids: Mapping[str, str]
    """With the ids of their contents."""
    named: str
    """A digest of the paths of others that may be meant."""
    registry: str
    """The id of the registry's content."""

    @classmethod
    def of(cls, shot: Snapshot, layout: Layout, tree: bytes) -> Files:
        inside = "" if shot.root == "." else f"{shot.root}/"
        judged = ((path, blob.id) for path, blob in shot.judged.items() if path.endswith(".py") or is_environment(path))
        ids = {path: id for path, id in judged if not os.fsencode(inside + path).startswith(layout.apart)}
        return cls(ids, digest(layout.named_in(tree)), shot.files[shot.registry].id)

    def changed_since(self, other: Files) -> list[str]:
        """The paths of files that are there on both sides, with other contents, or on one side alone."""
        return sorted(path for path in {*self.ids, *other.ids} if self.ids.get(path) != other.ids.get(path))


@dataclass(frozen=True, slots=True)
class Grounds:
    """Of one tree. Functions are told by the path of their file and their positions in it."""

    files: Files
    whole: Mapping[str, tuple[int, ...]]
    named: Mapping[str, tuple[int, ...]]
    names: tuple[str, ...]
    stores: tuple[str, ...]
    """Names of which was asked what they are given anywhere."""
    namespaces: bool
    """Whether all that a module has was read, by whatever names."""
    groups: tuple[str, ...]
    words: tuple[str, ...]
    """By which related packages are found: see `source.relevance.signs`."""

    def reading(self, path: str) -> Reading:
        """What of one file was read."""
        from pytest_invariants.program.outline import Reading

        whole, named = self.whole.get(path, ()), self.named.get(path, ())
        return Reading(frozenset(whole), frozenset(named), frozenset(self.names))

    def of(self, files: Files, positions: Mapping[str, Sequence[int]]) -> Grounds:
        """The same of files that differ in nothing that was read, with the functions at these positions."""
        whole, named = (
            {
                path: tuple(positions[path][at] for at in found) if path in positions else found
                for path, found in each.items()
            }
            for each in (self.whole, self.named)
        )
        return replace(self, files=files, whole=whole, named=named)

    def to_bytes(self) -> bytes:
        return json.dumps({"format": FORMAT, **asdict(self)}).encode()


def from_bytes(content: bytes) -> Grounds | None:
    """The opposite of `to_bytes`; None where the data was not made by it."""
    try:
        return _grounds(json.loads(content))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _grounds(data: Any) -> Grounds:
    if data["format"] != FORMAT:
        raise ValueError("written by another version")
    return Grounds(
        files=_files(data["files"]),
        whole=_positions(data["whole"]),
        named=_positions(data["named"]),
        names=_words(data["names"]),
        stores=_words(data["stores"]),
        namespaces=bool(data["namespaces"]),
        groups=_words(data["groups"]),
        words=_words(data["words"]),
    )


def _files(data: Any) -> Files:
    ids = {_word(path): _word(id) for path, id in data["ids"].items()}
    return Files(ids, _word(data["named"]), _word(data["registry"]))


def _positions(data: Any) -> dict[str, tuple[int, ...]]:
    return {_word(path): tuple(map(int, found)) for path, found in data.items()}


def _words(data: Any) -> tuple[str, ...]:
    return tuple(map(_word, data))


def _word(data: Any) -> str:
    if not isinstance(data, str):
        raise TypeError("text was expected")
    return data


def grounds_of(files: Files, program: Program, names: Iterable[str]) -> Grounds:
    """Those of the verdicts that were just found. `names` are those that bear on them."""
    assert program.related is not None
    read = program.read
    return Grounds(
        files=files,
        whole={path: tuple(sorted(found)) for path, found in read.whole.items()},
        named={path: tuple(sorted(found)) for path, found in read.named.items()},
        names=tuple(sorted(names)),
        stores=tuple(sorted(read.stores)),
        namespaces=read.namespaces,
        groups=tuple(sorted({*program.related.groups, *program.apart})),
        words=tuple(sorted(program.related.words)),
    )
