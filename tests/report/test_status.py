"""The exit status: what makes a run hold, fall, or say that it cannot tell."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytest_invariants.registry.problems import Problem
from pytest_invariants.report.model import Fault, Status
from pytest_invariants.verdict import Finding, Verdict

from tests.report.fakes import (
    CLOSED,
    EVERY_KIND,
    HELD,
    LEAKED,
    NO_DOORS,
    PROVED,
    REFUTED,
    SOLE,
    UNDECIDED,
    UNEXAMINED,
    report,
)

PROBLEM = Problem("entrypoints/registry.yaml", 3, 5, "the seal is not there", "correct its name")
FAULT = Fault("index", "seal-consulted", "ValueError: no", "Traceback ...")


@pytest.mark.parametrize(
    ("findings", "status"),
    [
        ((PROVED, SOLE), Status.HOLDS),
        ((HELD,), Status.HOLDS),
        ((PROVED, UNEXAMINED), Status.HOLDS),
        ((PROVED, REFUTED), Status.FALLS),
        ((HELD, LEAKED), Status.FALLS),
        ((UNDECIDED,), Status.FALLS),
        ((UNDECIDED, HELD), Status.HOLDS),
        ((UNEXAMINED,), Status.NOTHING_EXAMINED),
        ((), Status.NOTHING_EXAMINED),
    ],
)
def test_the_findings_make_the_status(tmp_path: Path, findings: tuple[Finding, ...], status: Status) -> None:
    assert report(tmp_path, *findings).status() is status


@pytest.mark.parametrize(
    "stand_in",
    [
        replace(HELD, surface="index"),
        replace(HELD, verdict=Verdict.UNEXAMINED),
        replace(HELD, verdict=Verdict.UNDECIDED),
        replace(HELD, verdict=Verdict.PROVED),
        replace(HELD, invariant="seal-sole"),
    ],
    ids=["another surface", "not examined", "undecided", "not by running", "another invariant"],
)
def test_only_the_probe_of_that_very_surface_stands_in_for_a_proof(tmp_path: Path, stand_in: Finding) -> None:
    assert report(tmp_path, UNDECIDED, stand_in, PROVED).status() is Status.FALLS


def test_nothing_stands_in_for_a_proof_where_nothing_was_run(tmp_path: Path) -> None:
    assert report(tmp_path, UNDECIDED, HELD, static=True).status() is Status.FALLS


def test_an_undecided_answer_to_another_question_falls(tmp_path: Path) -> None:
    assert report(tmp_path, replace(UNDECIDED, invariant="seal-sole"), HELD).status() is Status.FALLS


def test_a_covered_question_still_counts_as_undecided(tmp_path: Path) -> None:
    assert report(tmp_path, UNDECIDED, HELD).undecided == 1


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"files": 0}, Status.NOTHING_EXAMINED),
        ({"problems": (PROBLEM,)}, Status.MISUSED),
        ({"faults": (FAULT,)}, Status.FAULT),
        ({"problems": (PROBLEM,), "faults": (FAULT,)}, Status.MISUSED),
    ],
)
def test_a_run_that_could_not_look_never_passes(tmp_path: Path, changes: dict[str, object], status: Status) -> None:
    assert report(tmp_path, PROVED, **changes).status() is status


def test_an_empty_inventory_never_passes(tmp_path: Path) -> None:
    nowhere = NO_DOORS
    assert report(tmp_path, PROVED, doors=nowhere).status() is Status.NOTHING_EXAMINED
    assert report(tmp_path, REFUTED, doors=nowhere).status() is Status.FALLS


def test_a_door_that_nobody_answers_for_falls_even_where_no_finding_says_so(tmp_path: Path) -> None:
    asked = replace(PROVED, invariant="door-registered")
    assert report(tmp_path, asked).status() is Status.FALLS
    assert report(tmp_path, asked, doors=CLOSED).status() is Status.HOLDS
    assert report(tmp_path, asked, doors=replace(CLOSED, stale=("agent:gone",))).status() is Status.FALLS
    assert report(tmp_path, PROVED).status() is Status.HOLDS


def test_a_fault_outweighs_what_falls_because_the_run_is_not_whole(tmp_path: Path) -> None:
    assert report(tmp_path, *EVERY_KIND, faults=(FAULT,)).status() is Status.FAULT


def test_rows_and_columns_follow_the_registry_and_the_catalogue(tmp_path: Path) -> None:
    shuffled = report(tmp_path, *reversed(EVERY_KIND))
    assert shuffled.rows == ("index", "activate", "bridge", "*")
    assert shuffled.columns == ("seal-consulted", "seal-decides")
