"""Every way in which a lever or a fact of a host can be wrong gives one clear message with a remedy."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytest_invariants.catalogue import CATALOGUE
from pytest_invariants.probe.host import Facts, Host
from pytest_invariants.verdict import Finding, Reason, Verdict

from tests.catalogue.small import Small, finding_of
from tests.catalogue.test_askers import Threads
from tests.catalogue.test_surfaces_agree import Full

INVARIANTS = {invariant.id: invariant for invariant in CATALOGUE}
SURFACES = {"seal-decides": "activate", "resume-reseals": "activate", "history-forged": "activate"}
ROWS: dict[str, type[Host]] = {}


def wrong(base: type[Host], **members: object) -> str:
    """The name of a host that differs from an honest one in these members."""
    name = f"Wrong{len(ROWS)}"
    made = type(name, (base,), members)
    made.__module__ = __name__
    ROWS[name] = globals()[name] = made
    return name


def found(invariant: str, host: str, surface: str | None) -> Finding:
    return finding_of(INVARIANTS[invariant], ROWS[host], surface, policies={"child": "ceiling"})


def breaks(*_arguments: object) -> object:
    raise OSError("gone")


def gives(value: object) -> Callable[..., object]:
    return lambda *_arguments: value


@pytest.mark.parametrize(
    ("host", "invariant", "message", "remedy"),
    [
        (wrong(Small, skills="notes"), "seal-decides", ".skills` is 'notes'", "name what can be asked for"),
        (wrong(Small, facts=Facts()), "seal-decides", ".facts` is Facts(", "give a tuple of Facts"),
        (wrong(Full, resume=lambda self: None), "resume-reseals", ".resume` has to take 1 argument", "its signature"),
        (wrong(Full, resume=breaks), "resume-reseals", ".resume` raised OSError: gone", "repair the host"),
        (wrong(Full, load=breaks), "surfaces-agree", ".load` raised OSError: gone", "repair the host"),
        (wrong(Full, approve=gives(True)), "approval-reseals", ".approve` returned True", "return Outcome(ran, text)"),
        (wrong(Full, approve_edited=gives(1)), "approval-reseals", ".approve_edited` returned 1", "return Outcome("),
        (wrong(Full, approve_edited=lambda self: 1), "approval-reseals", "has to take 1 argument", "its signature"),
        (wrong(Full, spawn_child=gives(Full)), "child-bounded", "`spawn_child` returned <class", "whose agent is open"),
        (wrong(Threads, beside=gives("x")), "seal-decides", "`beside` returned 'x'", "return a Host whose agent is open"),
        (wrong(Threads, beside=breaks), "seal-decides", ".beside` raised OSError: gone", "repair the host"),
        (wrong(Small, spellings=gives("NOTES")), "aliases-sealed", ".spellings` returned 'NOTES'", "list of strings"),
        (wrong(Small, spellings=breaks), "aliases-sealed", ".spellings` raised OSError: gone", "let it report"),
        (wrong(Small, parts=breaks, reach=gives(0)), "aliases-sealed/run", ".parts` raised OSError: gone", "let it report"),
        (wrong(Small, forge=breaks), "history-forged", ".forge` raised OSError: gone while", "past its surfaces"),
        (wrong(Full, search=gives("x")), "surfaces-agree", ".search` returned 'x'", "list of strings"),
        (wrong(Full, search=breaks), "surfaces-agree", ".search` raised OSError: gone", "repair the host"),
        (wrong(Small, denial=gives(False)), "seal-decides", "returned False, which is a yes of a seal", "what the seal"),
        (wrong(Small, permission=gives("no")), "seal-decides", "returned 'no', which is a no of a seal", "what the seal"),
    ],
)  # fmt: skip
def test_a_wrong_lever_is_refuted_with_a_remedy(host: str, invariant: str, message: str, remedy: str) -> None:
    name, _, whole = invariant.partition("/")
    surface = None if whole else {**SURFACES, "aliases-sealed": "activate"}.get(name)
    finding = found(name, host, surface)
    assert (finding.verdict, finding.reason) == (Verdict.REFUTED, Reason.HARNESS), finding
    assert message in finding.message
    assert remedy in finding.remedy


@pytest.mark.parametrize(
    ("host", "invariant", "message"),
    [
        (wrong(Small, index=["notes"]), "seal-decides", "no method `index` for this surface (its `index` is list, no"),
        (wrong(Small, index=None, indx=breaks), "seal-decides", "no method `index` for this surface (it has `indx`)"),
        (wrong(Small, resum=breaks), "resume-reseals", "the host has no `resume` (it has `resum`)"),
        (wrong(Small, skills=("notes",)), "seal-decides", "do not tell at least two skills apart"),
    ],
)
def test_what_is_missing_by_a_slip_is_not_examined(host: str, invariant: str, message: str) -> None:
    finding = found(invariant, host, "index")
    assert finding.verdict is Verdict.UNEXAMINED, finding
    assert message in finding.message


@pytest.mark.parametrize("child", [None, Full()])
def test_a_child_that_shows_nothing_proves_nothing(child: Host | None) -> None:
    finding = found("child-bounded", wrong(Full, spawn_child=gives(child)), None)
    assert finding.reason is Reason.NOT_SHOWN
    assert "let `spawn_child` return a host whose agent is open" in finding.remedy


def test_a_search_may_be_refused_where_something_is_sealed() -> None:
    def search(self: Full, query: str, limit: int) -> list[str]:
        if any(map(self.closed, self.skills)):
            raise PermissionError(query)
        return [f"{skill}_run" for skill in self.skills]

    finding = found("surfaces-agree", wrong(Full, search=search), None)
    assert finding.verdict is Verdict.HELD, finding
