"""The prover against every literate specification, one test a case.

`ledger.txt` lists the cases that are not yet decided rightly. It is read in both directions: a listed case that has
become right must leave the list, and a case that is not listed must be right. Proved wrongly is never excused.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.flow import specs

CASES = {case.id: case for case in specs.all_cases()}
LEDGER = [
    line.split("#")[0].strip()
    for line in Path(__file__).with_name("ledger.txt").read_text(encoding="utf-8").splitlines()
    if line.split("#")[0].strip()
]


@pytest.mark.parametrize("name", CASES)
def test_case(name: str, tmp_path: Path) -> None:
    mismatches = specs.check(CASES[name], tmp_path)
    wrongly = [str(mismatch) for mismatch in mismatches if mismatch.proved_wrongly]
    assert not wrongly, "\n".join(wrongly)
    if name in LEDGER:
        assert mismatches, f"{name} is decided rightly now: take it out of ledger.txt"
    else:
        assert not mismatches, "\n".join(map(str, mismatches))


def test_ledger_is_a_sorted_list_of_cases() -> None:
    assert sorted(set(LEDGER)) == LEDGER
    assert set(LEDGER) <= set(CASES), "the ledger names cases that do not exist"


def test_both_polarities_are_there() -> None:
    """A corpus of one polarity would be passed by a prover that always gives the same answer."""
    wanted = [
        verdict
        for case in CASES.values()
        for row in case.expect.values()
        for verdict in specs.as_list(row.get("seal-consulted", []))
    ]
    assert len(CASES) >= 450
    assert min(wanted.count("proved"), wanted.count("refuted")) > 0.4 * len(CASES)


class _Always:
    """A prover that gives one answer to everything; it must be caught."""

    def __init__(self, finding: specs.Finding) -> None:
        self.finding = finding
        self.doors = self
        self.unregistered = ["agent.doors:somewhere"]
        self.stale: list[str] = []

    def consulted(self, _surface: object) -> specs.Finding:
        return self.finding

    registered = consulted

    def sole(self) -> specs.Finding:
        return self.finding


@pytest.mark.parametrize("verdict", list(specs.Verdict)[:4])
def test_the_comparison_itself_catches_a_constant_answer(verdict: specs.Verdict) -> None:
    caught = 0
    for case in CASES.values():
        finding = specs.Finding("x", "seal-consulted", verdict)
        mismatches = list(specs.compare(case, _registry_of(case), _Always(finding)))
        caught += bool(mismatches)
        assert not any(m.proved_wrongly for m in mismatches) or verdict is specs.Verdict.PROVED
    assert caught > 0.4 * len(CASES)


def _registry_of(case: object) -> object:
    """Just enough of a registry for `compare`: the surfaces that the case speaks of."""
    from types import SimpleNamespace

    surfaces = [SimpleNamespace(id=key) for key in case.expect if key != "*"]  # type: ignore[attr-defined]
    return SimpleNamespace(surfaces=surfaces)
