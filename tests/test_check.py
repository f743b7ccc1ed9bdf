"""Which questions a run asks, and how two halves make one answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pytest_invariants import check as module
from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.flow.judging.doors import Doors
from pytest_invariants.flow.judging.finding import Missing
from pytest_invariants.registry.model import Registry, Surface
from pytest_invariants.report.model import Status
from pytest_invariants.verdict import RUN, Finding, Place, Reason, Verdict

from tests.report.fakes import CLOSED, registry

PROVED, HELD, REFUTED = Verdict.PROVED, Verdict.HELD, Verdict.REFUTED
UNDECIDED, UNEXAMINED = Verdict.UNDECIDED, Verdict.UNEXAMINED


@dataclass(frozen=True)
class FakeProgram:
    """A program that was read whole."""

    apart: tuple[str, ...] = ()


@dataclass(frozen=True)
class FakeProver:
    """A prover that has read three files and found what `CLOSED` says."""

    registry: Registry
    doors: Doors = CLOSED
    files: int = 3
    lines: int = 40
    problems: tuple[object, ...] = ()
    unreadable: tuple[Finding, ...] = ()
    program: FakeProgram = FakeProgram()


def answer(invariant: str, verdict: Verdict) -> Callable[[object, Surface | None], Finding]:
    return lambda _half, surface: Finding(surface.id if surface else RUN, invariant, verdict)


def fail(_half: object, _surface: Surface | None) -> Finding:
    raise LookupError("no such thing")


def leave(_half: object, _surface: Surface | None) -> Finding:
    raise SystemExit(0)


NO_SEAL = Missing(Place("entrypoints/registry.yaml", 4), "`agent:sealed` is not in the code", "correct its name")
CATALOGUE = (
    Invariant("one", "f", Scope.SURFACE, "One.", prove=answer("one", PROVED)),
    Invariant("two", "f", Scope.SURFACE, "Two.", play=answer("two", HELD)),
    Invariant("three", "f", Scope.RUN, "Three.", prove=answer("three", PROVED), play=answer("three", HELD)),
)


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    """The registry of the small agent, with a fake prover and a fake catalogue behind `check`."""
    monkeypatch.setattr(module, "Prover", FakeProver)
    monkeypatch.setattr(module, "CATALOGUE", CATALOGUE)
    return registry(tmp_path)


def asked(questions: Iterator[module.Question]) -> list[str]:
    return [f"{question.about}/{question.invariant.id}" for question in questions]


def test_every_surface_is_asked_everything_and_then_the_run(agent: Registry) -> None:
    surfaces = ["index/one", "index/two", "activate/one", "activate/two", "bridge/one", "bridge/two"]
    assert asked(module.questions(agent)) == [*surfaces, "*/three"]


def test_reading_alone_asks_what_can_be_read(agent: Registry) -> None:
    assert asked(module.questions(agent, static=True)) == ["index/one", "activate/one", "bridge/one", "*/three"]


@pytest.mark.parametrize(
    ("select", "wanted"),
    [
        (("index",), ["index/one", "index/two"]),
        (("two",), ["index/two", "activate/two", "bridge/two"]),
        (("two", "index"), ["index/two"]),
        (("index", "bridge", "one"), ["index/one", "bridge/one"]),
        ((RUN,), ["*/three"]),
        (("three",), ["*/three"]),
        (("three", "index"), []),
    ],
)
def test_a_selection_keeps_what_it_names(agent: Registry, select: tuple[str, ...], wanted: list[str]) -> None:
    assert asked(module.questions(agent, select=select)) == wanted


def test_everything_that_is_asked_can_be_selected(agent: Registry) -> None:
    assert module.selectable(agent) == ("one", "two", "three", "index", "activate", "bridge", RUN)


@pytest.mark.parametrize(
    ("proof", "played", "wanted"),
    [
        (PROVED, HELD, PROVED),
        (PROVED, UNEXAMINED, PROVED),
        (PROVED, REFUTED, REFUTED),
        (PROVED, UNDECIDED, UNDECIDED),
        (REFUTED, HELD, REFUTED),
        (REFUTED, UNEXAMINED, REFUTED),
        (UNDECIDED, HELD, HELD),
        (UNDECIDED, UNEXAMINED, UNDECIDED),
        (UNDECIDED, REFUTED, REFUTED),
        (UNEXAMINED, HELD, HELD),
        (UNEXAMINED, UNEXAMINED, UNEXAMINED),
    ],
)
def test_a_counterexample_wins_and_a_run_stands_in_for_a_proof(
    proof: Verdict, played: Verdict, wanted: Verdict
) -> None:
    finding = Finding("index", "one", proof)
    assert module.combined(finding, replace(finding, verdict=played)).verdict is wanted


def test_a_report_holds_what_the_prover_saw(agent: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    lost = Finding(RUN, "readable", UNDECIDED, reason=Reason.UNSUPPORTED_SYNTAX)
    monkeypatch.setattr(module, "Prover", lambda given: FakeProver(given, unreadable=(lost,)))
    report = module.check(agent, static=True)
    assert (report.files, report.lines) == (3, 40)
    assert report.findings[-1] == lost
    assert report.status() is Status.FALLS


def test_the_agent_is_not_touched_where_it_is_only_read(agent: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(_self: object) -> object:
        raise AssertionError("the probe was opened")

    monkeypatch.setattr(module.Examination, "session", property(never))
    report = module.check(agent, static=True)
    assert report.status() is Status.HOLDS
    assert report.faults == ()


def test_each_question_is_announced_before_it_is_asked(agent: Registry) -> None:
    told: list[str] = []
    report = module.check(agent, static=True, progress=lambda question: told.append(question.about))
    assert told == [finding.surface for finding in report.findings]


def test_one_session_serves_every_question(agent: Registry) -> None:
    examination = module.Examination(agent)
    assert examination.session is examination.session


def test_nothing_is_asked_where_the_seal_is_not_there(agent: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "Prover", lambda given: FakeProver(given, problems=(NO_SEAL,)))
    report = module.check(agent)
    assert report.findings == ()
    assert [str(one) for one in report.problems] == [
        "entrypoints/registry.yaml:4:1: `agent:sealed` is not in the code; correct its name"
    ]
    assert report.status() is Status.MISUSED


@pytest.mark.parametrize(("half", "said"), [(fail, "LookupError: no such thing"), (leave, "SystemExit: 0")])
def test_a_fault_costs_one_answer_and_never_the_run(
    agent: Registry,
    monkeypatch: pytest.MonkeyPatch,
    half: Callable[[object, Surface | None], Finding],
    said: str,
) -> None:
    broken = Invariant("broken", "f", Scope.RUN, "Broken.", prove=half)
    monkeypatch.setattr(module, "CATALOGUE", (*CATALOGUE, broken))
    report = module.check(agent, static=True)
    assert len(report.findings) == 5
    assert [fault.error for fault in report.faults] == [said]
    assert "Traceback" in report.faults[0].traceback
    assert report.findings[-1].reason is Reason.HARNESS
    assert report.status() is Status.FAULT


def test_an_interruption_ends_the_run(agent: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(_prover: object, _surface: Surface | None) -> Finding:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "CATALOGUE", (Invariant("slow", "f", Scope.RUN, "Slow.", prove=stop),))
    with pytest.raises(KeyboardInterrupt):
        module.check(agent, static=True)


def test_the_columns_come_in_the_order_of_the_catalogue(agent: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Invariant("first", "f", Scope.RUN, "First.", prove=answer("first", PROVED))
    monkeypatch.setattr(module, "CATALOGUE", (first, *CATALOGUE))
    assert [invariant.id for invariant in module.check(agent, static=True).invariants] == ["first", "one", "three"]
