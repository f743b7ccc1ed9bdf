"""Trying mutants on the probe: each runs in a process of its own, in a copy of the repository.

`python -m pytest_invariants.selftest.playing JOB ANSWER` is that process: the job is a pickled registry with the
surfaces to play, the answer a pickled list of findings of `seal-decides`. The packages of a copy never meet those of
the repository.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest_invariants
from pytest_invariants.registry.model import Registry
from pytest_invariants.selftest.model import Half, Mutant, Outcome, Ruling
from pytest_invariants.selftest.operators import BY_ID
from pytest_invariants.selftest.scratch import put, whole
from pytest_invariants.verdict import Finding, Verdict

PATIENCE = 300.0
"""Seconds that one process may take."""


class PlayError(Exception):
    """A copy could not be run."""


def plays(registry: Registry, surfaces: Collection[str], mutant: Mutant | None = None) -> dict[str, Finding]:
    """What `seal-decides` says of these surfaces, in a copy with the mutant (or in a faithful one).

    :raises PlayError: where the process fails or takes too long.
    """
    if not surfaces:
        return {}
    with whole(registry) as copy, TemporaryDirectory(prefix="invariants-") as folder:
        if mutant is not None:
            put(mutant, copy)
        paths = search_path(registry.root.resolve(), copy.root)
        return {finding.surface: finding for finding in _played(copy, tuple(surfaces), Path(folder), paths)}


def rulings(mutant: Mutant, found: Mapping[str, Finding], seeing: Collection[str]) -> tuple[Ruling, ...]:
    """What the mutant has come to at the surfaces that were played.

    `seeing` are those at which the probe notices an agent that asks nothing at all: where one of them holds all the
    same, another question was on the way of what was played.
    """
    played = [found[surface] for surface in mutant.question.surfaces if surface in found]
    covered = seeing if BY_ID[mutant.operator].covered else ()
    return tuple(_ruling(one, Outcome.COVERED if one.surface in covered else Outcome.SURVIVED) for one in played)


def visible(mutant: Mutant) -> bool:
    """Whether a run can tell the mutant from the code as it was."""
    return not BY_ID[mutant.operator].unseen


def _ruling(finding: Finding, held: Outcome) -> Ruling:
    outcomes = {Verdict.HELD: held, Verdict.REFUTED: Outcome.KILLED}
    outcome = outcomes.get(finding.verdict, Outcome.UNDECIDED)
    return Ruling(finding.surface, Half.PROBE, outcome, finding.reason, finding.message)


def search_path(original: Path, copy: Path) -> list[str]:
    """Where the process of a copy looks for modules: as this one does, but never in the original."""
    given = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    own = Path(pytest_invariants.__file__).parent.parent
    inside = [path.relative_to(original) for path in map(_resolved, sys.path) if path.is_relative_to(original)]
    moved = [copy / path for path in inside if (copy / path).is_dir()]
    kept = [path for path in (*map(_resolved, given), own) if path == own or not path.is_relative_to(original)]
    return list(dict.fromkeys(map(str, (copy, *moved, *kept))))


def _resolved(entry: str) -> Path:
    return Path(entry).resolve()


def _played(copy: Registry, surfaces: tuple[str, ...], folder: Path, paths: list[str]) -> list[Finding]:
    job, answer = folder / "job", folder / "answer"
    job.write_bytes(pickle.dumps((copy, surfaces)))
    said = _run([str(job), str(answer)], copy, paths)
    if not answer.is_file():
        last = (said.strip().splitlines() or ["without a word"])[-1]
        raise PlayError(f"a copy of the repository could not be run: {last}")
    found: list[Finding] = pickle.loads(answer.read_bytes())
    return found


def _run(arguments: list[str], copy: Registry, paths: list[str]) -> str:
    """Start the process where only the copy can be found, and return what it complained of."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest_invariants.selftest.playing", *arguments],
            cwd=copy.root,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(paths),
                "PYTHONDONTWRITEBYTECODE": "1",
                "PYTHONHASHSEED": "0",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            check=False,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired as error:
        raise PlayError(f"a copy of the repository ran for more than {PATIENCE:.0f} s") from error
    return done.stderr


def main(job: str, answer: str) -> None:
    from pytest_invariants.catalogue.doors.seal_decides import INVARIANT
    from pytest_invariants.probe.session import ProbeSession

    registry, surfaces = pickle.loads(Path(job).read_bytes())
    assert INVARIANT.play is not None
    session = ProbeSession(registry)
    found = [INVARIANT.play(session, surface) for surface in registry.surfaces if surface.id in surfaces]
    Path(answer).write_bytes(pickle.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
