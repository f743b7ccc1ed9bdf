"""A row is added to a registry's text, and nothing else in it moves."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_invariants.registry.edit import EditError, add_surface
from pytest_invariants.registry.model import Manner, Reference, Registry
from pytest_invariants.registry.problems import RegistryError
from pytest_invariants.verdict import Place

from tests.registry.samples import FULL, SMALL, read_text, repository

HEAD = SMALL.partition("surfaces:")[0]
ROW = '{function: "m:f", manner: named}'


def added(surfaces: str, id: str = "new") -> str:
    return add_surface(HEAD + surfaces, id, "m:g", "browse").removeprefix(HEAD)


STYLES = {
    "braces": (
        f"surfaces:\n  one: {ROW}\n",
        f'surfaces:\n  one: {ROW}\n  new: {{function: "m:g", manner: browse}}\n',
    ),
    "comments": (
        f"surfaces:  # doors\n  # first\n  one: {ROW}  # why\n\n  # more to come\npolicies: {{}}\n",
        f"surfaces:  # doors\n  # first\n  one: {ROW}  # why\n"
        '  new: {function: "m:g", manner: browse}\n\n  # more to come\npolicies: {}\n',
    ),
    "aligned values": (
        f"surfaces:\n  two:    {ROW}\n  longer: {ROW}\n",
        f'surfaces:\n  two:    {ROW}\n  longer: {ROW}\n  new:    {{function: "m:g", manner: browse}}\n',
    ),
    "aligned values and a longer id": (
        f"surfaces:\n  a:  {ROW}\n  bb: {ROW}\n",
        f'surfaces:\n  a:  {ROW}\n  bb: {ROW}\n  new: {{function: "m:g", manner: browse}}\n',
    ),
    "braces over several lines of Windows": (
        f"surfaces: {{\r\n  one: {ROW}\r\n}}\r\n",
        f'surfaces: {{\r\n  one: {ROW},\r\n  new: {{function: "m:g", manner: browse}}\r\n}}\r\n',
    ),
    "values that are not aligned": (
        f"surfaces:\n  two: {ROW}\n  longer: {ROW}\n",
        f'surfaces:\n  two: {ROW}\n  longer: {ROW}\n  new: {{function: "m:g", manner: browse}}\n',
    ),
    "block": (
        "surfaces:\n    one:\n        function: 'm:f'  # x\n        manner: named\n\nhost: 'm:H'",
        "surfaces:\n    one:\n        function: 'm:f'  # x\n        manner: named\n"
        "    new:\n        function: 'm:g'\n        manner: browse\n\nhost: 'm:H'",
    ),
    "no quotes": (
        "surfaces:\n one: {manner: named, function: m:f}\n",
        "surfaces:\n one: {manner: named, function: m:f}\n new: {function: m:g, manner: browse}\n",
    ),
    "no line end": (
        f"surfaces:\n  one: {ROW}",
        f'surfaces:\n  one: {ROW}\n  new: {{function: "m:g", manner: browse}}',
    ),
    "line ends of Windows": (
        f"surfaces:\r\n  one: {ROW}\r\n\r\n# end\r\n",
        f'surfaces:\r\n  one: {ROW}\r\n  new: {{function: "m:g", manner: browse}}\r\n\r\n# end\r\n',
    ),
    "all in one line": (
        f"surfaces: {{one: {ROW}}}  # doors\n",
        f'surfaces: {{one: {ROW}, new: {{function: "m:g", manner: browse}}}}  # doors\n',
    ),
    "braces over several lines": (
        f"surfaces: {{\n  one: {ROW}  # why\n}}\n",
        f'surfaces: {{\n  one: {ROW},  # why\n  new: {{function: "m:g", manner: browse}}\n}}\n',
    ),
    "braces with a last comma": (
        f"surfaces: {{\n  one: {ROW},  # why\n}}\n",
        f'surfaces: {{\n  one: {ROW},  # why\n  new: {{function: "m:g", manner: browse}},\n}}\n',
    ),
    "an alias": (
        f"surfaces:\n  one: &one {ROW}\n  two: *one  # same\n",
        f'surfaces:\n  one: &one {ROW}\n  two: *one  # same\n  new: {{function: "m:g", manner: browse}}\n',
    ),
    "an alias in braces": (
        f"surfaces: {{one: &one {ROW}, two: *one}}\n",
        f'surfaces: {{one: &one {ROW}, two: *one, new: {{function: "m:g", manner: browse}}}}\n',
    ),
    "a folded value": (
        "surfaces:\n  one:\n    manner: named\n    function: >-\n      m:f\n\n# end\n",
        "surfaces:\n  one:\n    manner: named\n    function: >-\n      m:f\n"
        "  new:\n    function: m:g\n    manner: browse\n\n# end\n",
    ),
    "no rows yet": ("surfaces: {}\n", 'surfaces: {new: {function: "m:g", manner: browse}}\n'),
}


@pytest.mark.parametrize("style", STYLES)
def test_a_row_takes_the_style_of_the_last_one(style: str) -> None:
    before, after = STYLES[style]
    assert added(before) == after


@pytest.mark.parametrize(
    "rows",
    [f"  longer: {ROW}\n  two: {ROW}\n", f"  one:     {ROW}\n", "  one:  {}\n  longer: {}\n", "  one:\n    {}\n"],
)
def test_values_that_are_not_aligned_stand_one_blank_away(rows: str) -> None:
    assert added(f"surfaces:\n{rows}", "x") == f'surfaces:\n{rows}  x: {{function: "m:g", manner: browse}}\n'


def test_a_mark_at_the_beginning_stays() -> None:
    assert add_surface("\ufeff" + SMALL, "new", "m:g", "browse") == "\ufeff" + add_surface(
        SMALL, "new", "m:g", "browse"
    )


@pytest.mark.parametrize("id", ["on", "no", "1", "1.5", "null", "2027-06-30"])
def test_an_id_that_yaml_takes_for_something_else_is_put_in_quotes(id: str) -> None:
    assert added(f"surfaces:\n  one: {ROW}\n", id).endswith(f'  "{id}": {{function: "m:g", manner: browse}}\n')


@pytest.mark.parametrize(
    "surfaces",
    [
        "",
        "surfaces:\n",
        "surfaces: []\n",
        f"surfaces:\n  ? one\n  : {ROW}\n",
        f"snapshots: &all {{one: {ROW}}}\nsurfaces: *all\n",
        f"surfaces: &all {{one: {ROW}}}\nsnapshots: *all\n",
        "surfaces:\n  one:\n    manner: named\n    function: |+\n      m:f\n\n\n",
    ],
)
def test_a_text_that_cannot_be_changed_safely_is_left_to_its_author(surfaces: str) -> None:
    with pytest.raises(EditError, match=r'add this row by hand: new: \{function: "m:g", manner: browse\}$'):
        added(surfaces)


@pytest.mark.parametrize(
    "surfaces", [f"surfaces:\n  new: {ROW}\n", f"open: &o {{new: {ROW}}}\nsurfaces: {{<<: *o, one: {ROW}}}\n"]
)
def test_an_id_that_is_taken(surfaces: str) -> None:
    with pytest.raises(EditError, match="the surface `new` is there already; choose another id"):
        added(surfaces)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (("a b", "m:f", "named"), "did you mean `a-b`?"),
        (
            ("a", "m.f", "named"),
            "`surfaces.a.function`: `m.f` is not a reference `module:qualname`; did you mean `m:f`?",
        ),
        (("a", "m:f", "nmaed"), "unknown value `nmaed` of `surfaces.a.manner`; did you mean `named`?"),
        (("a\0", "m:f", "named"), "is not a name"),
        (("a", 'm:f", x: "', "named"), "is not a reference"),
        (("a", "m:f\ud800", "named"), "is not allowed in YAML"),
    ],
)
def test_a_row_that_is_no_surface(row: tuple[str, str, str], said: str) -> None:
    with pytest.raises(EditError) as caught:
        add_surface(SMALL, *row)
    assert said in str(caught.value)


def test_a_text_that_is_no_yaml() -> None:
    with pytest.raises(RegistryError, match="this is not YAML"):
        add_surface("a: [", "new", "m:f", "named")


REFERENCES = st.sampled_from(["m:f", "agent.doors:Doors.list", "a.b:make.<locals>.run", "a:<lambda>", "é:ü"])
IDS = st.lists(
    st.sampled_from(["index", "on", "activate_all", "mcp.call", "x", "7", "a-b", "No"]),
    min_size=2,
    max_size=5,
    unique=True,
)
QUOTES = st.sampled_from(['"', "'", ""])
MANNERS = st.sampled_from(list(Manner))
COMMENTS = st.sampled_from(["", "  # why: {not} a *row", "   "])
TAILS = st.sampled_from(["", "\n", "\n\n# end\n", "\n  # more\n\nsnapshots: {}\n", "\n...\n", "\nhost: 'm:H'\n"])


@st.composite
def surfaces(draw: st.DrawFn, ids: list[str]) -> str:
    """The section `surfaces` in one of the ways in which people write it."""
    indent = " " * draw(st.integers(1, 4))
    style = draw(st.sampled_from(["rows", "braces", "one line", "mixed"]))
    rows = []
    for id in ids:
        quote = draw(QUOTES)
        function, manner = f"function: {quote}{draw(REFERENCES)}{quote}", f"manner: {draw(MANNERS)}"
        pair = draw(st.permutations([function, manner]))
        if style == "mixed" and draw(st.booleans()):
            rows.append(f"{id}:{draw(COMMENTS)}\n" + "\n".join(f"{indent}  {entry}{draw(COMMENTS)}" for entry in pair))
        else:
            gap = " " * draw(st.integers(1, 3)) if style != "one line" else " "
            rows.append(f"{id}:{gap}{{{', '.join(pair)}}}")
    if style == "one line":
        return f"surfaces: {{{', '.join(rows)}}}{draw(COMMENTS)}"
    if style == "braces":
        comma = draw(st.sampled_from(["", ","]))
        body = "".join(f"{indent}{row},{draw(COMMENTS)}\n" for row in rows[:-1]) + f"{indent}{rows[-1]}{comma}"
        return f"surfaces: {{{draw(COMMENTS)}\n{body}{draw(COMMENTS)}\n}}"
    return f"surfaces:{draw(COMMENTS)}\n" + "\n".join(f"{indent}{row}{draw(COMMENTS)}" for row in rows)


def without_lines(registry: Registry) -> Registry:
    nowhere = Place("", 0)
    return replace(
        registry,
        seal=replace(registry.seal, at=nowhere),
        surfaces=tuple(replace(surface, at=nowhere) for surface in registry.surfaces),
        capabilities=tuple(replace(capability, at=nowhere) for capability in registry.capabilities),
    )


def is_kept(before: str, after: str) -> bool:
    """Whether `after` holds every character of `before`, in order."""
    rest = iter(after)
    return all(char in rest for char in before)


def test_what_is_read_back_is_what_was_there_and_the_row(tmp_path: Path) -> None:
    repository(tmp_path)
    outcomes: Counter[bool] = Counter()

    @settings(max_examples=500, derandomize=True, deadline=None, database=None)
    @given(
        IDS.flatmap(lambda ids: st.tuples(st.just(ids[-1]), surfaces(ids[:-1]))), TAILS, REFERENCES, MANNERS, st.data()
    )
    def keeps(section: tuple[str, str], tail: str, function: str, manner: Manner, data: st.DataObject) -> None:
        id, rows = section
        text = (HEAD + rows + tail).replace("\n", data.draw(st.sampled_from(["\n", "\r\n"])))
        before = without_lines(read_text(tmp_path, text))
        changed = add_surface(text, id, function, manner)
        after = without_lines(read_text(tmp_path, changed))
        new = after.surfaces[-1]
        assert (new.id, new.function, new.manner) == (id, Reference.parse(function), manner)
        assert replace(after, surfaces=after.surfaces[:-1]) == before
        assert is_kept(text, changed)
        outcomes["\r" in text] += 1

    keeps()
    assert min(outcomes[True], outcomes[False]) > 50


def test_whatever_the_text_the_row_is_added_or_refused(tmp_path: Path) -> None:
    repository(tmp_path)
    outcomes: Counter[str] = Counter()
    pieces = st.sampled_from(
        ["\n", " ", "  ", "#", ",", "{", "}", "*row", "&a ", "x: ", '"', "? ", "- ", "|", "surfaces:", ""]
    )

    @settings(max_examples=500, derandomize=True, deadline=None, database=None)
    @given(st.sampled_from([SMALL, FULL]), st.lists(st.tuples(st.floats(0, 1), st.integers(0, 3), pieces), max_size=3))
    def holds(text: str, cuts: list[tuple[float, int, str]]) -> None:
        for share, length, piece in cuts:
            at = int(share * len(text))
            text = text[:at] + piece + text[at + length :]
        try:
            changed = add_surface(text, "new", "m:g", "both")
        except (EditError, RegistryError) as error:
            outcomes[type(error).__name__] += 1
            return
        assert is_kept(text, changed)
        outcomes["added"] += 1

    holds()
    assert set(outcomes) == {"EditError", "RegistryError", "added"}
    assert outcomes["added"] > 50
