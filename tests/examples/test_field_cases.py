"""The registries of public code bases and the expected answers beside them are well formed and agree."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml
from pytest_invariants.registry.reader import read
from pytest_invariants.verdict import Reason, Verdict

from examples.field.truth import Case, Truth, read_cases

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "registries"
CASES = read_cases(FOLDER)


def test_all_frameworks_are_there() -> None:
    names = {case.name for case in CASES}
    assert names >= {"agentscope", "fastmcp", "pydantic-ai", "openai-agents", "google-adk", "deepagents", "langchain"}
    assert [case.name for case in read_cases(FOLDER, ("fastmcp",))] == ["fastmcp"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_registry_reads_and_every_surface_has_an_expected_answer(case: Case, tmp_path: Path) -> None:
    for entry in yaml.safe_load(case.registry.read_text(encoding="utf-8"))["code"]:
        (tmp_path / entry).mkdir(parents=True)
    copy = tmp_path / "registry.yaml"
    shutil.copyfile(case.registry, copy)
    registry = read(copy, tmp_path)
    assert [surface.id for surface in registry.surfaces] == list(case.surfaces)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_expected_answers_use_the_words_of_the_contract(case: Case) -> None:
    for name, expected in {**case.surfaces, **case.run}.items():
        assert set(expected.verdicts) <= {verdict.value for verdict in Verdict}, name
        assert set(expected.reasons) <= {reason.value for reason in Reason}, name
        assert expected.why, name


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_expected_verdicts_follow_from_the_truth(case: Case) -> None:
    for name, expected in {**case.surfaces, **case.run}.items():
        if expected.truth is Truth.FALLS:
            assert "proved" not in expected.verdicts, name
            assert expected.judgement, f"{name} falls and nobody says whether that is a real hole"
        else:
            assert "refuted" not in expected.verdicts, name
            assert not expected.judgement, name


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_package_is_pinned(case: Case) -> None:
    assert case.packages
    assert all(package.version for package in case.packages)
