"""Where in the user's own code something was raised: the line to look at first."""

from __future__ import annotations

import traceback
from pathlib import Path

from pytest_invariants.probe.target import describe

FOREIGN = frozenset({"site-packages", ".venv", "dist-packages"})


def raised(error: BaseException, root: Path) -> str:
    """An exception on one line, with the innermost place in the repository from which it came, if there is one."""
    place = _place(error, root)
    return f"{describe(error)} ({place})" if place else describe(error)


def _place(error: BaseException, root: Path) -> str:
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if path.is_relative_to(root) and not FOREIGN & set(path.relative_to(root).parts):
            return f"{path.relative_to(root).as_posix()}:{frame.lineno}"
    return ""
