"""`invariants doors` where nobody has written a registry yet: the rest is proposed, and the doors are those of the proposal."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from pathlib import Path

from pytest_invariants.cli import UsageError
from pytest_invariants.commands.doors import Known, show
from pytest_invariants.flow.judging.doors import Door, Doors
from pytest_invariants.report.model import Status
from pytest_invariants.scaffold.command import require_there, said
from pytest_invariants.scaffold.proposal import Proposal, Wish, propose, without_seal
from pytest_invariants.scaffold.proving import registry_of
from pytest_invariants.scaffold.roots import code_roots
from pytest_invariants.scaffold.surfaces import Proposed
from pytest_invariants.verdict import Finding, Reason, Verdict


def run(folder: Path, known: Known, format: str) -> int:
    """Propose seal and capabilities, and show every door through which they get out; the proposal goes to standard error.

    The calls tell of the doors, and the prover of their levels as far as its budget goes: `-` is one that it did not judge.

    :raises UsageError: where the folder, the code, the seal or a capability that was given is not there.
    """
    root = folder.resolve()
    if not root.is_dir():
        raise UsageError(f"{folder}: there is no such file or folder")
    code = known.code or code_roots(root)
    require_there(root, code)
    proposal = propose(root, Wish(known.code, known.seal, known.capabilities), code)
    for line in said(proposal):
        print(line, file=sys.stderr)
    draft = proposal.draft or without_seal(code, proposal.known)
    if not any(one.sure for one in draft.capabilities):
        print("without a capability there is no door to look for; name one with --capability", file=sys.stderr)
        return int(Status.NOTHING_EXAMINED)
    sure = [one for one in proposal.found.surfaces if one.sure]
    records = tuple(_door(one, proposal) for one in sorted(sure, key=lambda one: one.row.function))
    doors = Doors(records, unregistered=tuple(door.function for door in records))
    show(registry_of(root, draft, ()), doors, _findings(sure), format)
    print("`invariants init` writes the registry that this comes from", file=sys.stderr)
    return int(Status.HOLDS if doors.found else Status.NOTHING_EXAMINED)


def _door(one: Proposed, proposal: Proposal) -> Door:
    function = proposal.functions[one.row.function]
    decorated = tuple(ast.unparse(each) for each in function.node.decorator_list)
    return Door(function.ref, one.at, one.way, None, decorated, function.public, one.asks, one.reaches)


def _findings(doors: Iterable[Proposed]) -> dict[str, Finding]:
    """What the prover answered, by the function of the door."""
    return {
        one.row.function: Finding(
            one.row.id,
            "seal-consulted",
            Verdict(one.answer.verdict),
            one.answer.level,
            Reason(one.answer.reason) if one.answer.reason else None,
            one.at,
        )
        for one in doors
        if one.answer is not None
    }
