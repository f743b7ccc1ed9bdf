"""Where the command `invariants` starts: a hook that has nothing to prove answers before anything else is loaded."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command that the user called."""
    if sys.argv[1:] == ["hook"]:
        from pytest_invariants.hook.quick import answer

        status = answer()
        if status is not None:
            return status
    from pytest_invariants.cli import main as whole

    return whole()
