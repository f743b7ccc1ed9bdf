"""Every flaw of a server is seen by the invariant that is meant for it, and the honest server holds."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from pytest_invariants.cli import UsageError
from pytest_invariants.commands.server import Choice, judged, look
from pytest_invariants.hosts.mcp.kinds import METHODS
from pytest_invariants.report.model import Status
from pytest_invariants.report.server import ServerReport
from pytest_invariants.verdict import RUN, Verdict

from tests.hosts.flaws import FLAWS, USABLE
from tests.hosts.flaws_page import PAGE, render

ROOT = Path(__file__).resolve().parents[2]
CALL = "open_drawer={}"


@pytest.fixture(autouse=True)
def _from_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def examined(
    *arguments: str, calls: tuple[str, ...] = (), lists_only: bool = False, patience: float = 20
) -> ServerReport:
    command = " ".join([sys.executable, "-m", "tests.hosts.serve", *arguments])
    report = judged(look(Choice(command, calls=calls, lists_only=lists_only, patience=patience)))
    assert not report.faults
    return report


def test_the_honest_server_holds_in_all_that_can_be_asked() -> None:
    report = examined(calls=(CALL,))
    assert {(one.surface, one.invariant): one.message for one in report.falling} == {}
    assert report.status() is Status.HOLDS
    assert {one.verdict for one in report.findings if one.verdict is not Verdict.HELD} == {Verdict.UNEXAMINED}
    unexamined = {(one.surface, one.invariant) for one in report.unexamined}
    assert unexamined == {("resources/list", "change-told"), ("prompts/list", "change-told")}
    assert set(report.rows) == {*METHODS, RUN}
    assert report.offered == {"tool": 4, "resource": 2, "resource template": 1, "prompt": 2}


@pytest.mark.parametrize("name", FLAWS)
def test_a_flaw_is_seen_by_the_invariant_that_is_meant_for_it(name: str) -> None:
    flaw = FLAWS[name]
    calls = (flaw.call,) if flaw.call else ()
    report = examined("--flaw", name, calls=calls, patience=3 if "hangs" in name else 20)
    found = {(one.surface, one.invariant): one for one in report.falling}
    assert (flaw.method, flaw.invariant) in found
    finding = found[flaw.method, flaw.invariant]
    assert finding.reason == flaw.reason
    assert finding.message
    assert finding.remedy
    assert report.status() is Status.FALLS


def test_every_served_invariant_has_a_flaw() -> None:
    report = examined(calls=(CALL,))
    assert {one.id for one in report.invariants} == {flaw.invariant for flaw in FLAWS.values()}


def ran(record: Path) -> list[str]:
    return record.read_text(encoding="utf-8").split() if record.exists() else []


def test_what_does_not_say_that_it_only_reads_is_never_called(tmp_path: Path) -> None:
    record = tmp_path / "ran"
    report = examined("--record", str(record))
    assert ran(record) == ["list_notes"]
    (finding,) = [
        one for one in report.findings if (one.surface, one.invariant) == ("tools/call", "listed-is-callable")
    ]
    assert finding.message == "2 of 4 were tried, and are there; not called: write_note, open_drawer"


def test_nothing_is_used_where_only_lists_are_wanted(tmp_path: Path) -> None:
    record = tmp_path / "ran"
    report = examined("--record", str(record), lists_only=True)
    assert ran(record) == []
    assert report.tried == 3
    assert report.status() is Status.HOLDS
    lacking = {one.surface for one in report.unexamined if one.invariant == "listed-is-callable"}
    assert lacking == {"tools/call", "resources/read", "prompts/get"}


def test_a_hidden_tool_that_is_refused_is_told() -> None:
    report = examined(calls=("wipe_disk={}",))
    (finding,) = [one for one in report.findings if (one.surface, one.invariant) == ("tools/call", USABLE)]
    assert finding.verdict is Verdict.HELD
    assert finding.message.startswith("a name that nothing has is refused, so is 'wipe_disk', and ")


def test_a_tool_that_appears_when_another_one_is_called_was_listed() -> None:
    report = examined(calls=(CALL, "read_drawer={}"))
    assert report.status() is Status.HOLDS


def test_a_slip_in_the_name_of_a_tool_is_told() -> None:
    with pytest.raises(UsageError, match=r"--call opn_drawer: no such tool is listed; did you mean `open_drawer`\?"):
        examined(calls=("opn_drawer={}",))


def test_a_call_that_is_allowed_is_made_once_and_as_it_was_given(tmp_path: Path) -> None:
    record = tmp_path / "ran"
    examined("--record", str(record), calls=('write_note={"name": "a", "text": "b"}',), lists_only=True)
    assert ran(record) == ["write_note"]


def test_the_page_of_flaws_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == render(), "run python -m tests.hosts.flaws_page"
