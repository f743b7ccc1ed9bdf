"""The short host of the examples: thirty lines, and enough for the surfaces that it has."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_invariants.catalogue import CATALOGUE
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.registry.model import Reference
from pytest_invariants.registry.reader import read
from pytest_invariants.verdict import Verdict

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "short_host.py"
INVARIANTS = {invariant.id: invariant for invariant in CATALOGUE}
OF_ALL = ("seal-decides", "aliases-sealed", "refusal-truthful", "browse-silent", "order-whole")


@pytest.fixture(scope="module")
def session() -> ProbeSession:
    rows = read(ROOT / "entrypoints" / "registry.yaml")
    return ProbeSession(replace(rows, host=Reference("examples.short_host", "ShortHost")))


def test_the_class_has_thirty_lines_at_most() -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    (host,) = (node for node in ast.parse(text).body if isinstance(node, ast.ClassDef))
    lines = text.splitlines()[host.lineno - 1 : host.end_lineno]
    assert len([line for line in lines if line.strip()]) <= 30


@pytest.mark.parametrize("surface", ["index", "introspect", "manual", "activate"])
def test_it_is_enough_for_its_surfaces(session: ProbeSession, surface: str) -> None:
    row = next(each for each in session.registry.surfaces if each.id == surface)
    for invariant in (INVARIANTS[id] for id in OF_ALL if INVARIANTS[id].suits(row)):
        assert invariant.play is not None
        finding = invariant.play(session, row)
        one_name = invariant.id == "order-whole" and surface == "manual"
        assert finding.verdict is (Verdict.UNEXAMINED if one_name else Verdict.HELD), finding


def test_what_it_lacks_is_not_examined(session: ProbeSession) -> None:
    row = next(each for each in session.registry.surfaces if each.id == "dispatch")
    lacking = [
        *((INVARIANTS[id], row) for id in ("seal-decides", "resume-reseals", "history-forged")),
        *((INVARIANTS[id], None) for id in ("approval-reseals", "child-bounded", "group-sealed")),
    ]
    for invariant, surface in lacking:
        assert invariant.play is not None
        assert invariant.play(session, surface).verdict is Verdict.UNEXAMINED, invariant.id


def test_its_surfaces_agree(session: ProbeSession) -> None:
    play = INVARIANTS["surfaces-agree"].play
    assert play is not None
    assert play(session, None).verdict is Verdict.HELD
