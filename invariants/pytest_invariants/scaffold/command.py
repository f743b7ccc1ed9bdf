"""`invariants init`: propose, write what is not there yet, and say what was not sure."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

from pytest_invariants.cli import UsageError
from pytest_invariants.scaffold import writing
from pytest_invariants.scaffold.proposal import Proposal, Wish, propose
from pytest_invariants.scaffold.roots import code_roots

HOLDS, INCOMPLETE, NOTHING_EXAMINED = 0, 1, 3


def run(options: argparse.Namespace) -> int:
    """Propose for the repository at `options.folder` and return the exit status.

    0: every file is there, and the registry can be read. 1: something is left for people to fill in. 3: no code.
    :raises UsageError: where the folder, the code, the seal or a capability that was given is not there.
    """
    root: Path = options.folder.resolve()
    if not root.is_dir():
        raise UsageError(f"{options.folder}: there is no such folder")
    wish = Wish(tuple(options.code), options.seal, tuple(options.capability))
    code = wish.code or code_roots(root)
    require_there(root, code)
    proposal = propose(root, wish, code)
    if not proposal.files:
        print(f"{root}: no Python code was found; name its folders with --code")
        return NOTHING_EXAMINED
    for line in (*said(proposal), *_written(root, proposal, dry=options.dry_run)):
        print(line)
    return HOLDS if proposal.complete else INCOMPLETE


def require_there(root: Path, code: Iterable[str]) -> None:
    """:raises UsageError: that names every folder of the code that is not there."""
    missing = [entry for entry in code if not _is_there(root, entry)]
    if missing:
        raise UsageError(f"--code {', '.join(missing)}: not in {root}")


def _is_there(root: Path, entry: str) -> bool:
    path = root / entry
    return path.exists() or (root / entry.replace(".", "/")).exists() or path.with_suffix(".py").exists()


def said(proposal: Proposal) -> Iterator[str]:
    """What was found, and what was not sure."""
    draft, surfaces = proposal.draft, proposal.found.surfaces
    yield f"read {proposal.files} files below {', '.join(proposal.code)}"
    if draft is not None:
        yield f"seal: {draft.seal} ({draft.verdict})"
        yield from (f"  {line}" for line in draft.evidence)
        sure = sum(one.sure for one in draft.capabilities)
        yield f"capabilities: {sure}, and {len(draft.capabilities) - sure} to judge"
    sure = sum(one.sure for one in surfaces)
    yield f"surfaces: {sure}, and {len(surfaces) - sure} to judge"
    loose = [one for one in surfaces if one.sure and not one.asks and draft is not None]
    yield from (f"  {one.at}: {one.row.id} does not ask the seal about all that gets out" for one in loose)
    yield from (f"not sure: another seal may be {line}" for line in proposal.others)
    yield from (f"not sure: {line}" for line in _unsure(proposal))
    yield from (f"not sure: {line}" for line in proposal.doubts)


def _unsure(proposal: Proposal) -> Iterator[str]:
    sources = proposal.draft.capabilities if proposal.draft else ()
    yield from (f"{one.ref}: {one.evidence}" for one in sources if not one.sure)
    yield from (f"{one.row.function}: {one.evidence}" for one in proposal.found.surfaces if not one.sure)


def _written(root: Path, proposal: Proposal, *, dry: bool) -> Iterator[str]:
    """Write the files that are not there; show what would be in the others."""
    for path, text in writing.files(proposal).items():
        if (root / path).exists() or (root / path).is_symlink():
            yield f"{path}: is there already, and stays as it is"
            if path == writing.PRE_COMMIT:
                yield "to its `repos:` belongs:"
                yield writing.pre_commit().rstrip("\n")
        elif dry:
            yield f"{path}: would be written:"
            yield from (f"  {line}" for line in text.splitlines())
        else:
            _write_new(root / path, text)
            yield f"{path}: written"


def _write_new(path: Path, text: str) -> None:
    """Never over anything, whoever makes a file of this name meanwhile.

    :raises UsageError: with the system's own words.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from error
