"""`python -m entrypoints` shows the agent at work, with real processes."""

from __future__ import annotations

import pytest

from entrypoints.__main__ import main


def test_it_plays_both_conversations(capsys: pytest.CaptureFixture[str]) -> None:
    main()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[1].split(" tools")[0] for line in lines[1:4]] == [" 11", " 13", " 13"]
    assert "  a child reads {'code': 'OK', 'data': {'cents': 250}}" in lines
    assert sum("clinic is sealed in this thread" in line for line in lines) == 2
