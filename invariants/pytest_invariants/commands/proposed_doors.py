"""`invariants doors` where nobody has written a registry yet: the rest is proposed, and the doors are those of the proposal."""

from __future__ import annotations

import sys
from pathlib import Path

from pytest_invariants.cli import UsageError
from pytest_invariants.commands.doors import Known, findings, show
from pytest_invariants.flow.prover import Prover
from pytest_invariants.registry.problems import RegistryError
from pytest_invariants.report.model import Status, problems_of
from pytest_invariants.scaffold.command import require_there, said
from pytest_invariants.scaffold.draft import Draft
from pytest_invariants.scaffold.proposal import Proposal, Wish, propose
from pytest_invariants.scaffold.proving import registry_of
from pytest_invariants.scaffold.roots import code_roots

NOBODY = "no_seal_yet:decides"
"""A name that no code has."""


def run(folder: Path, known: Known, format: str) -> int:
    """Propose seal and capabilities, and show every door through which they get out; the proposal goes to standard error.

    :raises UsageError: where the folder, the code, the seal or a capability that was given is not there.
    """
    root = folder.resolve()
    if not root.is_dir():
        raise UsageError(f"{folder}: there is no such file or folder")
    code = known.code or code_roots(root)
    require_there(root, code)
    proposal = propose(root, Wish(known.code, known.seal, known.capabilities), code, prove=False)
    for line in said(proposal):
        print(line, file=sys.stderr)
    draft = proposal.draft or _without_a_seal(proposal)
    if not any(one.sure for one in draft.capabilities):
        print("without a capability there is no door to look for; name one with --capability", file=sys.stderr)
        return int(Status.NOTHING_EXAMINED)
    registry = registry_of(root, draft, ())
    prover = Prover(registry)
    if prover.problems:
        raise RegistryError(problems_of(prover))
    show(registry, prover.doors, findings(registry, prover) if proposal.draft else {}, format)
    print("`invariants init` writes the registry that this comes from", file=sys.stderr)
    return int(Status.HOLDS if prover.doors.found else Status.NOTHING_EXAMINED)


def _without_a_seal(proposal: Proposal) -> Draft:
    """The doors can be told without one: nobody asks it yet."""
    return Draft(proposal.code, NOBODY, "sealed", (), {}, (), proposal.known)
