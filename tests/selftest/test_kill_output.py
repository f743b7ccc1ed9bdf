"""What a user sees of a self-test: the table in text, JSON and Markdown, and the exit status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pytest_invariants import cli
from pytest_invariants.registry.model import Registry
from pytest_invariants.selftest import proving

from tests.selftest.agents import write
from tests.selftest.test_kill_table import DOORS, GATE, SURFACES, FakeProver


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return write(tmp_path, DOORS, SURFACES)


def run(registry: Registry, *arguments: str) -> int:
    return cli.main(["selftest", str(registry.root), *arguments])


def test_the_table_stands_question_by_question(registry: Registry, capsys: Any) -> None:
    assert run(registry, "--select", "drop-guard", "--select", "assert-guard") == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out == (
        """\
entrypoints/registry.yaml: 3 surfaces, 3 questions, 2 operators, 4 mutants

agent/doors.py:6  if sealed(skill.categories, turn.category):
  mutant        manual              twin
  drop-guard    never-reaches-seal  never-reaches-seal
  assert-guard  assert-guard        assert-guard

agent/doors.py:14  require(turn, skill)  (leads to the question in require)
  mutant      manual
  drop-guard  never-reaches-seal

agent/doors.py:23  return [skill.body for skill in STORE.all() if not sealed(skill.categories, turn.category)]
  mutant      index
  drop-guard  never-reaches-seal
  does not apply: assert-guard (the question is no `if` statement's)

A cell holds the reason for which the surface falls. `~` before it: the reason says something else than what was
spoiled. `?`: undecided, which fails the run and is no refutation. After `+` stands what the probe says; `covered`:
nothing came out, because another question was on the way.

6 rulings: 6 killed
KILLED: every mutant was noticed
"""
    )


def test_survivors_are_shown_with_what_was_changed(
    registry: Registry, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(proving, "Prover", FakeProver)
    assert run(registry, "--select", "drop-guard") == 1
    out = capsys.readouterr().out
    assert f"{GATE}: drop-guard survived at manual (prover), twin (prover), index (prover)\n" in out
    assert "    -    if sealed(skill.categories, turn.category):\n" in out
    assert "  drop-guard  SURVIVED  SURVIVED  SURVIVED\n" in out
    assert out.endswith("SURVIVED: the harness has not noticed all of them\n")


def test_nothing_tried_is_status_3(registry: Registry, capsys: Any) -> None:
    assert run(registry, "--select", "drop-await") == 3
    out = capsys.readouterr().out
    assert "manual: no mutant was tried there\n" in out
    assert "0 rulings: none\n" in out
    assert out.endswith("NOT TRIED everywhere, and that is no pass\n")


def test_a_wrong_registry_is_status_2(registry: Registry, capsys: Any) -> None:
    assert run(registry, "--select", "drop-gaurd") == 2
    assert "did you mean `drop-guard`?" in capsys.readouterr().err
    text = registry.path.read_text(encoding="utf-8")
    registry.path.write_text(text.replace("agent.seal:sealed", "agent.seal:saeled"), encoding="utf-8")
    assert run(registry) == 2
    assert "entrypoints/registry.yaml:3:" in capsys.readouterr().err


def test_a_fault_of_the_harness_is_status_4(registry: Registry, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(proving, "Prover", None)
    assert run(registry) == 4
    assert "a fault of the harness itself" in capsys.readouterr().err


def test_programs_read_every_ruling(registry: Registry, capsys: Any) -> None:
    assert run(registry, "--select", "drop-guard", "--select", "drop-await", "--format", "json") == 0
    table = json.loads(capsys.readouterr().out)
    assert (table["version"], table["status"]) == (1, 0)
    assert table["rulings"] == {"killed": 4, "misnamed": 0, "undecided": 0, "covered": 0, "survived": 0}
    assert [one["id"] for one in table["operators"]] == ["drop-guard", "drop-await"]
    first = table["mutants"][0]
    assert first["question"]["at"] == {"path": "agent/doors.py", "line": GATE.line}
    assert first["question"]["surfaces"] == ["manual", "twin"]
    assert [(one["surface"], one["half"], one["reason"]) for one in first["rulings"]] == [
        ("manual", "prover", "never-reaches-seal"),
        ("twin", "prover", "never-reaches-seal"),
    ]
    assert {one["operator"] for one in table["not_applicable"]} == {"drop-await"}
    assert [one["verdict"] for one in table["proofs"]] == ["proved"] * 3


def test_the_page_is_written_in_one_go(registry: Registry, tmp_path: Path, capsys: Any) -> None:
    target = tmp_path / "kill-table.md"
    assert run(registry, "--select", "drop-guard", "--format", "markdown", "--output", str(target)) == 0
    assert capsys.readouterr().out == ""
    page = target.read_text(encoding="utf-8")
    assert page.startswith("<!-- Written by `invariants selftest")
    assert (
        "\n## agent/doors.py: require\n\n`if sealed(skill.categories, turn.category):`\n\n| mutant | manual | twin |\n|---|---|---|\n"
        in page
    )
    assert "| `drop-guard` | As if nobody had written the question" in page


def test_the_same_table_is_the_same_bytes_twice(registry: Registry, capsys: Any) -> None:
    outputs = set()
    for _ in range(2):
        assert run(registry, "--select", "invert", "--format", "json") == 0
        outputs.add(capsys.readouterr().out)
    assert len(outputs) == 1
    assert str(registry.root) not in outputs.pop()
