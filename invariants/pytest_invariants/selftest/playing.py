"""Trying mutants on the probe: each runs in a process of its own, in a copy of the repository.

`python -m pytest_invariants.selftest.playing JOB ANSWER` is that process: the job is a pickled registry, the answer a
pickled list of findings of `seal-decides`. The packages of the copy never meet those of the repository.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_invariants.registry.model import Registry
from pytest_invariants.selftest.model import Half, Mutant, Outcome, Ruling
from pytest_invariants.selftest.operators import BY_ID
from pytest_invariants.selftest.scratch import whole
from pytest_invariants.verdict import Finding, Verdict

PATIENCE = 300.0
"""Seconds that one process may take."""


class PlayError(Exception):
    """A copy could not be run; the text is for the user."""


class Players:
    """A copy of the repository in which one mutant at a time is run. Use it as a context manager."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry

    @contextmanager
    def copied(self) -> Iterator[Registry]:
        with whole(self.registry) as copy:
            yield copy


def played(copy: Registry, surfaces: Collection[str]) -> dict[str, Finding]:
    """What `seal-decides` says of these surfaces of the copy.

    :raises PlayError: where the process fails or takes too long.
    """
    with TemporaryDirectory(prefix="invariants-") as folder:
        job, answer = Path(folder, "job"), Path(folder, "answer")
        job.write_bytes(pickle.dumps((copy, tuple(surfaces))))
        said = _run(copy, job, answer)
        if not answer.is_file():
            last = (said.strip().splitlines() or ["without a word"])[-1]
            raise PlayError(f"a copy of the repository could not be run: {last}")
        found: list[Finding] = pickle.loads(answer.read_bytes())
    return {finding.surface: finding for finding in found}


def _run(copy: Registry, job: Path, answer: Path) -> str:
    command = [sys.executable, "-m", "pytest_invariants.selftest.playing", str(job), str(answer)]
    try:
        done = subprocess.run(
            command,
            cwd=copy.root,
            env=_environment(copy),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired as error:
        raise PlayError(f"a copy of the repository ran for more than {PATIENCE:.0f} s") from error
    return done.stderr


def _environment(copy: Registry) -> dict[str, str]:
    """The paths of this process, less the repository's own, so that the copy alone is found."""
    return {
        **os.environ,
        "PYTHONPATH": str(copy.root),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONIOENCODING": "utf-8",
    }


def ruling(mutant: Mutant, finding: Finding) -> Ruling | None:
    """What the probe made of a mutant; None where nothing was played."""
    if finding.verdict is Verdict.UNEXAMINED:
        return None
    outcomes = {Verdict.HELD: Outcome.SURVIVED, Verdict.REFUTED: Outcome.KILLED}
    outcome = outcomes.get(finding.verdict, Outcome.UNDECIDED)
    return Ruling(finding.surface, Half.PROBE, outcome, finding.reason, finding.message)


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
