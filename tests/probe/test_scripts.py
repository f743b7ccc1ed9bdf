"""Scripts as text: what is written is read again."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_invariants.probe.script import Move, Script, ScriptError, parsed, world_of
from pytest_invariants.probe.worlds import ALLOW, DENY, without

WORDS = st.text(min_size=1, max_size=8)
MOVES = st.builds(Move, st.sampled_from(["deny", "call", "load", "step"]), st.lists(WORDS, max_size=3).map(tuple))


@settings(derandomize=True, database=None, max_examples=200)
@given(st.lists(MOVES, max_size=5), st.integers(0, 9), st.lists(WORDS, max_size=2))
def test_a_script_is_read_as_it_was_written(moves: list[Move], facts: int, denied: list[str]) -> None:
    script = Script(tuple(moves), facts, tuple(denied))
    assert parsed(str(script)) == script


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("open 0", Script()),
        ("open; step", Script((Move("step"),))),
        ("deny *;; step ;", Script((Move("deny", ("*",)), Move("step")))),
        ('open 1 denying a b; call s a "A;\\n"', Script((Move("call", ("s", "a", "A;\n")),), 1, ("a", "b"))),
    ],
)
def test_what_people_write_is_read(text: str, script: Script) -> None:
    assert parsed(text) == script


@pytest.mark.parametrize("text", ["", " ; ", 'load "x', 'load "\\q"', "open x", "open 0 denying", "open 0 but notes"])
def test_what_is_no_script_is_refused(text: str) -> None:
    with pytest.raises(ScriptError, match=r"; "):
        parsed(text)


def test_the_worlds_of_a_script() -> None:
    assert (world_of(()), world_of(("*",)), world_of(("a", "b"))) == (ALLOW, DENY, without("a", "b"))
