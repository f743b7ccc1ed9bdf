"""Pieces of a listing are what a look at every row would give, whatever the paths are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pytest_invariants.hook.kept import digest
from pytest_invariants.hook.layout import Layout, path_of, rows_in, span_of

NAMES = st.sampled_from(["a", "ab", "b", "b-", "c", "é", "a b"])
FILES = st.lists(NAMES, min_size=1, max_size=4).map(lambda parts: "/".join(parts) + ".py")
PREFIXES = st.lists(st.one_of(FILES, FILES.map(lambda path: path.removesuffix(".py") + "/")), max_size=4)


def listing(paths: set[str]) -> bytes:
    """As git writes it: sorted by path."""
    rows = sorted((path.encode(), digest(path.encode())[:40].encode()) for path in paths)
    return b"".join(b"100644 %b 0\t%b\0" % (id, path) for path, id in rows)


@given(paths=st.sets(FILES, max_size=30), prefix=st.one_of(FILES, NAMES, st.just("")))
def test_a_span_holds_the_rows_below_a_prefix_and_no_others(paths: set[str], prefix: str) -> None:
    tree, start = listing(paths), prefix.encode()
    rows = [row for row in tree.split(b"\0")[:-1] if path_of(row).startswith(start)]
    assert rows_in(tree, span_of(tree, start)) == rows


@given(paths=st.sets(FILES, max_size=30), code=PREFIXES, apart=PREFIXES, named=PREFIXES)
def test_the_related_files_are_those_of_the_code_that_are_not_apart(
    paths: set[str], code: list[str], apart: list[str], named: list[str]
) -> None:
    tree = listing(paths)
    layout = Layout(*([each.encode() for each in group] for group in (code, apart, named)), [])
    rows = tree.split(b"\0")[:-1]
    related = [
        row for row in rows if path_of(row).startswith(layout.code) and not path_of(row).startswith(layout.apart)
    ]
    spoken_of = [b"\t" + path_of(row) for prefix in layout.named for row in rows if path_of(row).startswith(prefix)]
    assert layout.inside(tree) == digest(b"".join(row + b"\0" for row in related), b"\0".join(spoken_of))


@given(paths=st.sets(FILES, min_size=1, max_size=20), apart=PREFIXES)
def test_what_is_apart_is_searched_until_it_is_known(paths: set[str], apart: list[str]) -> None:
    tree = listing(paths)
    layout = Layout([b""], [each.encode() for each in apart], [], [b"word"])
    spans = layout.unknown(tree)
    seen = {path_of(row) for _, span in spans.values() for row in rows_in(tree, span) if row.endswith(b".py")}
    assert seen == {path.encode() for path in paths if path.encode().startswith(layout.apart)}
    layout.clean += spans
    assert layout.unknown(tree) == {}


def test_a_layout_is_read_back_as_it_was_written() -> None:
    layout = Layout(
        [b"a/", b"b.py"], [b"c/"], [], [b"a", b"def sealed"], [b"a"], [b"b"], ["1" * 64], ["2" * 64, "3" * 64]
    )
    again = Layout.from_bytes(layout.to_bytes())
    assert again is not None
    assert again.same_parts(layout)
    assert (again.insides, again.clean) == (layout.insides, layout.clean)
    assert Layout.from_bytes(b"0\nsomething else") is None
