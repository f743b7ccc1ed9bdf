"""Repositories for the tests of the hook."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hook.scratch import Scratch


@pytest.fixture
def repository(tmp_path: Path) -> Scratch:
    """A repository whose one commit is an agent that holds."""
    made = Scratch.make(tmp_path / "repository")
    made.commit()
    return made
