"""A proof hangs on its questions: each is taken away in turn, and a proof that stands without all of them is a fault."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pytest_invariants.check import check
from pytest_invariants.cli import main
from pytest_invariants.flow.domain.state import Open, State
from pytest_invariants.flow.prover import EmptyProof, Prover
from pytest_invariants.flow.seal import sealing
from pytest_invariants.registry.model import Registry
from pytest_invariants.registry.reader import read
from pytest_invariants.report.model import Status
from pytest_invariants.verdict import Place, Verdict

from tests.fuzz import agents
from tests.fuzz.seals import Seal

SEAL = Seal("sealed", awaited=False)
HEAD = "from agent.seal import sealed\nfrom agent.store import STORE\n\n\n"
QUESTION = "    if sealed(skill.categories, turn.category):\n        return None\n"
OPENING = "def door(turn, name):\n    skill = STORE.get(name)\n    if skill is None:\n        return None\n"
ONCE = f"{OPENING}{QUESTION}    return skill.body\n"
TWICE = f"{OPENING}{QUESTION}{QUESTION}    return skill.body\n"
KINDS = ("body", "description", "tools", "body", "description", "tools", "body", "tools")


def registry_of(root: Path, doors: str) -> Registry:
    registry = agents.registry(SEAL, "agent.doors:door", "named", deeds=False)
    agents.write(root, {**agents.files(SEAL), "agent/doors.py": HEAD + doors, "entrypoints/registry.yaml": registry})
    return read(root / "entrypoints" / "registry.yaml", root)


def branches(count: int) -> str:
    """A door with as many branches, each with a question of its own."""
    lines = ["def door(turn, name):", "    skill = STORE.get(name)", "    if skill is None:", "        return None"]
    for number, kind in enumerate(KINDS[:count]):
        lines += [f"    if turn.flag_{number}:", "        if sealed(skill.categories, turn.category):"]
        lines += ["            return None", f"        return skill.{kind}"]
    return "\n".join([*lines, "    return None", ""])


def always_open(m: Any, call: Any, state: State) -> None:
    """A broken pass edge: it is there although the question has been taken away."""
    state.outcomes[call.number] = "open"
    state.facts |= {Open(call, state.epoch)}


@pytest.mark.parametrize("count", [1, 3, 8])
def test_each_question_is_taken_away_in_turn(count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prover = Prover(registry_of(tmp_path, branches(count)))
    tried: list[Place | None] = []
    holds = Prover._holds_without

    def noted(self: Prover, surface: Any, guard: Place | None) -> bool:
        tried.append(guard)
        return holds(self, surface, guard)

    monkeypatch.setattr(Prover, "_holds_without", noted)
    finding = prover.consulted(prover.registry.surfaces[0])
    asked = [n for n, line in enumerate((HEAD + branches(count)).splitlines(), 1) if "if sealed(" in line]
    assert finding.verdict is Verdict.PROVED
    assert finding.guards == tuple(f"the seal asked at agent/doors.py:{line}" for line in asked)
    assert tried[0] is None
    assert count == 1 or tried[1:] == [Place("agent/doors.py", line) for line in asked]


def test_of_two_questions_in_a_row_the_proof_rests_on_neither_alone(tmp_path: Path) -> None:
    prover = Prover(registry_of(tmp_path, TWICE))
    finding = prover.consulted(prover.registry.surfaces[0])
    assert finding.verdict is Verdict.PROVED
    assert len(finding.guards) == 1
    assert len(re.findall(r"doors\.py:\d+", finding.guards[0])) <= 2


def test_a_proof_that_stands_on_nothing_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = registry_of(tmp_path, ONCE)
    assert Prover(registry).consulted(registry.surfaces[0]).verdict is Verdict.PROVED
    monkeypatch.setattr(sealing, "grant_pass", always_open)
    with pytest.raises(EmptyProof, match="`door` does not depend on any answer"):
        Prover(registry).consulted(registry.surfaces[0])


def test_the_command_ends_with_status_4(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    registry = registry_of(tmp_path, ONCE)
    monkeypatch.chdir(tmp_path)
    assert main(["check", "--static", "--select", "seal-consulted"]) == Status.HOLDS
    monkeypatch.setattr(sealing, "grant_pass", always_open)
    report = check(registry, static=True, select=["seal-consulted"])
    assert report.status() is Status.FAULT
    assert main(["check", "--static", "--select", "seal-consulted"]) == Status.FAULT == 4
    assert "does not depend on any answer of the seal" in capsys.readouterr().out
