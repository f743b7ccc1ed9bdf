"""`invariants hook`: which of the two hooks is meant."""

from __future__ import annotations

import argparse
import os


def run(options: argparse.Namespace) -> int:
    """Judge the doors, or the skill files, of what is staged; return the exit status."""
    if options.skills:
        from pytest_invariants.hook import skills
        from pytest_invariants.source.skill_files import Style

        return skills.run(options.files, Style(options.underscores), os.environ)
    from pytest_invariants.hook import doors

    choice = doors.Choice(options.registry, fix=options.fix, ledger=options.ledger)
    return doors.run(choice, os.environ)
