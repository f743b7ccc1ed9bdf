"""A share of the random inputs on every run; `python -m tests.inputs` draws a thousand of each kind."""

from __future__ import annotations

import pytest

from tests.inputs.__main__ import main
from tests.inputs.judge import bench, run
from tests.inputs.repository import MANUAL, MUTANTS, REGISTRY
from tests.inputs.texts import KINDS

SHARE = 50
"""Of a thousand: enough to notice a reader that has forgotten its errors."""


@pytest.mark.parametrize("kind", KINDS)
def test_no_random_input_makes_a_traceback(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--inputs", str(SHARE), "--kind", kind]) == 0
    assert capsys.readouterr().out.startswith(f"{kind}: {SHARE} read: ")


def test_random_registries_are_refused_and_judged_alike() -> None:
    outcomes = run("registry", SHARE, first=2)
    assert min(outcomes["refused"], outcomes["fell"]) > SHARE / 5


def test_the_samples_themselves_are_read() -> None:
    with bench() as judge:
        assert judge.registry(REGISTRY.encode()) == "fell"
        assert judge.markdown(MANUAL.encode()) == "held"
        assert judge.yaml(MUTANTS.encode()) == "refused"


@pytest.mark.parametrize("error", [RecursionError, ValueError, KeyError, UnicodeError])
def test_a_reader_that_breaks_is_noticed(monkeypatch: pytest.MonkeyPatch, error: type[Exception]) -> None:
    def broken(*_: object) -> None:
        raise error

    monkeypatch.setattr("pytest_invariants.commands.common.read", broken)
    with bench() as judge, pytest.raises(AssertionError, match="exit status 4"):
        judge.registry(REGISTRY.encode())


def test_a_traceback_in_what_is_printed_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def chatty(_arguments: list[str]) -> int:
        print("Traceback (most recent call last):")
        return 0

    monkeypatch.setattr("tests.inputs.judge.main", chatty)
    with bench() as judge, pytest.raises(AssertionError, match="Traceback"):
        judge.markdown(MANUAL.encode())


def test_one_input_does_not_weigh_on_the_next() -> None:
    with bench() as judge:
        judge.yaml(b"a: [")
        assert judge.markdown(MANUAL.encode()) == "held"
