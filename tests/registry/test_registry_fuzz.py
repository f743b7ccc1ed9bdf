"""Whatever the bytes, the answer is a registry or an error that says where and what to do."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_invariants.registry.problems import RegistryError

from tests.registry.samples import FULL, SMALL, read_text, repository

WORDS = (
    "version 1 code agent seal function m:f verdict sealed subject capabilities of grant value surfaces manner named "
    "exempt expires 2027-06-30 policies table live << ~ true yes 0x1 é &a *a !!str !x | > ? - --- ... %YAML # , @ ` %"
)
MARKS = [
    ": ",
    ":",
    "{",
    "}",
    "[",
    "]",
    "'",
    '"',
    "\n",
    "\n  ",
    "\n    ",
    "\r\n",
    "\t",
    " ",
    "\\",
    "\0",
    "\ufeff",
    "\u2028",
    "\x85",
]
TOKENS = st.sampled_from([*(f"{word} " for word in WORDS.split()), *MARKS])
CUTS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), TOKENS), max_size=3)


def spoiled(text: str, cuts: list[tuple[float, int, str]]) -> bytes:
    for share, length, token in cuts:
        at = int(share * len(text))
        text = text[:at] + token + text[at + length :]
    return text.encode()


INPUTS = {
    "bytes": st.binary(max_size=200),
    "text": st.text(max_size=200).map(lambda text: text.encode()),
    "tokens": st.lists(TOKENS, max_size=40).map(lambda tokens: "".join(tokens).encode()),
    "a spoiled registry": st.builds(spoiled, st.sampled_from([SMALL, FULL]), CUTS),
}


def answer(folder: Path, data: bytes) -> str:
    """Read the data; returns what came of it."""
    try:
        registry = read_text(folder, data)
    except RegistryError as error:
        problems = error.problems
    else:
        assert registry.surfaces
        assert registry.capabilities
        return "read"
    lines = len(data.decode("utf-8", "replace").splitlines())
    assert problems
    for problem in problems:
        assert problem.path == "entrypoints/registry.yaml"
        assert 0 <= problem.line <= lines + 1
        assert (problem.line > 0) == (problem.column > 0)
        assert problem.message
        assert problem.remedy
        assert "\n" not in str(problem)
    return "refused"


@pytest.mark.parametrize("kind", INPUTS)
def test_every_input_has_an_answer(tmp_path: Path, kind: str) -> None:
    repository(tmp_path)
    outcomes: Counter[str] = Counter()

    @settings(max_examples=1000, derandomize=True, deadline=None, database=None)
    @given(INPUTS[kind])
    def check(data: bytes) -> None:
        outcomes[answer(tmp_path, data)] += 1

    check()
    assert outcomes["refused"] > 100
    assert (outcomes["read"] > 5) == (kind == "a spoiled registry")
