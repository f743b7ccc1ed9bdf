"""Where in a tree the files lie on which a verdict depends, so that a change elsewhere is told from its paths alone.

A tree is the output of `git ls-files --stage -z`, as bytes: rows `100644 <id> 0<tab><path><nul>`, sorted by path. So the files below a
folder are one piece of it, and nothing here looks at single rows. Files of packages that nothing connects with the
registry (`source.relevance`) count only while none of their texts has a connecting word.

This module is loaded by every run of the hook, and so it imports next to nothing.
"""

from __future__ import annotations

from pytest_invariants.hook.kept import Kept, digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_STATES = 64
"""States of the related files, and of packages that are apart, for which it is known how they are."""
LINK, SUBMODULE = b"120000", b"160000"
"""The modes of a link, and of a submodule."""
Row = bytes
Span = tuple[int, int]


def path_of(row: Row) -> bytes:
    return row.partition(b"\t")[2]


def id_of(row: Row) -> bytes:
    return row.split(b" ", 2)[1]


def rows_in(tree: bytes, span: Span) -> list[Row]:
    return tree[span[0] : span[1]].split(b"\0")[:-1]


def span_of(tree: bytes, prefix: bytes) -> Span:
    """Where the rows stand whose paths begin with this; empty where there are none."""
    sign = b"\t" + prefix
    first = tree.find(sign)
    if first < 0:
        return 0, 0
    return tree.rfind(b"\0", 0, first) + 1, tree.index(b"\0", tree.rfind(sign)) + 1


def found_at(tree: bytes, name: bytes) -> bytes:
    """What is at a path: the row of a link, and of a file or a folder that it is one."""
    sign = b"\t" + name
    first = tree.find(sign)
    at = tree.find(sign + b"\0", first) if first >= 0 else -1
    if at < 0:
        return b"folder" if first >= 0 and tree.find(sign + b"/", first) >= 0 else b""
    row = tree[tree.rfind(b"\0", 0, at) + 1 : at]
    return row if row.startswith(LINK) else b"folder" if row.startswith(SUBMODULE) else b"file"


def _is_at(path: bytes, names: Iterable[bytes]) -> bool:
    return any(path == name or path.startswith(name + b"/") for name in names)


class Layout:
    """What is known of one registry's files. Prefixes are paths from the top of the repository, of folders or of files.

    `code` are those of the code, `apart` those of packages that are not related. Of `named` files only the paths count: they
    are of packages that related files speak of, where a new module may be what is meant, or mark the repository's
    root. Of what is `there`, and of what is `lacking`, only that counts: whether anything is at these paths or below
    them. `words` must not come up in what is apart. `insides` are the states of the related files for which all this
    was found, and `clean` the states of packages in which no word came up.
    """

    def __init__(
        self,
        code: Iterable[bytes],
        apart: Iterable[bytes],
        named: Iterable[bytes],
        words: Iterable[bytes],
        there: Iterable[bytes] = (),
        lacking: Iterable[bytes] = (),
        insides: Iterable[str] = (),
        clean: Iterable[str] = (),
    ) -> None:
        self.code, self.apart, self.named = tuple(code), tuple(apart), tuple(named)
        self.words, self.there, self.lacking = tuple(words), tuple(there), tuple(lacking)
        self.insides, self.clean = list(insides), list(clean)

    def parts(self) -> bytes:
        groups = (self.code, self.apart, self.named, self.words, self.there, self.lacking)
        return b"\n".join(map(b"\0".join, groups))

    def to_bytes(self) -> bytes:
        states = MOST_STATES + len(self.apart)
        return b"\n".join(
            [self.parts(), " ".join(self.insides[-states:]).encode(), " ".join(self.clean[-states:]).encode()]
        )

    @classmethod
    def from_bytes(cls, content: bytes) -> Layout | None:
        lists = content.split(b"\n")
        if len(lists) != 8:
            return None
        code, apart, named, words, there, lacking = (filter(None, each.split(b"\0")) for each in lists[:6])
        return cls(code, apart, named, words, there, lacking, lists[6].decode().split(), lists[7].decode().split())

    def same_parts(self, other: Layout) -> bool:
        return self.parts() == other.parts()

    def holds(self, path: bytes, *, was: bool = False, stays: bool = False) -> bool:
        """Whether the content of a file, or that it is there, may be part of the state of the related files.

        Where a change took a file away that there was, or brought one, less may be; where it `stays`, less still.
        """
        if stays and path.startswith(self.apart):
            return False
        if path.startswith(self.named) or (path.startswith(self.code) and not path.startswith(self.apart)):
            return True
        return False if stays else _is_at(path, self.there) if was else _is_at(path, self.lacking)

    def inside(self, tree: bytes) -> str:
        """The state of the related files, as a digest of their rows and of the paths of named ones."""
        parts = [tree[start:end] for start, end in self._related(tree)]
        return digest(b"".join(parts), self.named_in(tree))

    def named_in(self, tree: bytes) -> bytes:
        """The paths of named files, and what is there of that which only has to be there."""
        named = [row for prefix in self.named for row in rows_in(tree, span_of(tree, prefix))]
        paths = [row[row.index(b"\t") :] for row in named]
        return b"\0".join([*paths, *(found_at(tree, name) for name in (*self.there, *self.lacking))])

    def _related(self, tree: bytes) -> Iterator[Span]:
        """The spans of the code without those that are apart."""
        edges = sorted(span_of(tree, prefix) for prefix in self.apart)
        done = 0
        for start, end in sorted(span_of(tree, prefix) for prefix in self.code):
            at = max(start, done)
            for gap_start, gap_end in edges:
                if at <= gap_start < end:
                    yield at, gap_start
                    at = max(at, gap_end)
            if at < end:
                yield at, end
            done = max(done, end)

    def unknown(self, tree: bytes) -> dict[str, tuple[bytes, Span]]:
        """The packages apart, by their state, of which it is not known that no word comes up in them."""
        spans = ((prefix, span_of(tree, prefix)) for prefix in self.apart)
        states = {digest(tree[span[0] : span[1]]): (prefix, span) for prefix, span in spans}
        return {state: found for state, found in states.items() if state not in self.clean}

    def connects(self, content: bytes) -> bool:
        return any(word in content for word in self.words)


def layout_name(judge: bytes, registry: Row) -> str:
    """The entry's name: for one prover under one Python (`judge`), and one registry at its place."""
    return f"layout-{digest(judge, registry)}"


def answer_name(judge: bytes, registry: Row, before: str, after: str) -> str:
    """The entry of what was said of one change, from one state of the related files to another."""
    return f"answer-{digest(judge, registry, before.encode(), after.encode())}"


def commit_name(judge: bytes, commit: bytes) -> str:
    """The entry of a commit that was judged under one layout, and which holds nothing that the layout does not know of."""
    return f"commit-{digest(judge, commit)}"


def read_layout(kept: Kept, name: str) -> Layout | None:
    content = kept.get(name)
    return Layout.from_bytes(content) if content is not None else None
