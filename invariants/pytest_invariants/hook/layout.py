"""Where in a tree the files lie on which a verdict depends, so that a change elsewhere is told from its paths alone.

Rows are those of `git ls-files --stage -z`, as bytes: `100644 <id> 0<tab><path>`. Files of packages that nothing connects with
the registry (`source.relevance`) count only while none of their texts has a connecting word: which contents were
searched for that is kept by git's own ids.

This module is loaded by every run of the hook, and so it imports next to nothing.
"""

from __future__ import annotations

from pytest_invariants.hook.kept import Kept, digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_INSIDES = 32
"""States of the related files for which one layout is known to be right."""
MOST_SEARCHED = 40_000
Row = bytes


def path_of(row: Row) -> bytes:
    return row.partition(b"\t")[2]


def id_of(row: Row) -> bytes:
    return row.split(b" ", 2)[1]


class Layout:
    """What is known of one registry's files. Prefixes are paths from the top of the repository, of folders or of files.

    `code` are those of the code, `apart` those of packages that are not related. Of `named` files only the paths count: they
    are of packages that related files speak of, where a new module may be what is meant, or mark the repository's
    root. `words` must not come up in what is apart. `insides` are the states for which all this was found, and
    `searched` the contents in which no word came up.
    """

    def __init__(
        self,
        code: Iterable[bytes],
        apart: Iterable[bytes],
        named: Iterable[bytes],
        words: Iterable[bytes],
        insides: Iterable[str] = (),
        searched: Iterable[bytes] = (),
    ) -> None:
        self.code, self.apart, self.named = tuple(code), tuple(apart), tuple(named)
        self.words = tuple(words)
        self.insides, self.searched = list(insides), set(searched)

    def to_bytes(self) -> bytes:
        groups = (self.code, self.apart, self.named, self.words)
        lists = [b"\0".join(group) for group in groups]
        lists += [" ".join(self.insides[-MOST_INSIDES:]).encode(), b" ".join(sorted(self.searched)[:MOST_SEARCHED])]
        return b"\n".join(lists)

    @classmethod
    def from_bytes(cls, content: bytes) -> Layout | None:
        lists = content.split(b"\n")
        if len(lists) != 6:
            return None
        code, apart, named, words = (filter(None, each.split(b"\0")) for each in lists[:4])
        return cls(code, apart, named, words, lists[4].decode().split(), lists[5].split())

    def same_parts(self, other: Layout) -> bool:
        return (self.code, self.apart, self.named, self.words) == (other.code, other.apart, other.named, other.words)

    def inside(self, rows: Iterable[Row]) -> list[bytes]:
        """The rows of related files, and the paths of named ones; sorted as git sorts them."""
        code, apart, named = self.code, self.apart, self.named
        found = [(row, path_of(row)) for row in rows if row]
        related = [row for row, path in found if path.startswith(code) and not path.startswith(apart)]
        return related + [path for _, path in found if path.startswith(named)]

    def unsearched(self, rows: Iterable[Row]) -> list[bytes]:
        """The ids of contents that are apart, and of which it is not known that they have no connecting word."""
        searched = self.searched
        return [id for id in self.apart_ids(rows) if id not in searched]

    def apart_ids(self, rows: Iterable[Row]) -> list[bytes]:
        apart = self.apart
        return [id_of(row) for row in rows if row.endswith(b".py") and path_of(row).startswith(apart)]

    def connects(self, content: bytes) -> bool:
        return any(word in content for word in self.words)


def inside_digest(inside: Iterable[bytes]) -> str:
    return digest(*inside)


def layout_name(judge: bytes, registry: Row) -> str:
    """The entry's name: for one prover under one Python (`judge`), and one registry at its place."""
    return f"layout-{digest(judge, registry)}"


def answer_name(judge: bytes, registry: Row, before: Iterable[bytes], after: Iterable[bytes]) -> str:
    """The entry of what was said of one change."""
    return f"answer-{digest(judge, registry, inside_digest(before).encode(), inside_digest(after).encode())}"


def read_layout(kept: Kept, name: str) -> Layout | None:
    content = kept.get(name)
    return Layout.from_bytes(content) if content is not None else None
