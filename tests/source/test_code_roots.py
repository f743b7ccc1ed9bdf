"""Where the code of a registry lies, and by which names its modules go."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.source.files import find_sources, locate

FILES = (
    "src/agent/__init__.py", "src/agent/doors.py", "src/agent/inner/__init__.py", "src/agent/inner/deep.py",
    "src/agent/.hidden/a.py", "src/agent/__pycache__/a.py", "src/agent/venv/pyvenv.cfg", "src/agent/venv/a.py",
    "loose/tool.py", "loose/more/other.py", "single.py",
)  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in FILES:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (tmp_path / "outside").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("entry", "path", "name"),
    [
        ("src/", "src", ""),
        ("src/agent", "src/agent", "agent"),
        ("src/agent/inner", "src/agent/inner", "agent.inner"),
        ("loose", "loose", "loose"),
        ("loose/more", "loose/more", "loose.more"),
        ("single", "single.py", "single"),
        ("loose.tool", "loose/tool.py", "loose.tool"),
    ],
)
def test_a_root_and_the_name_that_it_begins_with(root: Path, entry: str, path: str, name: str) -> None:
    assert locate(root, entry) == (root / path, name)


def test_what_is_no_code_of_the_repository_is_left_out(root: Path) -> None:
    (root / "src" / "agent" / "again").symlink_to(".")
    (root / "src" / "agent" / "elsewhere").symlink_to(root.parent)
    found = {source.module for source in find_sources(root, ["src/"])}
    assert found == {"agent", "agent.doors", "agent.inner", "agent.inner.deep"}
