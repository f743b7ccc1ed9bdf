"""`check --since`: what a change did to each verdict, for reviewers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytest_invariants import cli

from tests.hook.scratch import ENVIRONMENT, FILES, FOREIGN, PREVIEW_ROW, REGISTRY, SEALED, Scratch


@pytest.fixture(autouse=True)
def _at_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in FOREIGN:
        monkeypatch.delenv(name, raising=False)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


def since(repository: Scratch, capsys: Any, *more: str) -> tuple[int, str]:
    status = cli.main(["check", "--static", "--since", "HEAD", str(repository.agent), *more])
    return status, capsys.readouterr().out.partition("since HEAD")[2]


def test_a_change_of_nothing_is_said(repository: Scratch, capsys: Any) -> None:
    repository.add("agent/doors.py", "\n# a comment\n")
    assert since(repository, capsys) == (0, ": every surface and every door stands as it did\n")


def test_a_lost_proof_is_told_with_its_reason(repository: Scratch, capsys: Any) -> None:
    repository.replace("agent/gate.py", "    require_open(turn, skill)\n", "    turn.plugin.check(turn, skill)\n")
    status, said = since(repository, capsys)
    assert status == 1
    assert "  activate: level 5 → undecided (untyped-receiver)\n" in said
    assert (
        "  activate: no longer by agent/checks.py: require_open: if sealed(skill.categories, turn.category)\n" in said
    )


def test_a_proof_that_became_a_refutation_is_told_with_its_level_and_reason(repository: Scratch, capsys: Any) -> None:
    repository.replace("agent/checks.py", "turn.category):", "turn.category) and turn.strict:")
    status, said = since(repository, capsys)
    assert status == 1
    assert "  activate: level 5 → refuted at level 2 (partial-verdict)\n" in said


def test_a_new_surface_and_a_gone_one(repository: Scratch, capsys: Any) -> None:
    repository.add("agent/doors.py", SEALED)
    repository.add(REGISTRY, PREVIEW_ROW)
    status, said = since(repository, capsys)
    assert status == 0
    assert "  preview: no surface → level 5\n" in said
    assert "  agent.doors:preview: no door → surface preview\n" in said
    repository.commit()
    repository.stage({"agent/doors.py": FILES["agent/doors.py"], REGISTRY: FILES[REGISTRY]})
    assert "  preview: level 5 → no surface\n" in since(repository, capsys)[1]


def test_a_moved_condition_is_told_though_the_level_stays(repository: Scratch, capsys: Any) -> None:
    repository.replace("agent/checks.py", "def require_open", "def require")
    repository.replace("agent/gate.py", "require_open", "require")
    status, said = since(repository, capsys)
    assert status == 0
    assert "  activate: now by agent/checks.py: require: if sealed(skill.categories, turn.category)\n" in said


def test_a_forged_cache_does_not_change_what_is_told_in_ci(
    repository: Scratch, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    since(repository, capsys)
    assert not (repository.top / ".invariants_cache").exists()


def test_a_registry_that_the_revision_did_not_have(tmp_path: Path, capsys: Any) -> None:
    repository = Scratch.make(tmp_path / "r", files={name: text for name, text in FILES.items() if name != REGISTRY})
    repository.commit()
    repository.stage({REGISTRY: FILES[REGISTRY]})
    assert "  activate: no surface → level 5\n" in since(repository, capsys)[1]


def test_a_revision_that_nobody_knows(repository: Scratch, capsys: Any) -> None:
    assert cli.main(["check", "--static", "--since=--upload-pack=x", str(repository.agent)]) == 2
    assert cli.main(["check", "--static", "--since", "nowhere", str(repository.agent)]) == 2
    assert "git knows no commit `nowhere`; fetch it, or name another" in capsys.readouterr().err


def test_beside_a_report_for_programs_it_goes_to_standard_error(repository: Scratch, capsys: Any) -> None:
    assert cli.main(["check", "--static", "--format", "json", "--since", "HEAD", str(repository.agent)]) == 0
    out, err = capsys.readouterr()
    assert "since" not in out
    assert err == "since HEAD: every surface and every door stands as it did\n"
