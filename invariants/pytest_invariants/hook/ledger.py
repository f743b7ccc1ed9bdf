"""The ledger of verdicts: one block a surface, without line numbers, so that a reviewer reads what a change did to it.

It lies beside the registry and is kept where somebody has begun to keep it (`invariants hook --ledger`). What it says
is undecided, somebody has seen: the hook lets that pass, and `invariants check` still asks for a probe of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from pytest_invariants.hook.standing import Stand, Standing

NAME = "ledger.txt"
_HEAD = "# How every surface stands. `invariants hook --ledger` writes this file; its changes are for review."
_UNDECIDED = re.compile(r"(?P<id>\S+): .*\n  undecided(?: at level \d)? \((?P<reason>[a-z-]+)\)$", re.MULTILINE)


def path_beside(registry: str) -> str:
    return str(PurePosixPath(registry).with_name(NAME))


def text(standing: Standing) -> str:
    """The whole ledger, sorted by surface, ending with a newline."""
    return "\n".join(_lines(standing)) + "\n"


def accepted(ledger: str) -> frozenset[tuple[str, str]]:
    """The surfaces that a ledger says are undecided, each with the reason."""
    return frozenset((found["id"], found["reason"]) for found in _UNDECIDED.finditer(ledger))


def verdict(stand: Stand) -> str:
    """`proved to level 5`, `refuted at level 2 (verdict-ignored)`."""
    finding = stand.finding
    if stand.proved:
        return f"proved to level {finding.level}"
    level = "" if finding.level is None else f" at level {finding.level}"
    return f"{finding.verdict}{level} ({finding.reason})"


def _lines(standing: Standing) -> Iterator[str]:
    yield _HEAD
    for stand in sorted(standing.surfaces, key=lambda stand: stand.id):
        yield ""
        yield f"{stand.id}: {stand.function}, {stand.manner}"
        yield f"  {verdict(stand)}"
        yield from (f"  by {condition}" for condition in stand.conditions)
    others = [door for door in standing.doors if not (door.covered_by or "").startswith("surface ")]
    if others:
        yield ""
        yield "doors that are no surfaces:"
        yield from (f"  {door.function}: {door.covered_by or 'covered by nothing'}" for door in others)
