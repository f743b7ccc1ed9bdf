"""Where the command `invariants` starts: what needs no proof is answered before anything else is loaded."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run the command that the user called."""
    status = _known(sys.argv[1:])
    if status is not None:
        return status
    from pytest_invariants.cli import main as whole

    return whole()


def _known(arguments: list[str]) -> int | None:
    """The exit status where the answer is known, and has been printed."""
    if arguments == ["hook"]:
        from pytest_invariants.hook.quick import answer

        return answer(os.environ)
    if arguments[:1] == ["check"] and "--static" in arguments:
        from pytest_invariants.hook.recall import recall

        return recall(arguments, os.environ)
    return None
