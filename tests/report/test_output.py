"""Writing a report: all of it or nothing, and never a crash over an encoding."""

from __future__ import annotations

import io
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_invariants.report import output


def test_a_new_file_has_the_text_and_the_usual_permissions(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    output.write(target, "α → β\n")
    assert target.read_bytes() == "α → β\n".encode()
    plain = tmp_path / "plain"
    plain.touch()
    assert stat.S_IMODE(target.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    assert {path.name for path in tmp_path.iterdir()} == {"report.json", "plain"}


def test_an_old_file_keeps_its_permissions_and_a_link_its_target(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    output.write(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_failure_in_mid_write_leaves_the_old_file_and_no_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_source: str, _target: str) -> None:
        raise OSError(28, "No space left on device")

    target = tmp_path / "report.txt"
    target.write_text("old")
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(output.OutputError, match=r"report\.txt: cannot be written: No space left on device"):
        output.write(target, "new")
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["report.txt"]


def test_a_device_is_written_to_and_not_replaced() -> None:
    output.write(Path(os.devnull), "gone")
    assert not Path(os.devnull).is_file()


def test_a_folder_is_refused_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(output.OutputError, match="is a folder"):
        output.check_writable(tmp_path)


def test_a_missing_folder_is_refused_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(output.OutputError, match="does not exist"):
        output.check_writable(tmp_path / "no" / "report.txt")
    output.check_writable(tmp_path / "report.txt")


def test_a_stream_writes_what_its_encoding_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    narrow = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", narrow)
    monkeypatch.setattr(sys, "stderr", None)
    output.never_fail_to_encode()
    print("α", file=narrow, flush=True)
    assert narrow.buffer.getvalue() == b"\\u03b1\n"  # type: ignore[attr-defined]


def test_what_the_agent_prints_never_mixes_with_the_report() -> None:
    script = (
        "import os, subprocess\n"
        "from pytest_invariants.report.output import kept_clean\n"
        "with kept_clean():\n"
        "    print('from Python')\n"
        "    os.write(1, b'from below\\n')\n"
        "    subprocess.run(['echo', 'from a child'])\n"
        "print('the report')\n"
    )
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=buffered)
    assert run.stdout == "the report\n"
    assert set(run.stderr.splitlines()) == {"from Python", "from below", "from a child"}
