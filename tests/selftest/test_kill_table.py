"""The self-test as a whole: what is tried, what is made of the prover's answers, and that nothing but copies is changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_invariants.registry.model import Registry, Surface
from pytest_invariants.registry.problems import RegistryError
from pytest_invariants.registry.reader import read
from pytest_invariants.selftest import proving
from pytest_invariants.selftest.model import Half, KillTable, Outcome, Status
from pytest_invariants.selftest.run import Choice, TrialError, selftest
from pytest_invariants.verdict import Finding, Place, Reason, Verdict

from tests.selftest.agents import HEAD, write

DOORS = """\
def require(turn, skill):
    if sealed(skill.categories, turn.category):
        raise PermissionError(skill.name)


def manual(turn, name):
    skill = STORE.get(name)
    if skill is None:
        return None
    require(turn, skill)
    return skill.body


def twin(turn, name):
    return manual(turn, name)


def index(turn):
    return [skill.body for skill in STORE.all() if not sealed(skill.categories, turn.category)]
"""
SURFACES = {"manual": "named", "twin": "named", "index": "browse"}
GATE, RELAY, FILTER = (
    Place("agent/doors.py", (HEAD + DOORS).split(text)[0].count("\n") + 1)
    for text in ("    if sealed", "    require(turn", "    return [skill.body")
)


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return write(tmp_path, DOORS, SURFACES)


class FakeProver:
    """Says what `verdict` makes of a surface and of the text of `agent/doors.py`; every proof rests on the gate."""

    problems = ()
    verdict: Callable[[str, str], Verdict] = staticmethod(lambda surface, text: Verdict.PROVED)
    words = f"the seal asked at {GATE}"
    needed = True

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self._text = (registry.root / "agent" / "doors.py").read_text(encoding="utf-8")

    def consulted(self, surface: Surface) -> Finding:
        verdict = type(self).verdict(surface.id, self._text)
        reason = None if verdict is Verdict.PROVED else Reason.PATH_WITHOUT_SEAL
        return Finding(surface.id, "seal-consulted", verdict, reason=reason, guards=(self.words,))

    def rests_on(self, surface: Surface, guard: Place) -> bool:
        return self.needed


def faking(monkeypatch: pytest.MonkeyPatch, **attributes: object) -> None:
    """Let a fake prover answer; `verdict` is a function."""
    made = {name: staticmethod(value) if callable(value) else value for name, value in attributes.items()}
    monkeypatch.setattr(proving, "Prover", type("Faked", (FakeProver,), made))


def outcomes(table: KillTable) -> set[Outcome]:
    return {ruling.outcome for ruling in table.rulings}


# -- with the real prover


def test_every_mutant_of_an_honest_agent_is_noticed_at_the_right_surfaces(registry: Registry) -> None:
    table = selftest(registry)
    assert table.status() is Status.KILLED
    assert [(one.at, one.surfaces, one.through) for one in table.questions] == [
        (GATE, ("manual", "twin"), ""),
        (RELAY, ("manual",), "require"),
        (FILTER, ("index",), ""),
    ]
    assert {trial.mutant.operator for trial in table.trials} >= {"drop-guard", "invert", "swallow-refusal", "ask-once"}
    assert outcomes(table) <= {Outcome.KILLED, Outcome.MISNAMED}
    assert not any(trial.strays for trial in table.trials)
    assert not table.untried


def test_dropping_the_one_guard_turns_every_surface_red_that_hangs_on_it(registry: Registry) -> None:
    table = selftest(registry, Choice(("drop-guard",)))
    fallen = {trial.mutant.question.at: [one.surface for one in trial.rulings] for trial in table.trials}
    assert fallen == {GATE: ["manual", "twin"], RELAY: ["manual"], FILTER: ["index"]}
    assert {ruling.reason for ruling in table.rulings} <= {Reason.NEVER_REACHES_SEAL, Reason.PATH_WITHOUT_SEAL}


def test_the_code_under_test_is_not_touched(registry: Registry) -> None:
    def bytes_of_all() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in registry.root.rglob("*") if path.is_file()}

    before = bytes_of_all()
    selftest(registry, Choice(("drop-guard", "look-alike")))
    assert bytes_of_all() == before


def test_several_processes_come_to_the_same_table(registry: Registry) -> None:
    choice = ("drop-guard", "invert")
    assert selftest(registry, Choice(choice, jobs=2)) == selftest(registry, Choice(choice))


def test_questions_of_which_each_would_do_are_opened_together(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = (registry.root / "agent" / "doors.py").read_text(encoding="utf-8")

    def verdict(surface: str, text: str) -> Verdict:
        return Verdict.REFUTED if text.count("if sealed") < honest.count("if sealed") else Verdict.PROVED

    doors = DOORS + "\n\ndef second(turn, skill):\n    if sealed(skill.name, turn.category):\n        return None\n"
    (registry.root / "agent" / "doors.py").write_text(HEAD + doors, encoding="utf-8")
    second = Place("agent/doors.py", (HEAD + doors).split("    if sealed(skill.name")[0].count("\n") + 1)
    faking(monkeypatch, verdict=verdict, words=f"the seal asked at {GATE} or at {second}", needed=False)
    table = selftest(registry, Choice(("drop-guard",)))
    assert [one.places for one in table.questions] == [(GATE, second)]
    assert [line.strip() for line in table.trials[0].mutant.diff] == [
        "-    if sealed(skill.categories, turn.category):",
        "-        raise PermissionError(skill.name)",
        "+    pass",
        "-    if sealed(skill.name, turn.category):",
        "-        return None",
        "+    pass",
    ]
    assert table.status() is Status.KILLED


def test_a_question_on_which_nothing_hangs_is_not_opened(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    faking(monkeypatch, needed=False)
    table = selftest(registry)
    assert not table.questions
    assert table.status() is Status.NOTHING


def test_a_seal_that_is_not_there_is_the_registrys_mistake(registry: Registry) -> None:
    text = registry.path.read_text(encoding="utf-8").replace("agent.seal:sealed", "agent.seal:saeled")
    registry.path.write_text(text, encoding="utf-8")
    with pytest.raises(RegistryError, match="saeled"):
        selftest(read(registry.path))


# -- with provers that are wrong


def test_a_prover_that_always_says_proved_lets_every_mutant_survive(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    faking(monkeypatch)
    table = selftest(registry)
    assert table.status() is Status.SURVIVED
    assert outcomes(table) == {Outcome.SURVIVED}
    assert table.count(Outcome.SURVIVED) >= 3 * 7


def test_a_prover_that_misses_one_operator_is_caught_by_that_one(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = (registry.root / "agent" / "doors.py").read_text(encoding="utf-8")

    def verdict(surface: str, text: str) -> Verdict:
        return Verdict.PROVED if text == honest or "assert not" in text else Verdict.REFUTED

    faking(monkeypatch, verdict=verdict)
    table = selftest(registry)
    survived = {
        trial.mutant.operator for trial in table.trials for one in trial.rulings if one.outcome is Outcome.SURVIVED
    }
    assert survived == {"assert-guard"}
    assert table.status() is Status.SURVIVED


def test_a_prover_that_misses_one_surface_is_caught_at_that_one(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = (registry.root / "agent" / "doors.py").read_text(encoding="utf-8")

    def verdict(surface: str, text: str) -> Verdict:
        return Verdict.PROVED if text == honest or surface == "twin" else Verdict.REFUTED

    faking(monkeypatch, verdict=verdict)
    table = selftest(registry, Choice(("drop-guard",)))
    assert {one.surface for one in table.rulings if one.outcome is Outcome.SURVIVED} == {"twin"}


def test_a_reason_that_says_something_else_is_told_apart(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = (registry.root / "agent" / "doors.py").read_text(encoding="utf-8")
    faking(monkeypatch, verdict=lambda surface, text: Verdict.PROVED if text == honest else Verdict.REFUTED)
    named = {trial.mutant.operator: trial.rulings[0].outcome for trial in selftest(registry).trials}
    assert named["drop-guard"] is Outcome.KILLED
    assert named["constant-principal"] is Outcome.MISNAMED


def test_undecided_is_no_survivor_and_no_kill(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = (registry.root / "agent" / "doors.py").read_text(encoding="utf-8")
    faking(monkeypatch, verdict=lambda surface, text: Verdict.PROVED if text == honest else Verdict.UNDECIDED)
    table = selftest(registry, Choice(("drop-guard",)))
    assert outcomes(table) == {Outcome.UNDECIDED}
    assert table.status() is Status.KILLED


def test_a_surface_that_falls_without_hanging_on_the_question_is_a_stray(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = (registry.root / "agent" / "doors.py").read_text(encoding="utf-8")

    class Nervous(FakeProver):
        def consulted(self, surface: Surface) -> Finding:
            self.words = f"the seal asked at {FILTER if surface.id == 'index' else GATE}"
            return super().consulted(surface)

        verdict = staticmethod(lambda surface, text: Verdict.PROVED if text == honest else Verdict.REFUTED)

    monkeypatch.setattr(proving, "Prover", Nervous)
    table = selftest(registry, Choice(("drop-guard",)))
    strays = {trial.mutant.question.at: [one.surface for one in trial.strays] for trial in table.trials}
    assert strays == {GATE: ["index"], RELAY: [], FILTER: ["manual", "twin"]}


# -- never green for nothing


def test_where_nothing_is_proved_nothing_is_tried(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    faking(monkeypatch, verdict=lambda surface, text: Verdict.UNDECIDED)
    table = selftest(registry)
    assert table.status() is Status.NOTHING
    assert table.untried == ("manual", "twin", "index")
    assert [one.surface for one in table.unfit] == ["manual", "twin", "index"]


def test_one_surface_at_which_nothing_was_tried_is_no_pass(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = (registry.root / "agent" / "doors.py").read_text(encoding="utf-8")

    def verdict(surface: str, text: str) -> Verdict:
        return Verdict.PROVED if text == honest and surface != "index" else Verdict.REFUTED

    faking(monkeypatch, verdict=verdict)
    table = selftest(registry)
    assert table.untried == ("index",)
    assert table.status() is Status.NOTHING


def test_an_operator_that_applies_nowhere_kills_nothing(registry: Registry) -> None:
    table = selftest(registry, Choice(("drop-await",)))
    assert table.status() is Status.NOTHING
    assert not table.trials
    assert {one.why for one in table.skipped} == {"the seal is not awaited"}


def test_a_selection_of_surfaces_rules_on_no_others(registry: Registry) -> None:
    table = selftest(registry, Choice(("drop-guard", "twin")))
    assert [(one.surface, one.half) for one in table.rulings] == [("twin", Half.PROVER)]
    assert not any(trial.strays for trial in table.trials)
    assert list(table.proofs) == ["twin"]


def test_a_prover_that_breaks_on_a_mutant_is_no_kill(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = (registry.root / "agent" / "doors.py").read_text(encoding="utf-8")

    def verdict(surface: str, text: str) -> Verdict:
        if text != honest:
            raise RecursionError("too deep")
        return Verdict.PROVED

    faking(monkeypatch, verdict=verdict)
    with pytest.raises(TrialError, match=f"drop-guard at {GATE}: RecursionError: too deep"):
        selftest(registry, Choice(("drop-guard",)))


def test_progress_is_told_after_each_mutant(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    faking(monkeypatch)
    told: list[tuple[int, int]] = []
    table = selftest(registry, Choice(("drop-guard", "invert")), lambda number, total: told.append((number, total)))
    assert told == [(number, len(table.trials)) for number in range(1, len(table.trials) + 1)]
