"""A process of its own that writes down the table: `python -m pytest_invariants.probe.child JOB ANSWER`.

The job is a pickled `Job`, the answer a JSON file: for each of the job's facts the tables of two steps, or an error.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_invariants.probe.host import Facts, HostError
from pytest_invariants.probe.schemas import as_text
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.shuffle import shuffled
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.target import SwapError
from pytest_invariants.probe.worlds import REAL
from pytest_invariants.registry.model import Registry

PATIENCE = 120.0
"""Seconds that one process may take."""

Tables = Mapping[str, tuple[str, ...]]
"""For each of the facts, in words: the table, as often as it was asked for."""


@dataclass(frozen=True)
class Job:
    """Which agent to open, under which facts, and the seed by which things come in another order (0: they do not)."""

    registry: Registry
    facts: tuple[Facts, ...]
    order: int


@dataclass(frozen=True)
class Running:
    """A process that was started, and where its answer will be."""

    process: subprocess.Popen[str]
    folder: TemporaryDirectory[str]

    def tables(self) -> Tables:
        """Wait for the answer. Raises HostError where the process fails or takes too long."""
        try:
            _, said = self.process.communicate(timeout=PATIENCE)
            answer = Path(self.folder.name, "answer.json")
            if not answer.is_file():
                last = (said.strip().splitlines() or ["without a word"])[-1]
                raise HostError(
                    f"the agent could not be opened in a process of its own: {last}; make its host importable"
                )
            found = json.loads(answer.read_text(encoding="utf-8"))
        except subprocess.TimeoutExpired as error:
            raise HostError(
                f"a process of its own took more than {PATIENCE:.0f} s; see what the host waits for"
            ) from error
        finally:
            self.stop()
        if "error" in found:
            raise HostError(found["error"])
        return {facts: tuple(tables) for facts, tables in found["tables"].items()}

    def stop(self) -> None:
        self.process.kill()
        if self.process.stderr is not None:
            self.process.stderr.close()
        self.process.wait()
        self.folder.cleanup()


def start(job: Job, hash_seed: int) -> Running:
    """Start a process with this hash seed."""
    folder = TemporaryDirectory(prefix="invariants-")
    path = Path(folder.name, "job.pickle")
    path.write_bytes(pickle.dumps(job))
    environment = {
        **os.environ,
        "PYTHONHASHSEED": str(hash_seed),
        "PYTHONPATH": os.pathsep.join([str(job.registry.root), *filter(None, sys.path)]),
        "PYTHONIOENCODING": "utf-8",
    }
    command = [sys.executable, "-m", "pytest_invariants.probe.child", str(path), str(path.with_name("answer.json"))]
    process = subprocess.Popen(
        command,
        cwd=job.registry.root,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    return Running(process, folder)


def tables(job: Job) -> Tables:
    """Open the agent under each of the facts, and ask twice for the table of its first step."""
    session = ProbeSession(job.registry)
    found: dict[str, tuple[str, ...]] = {}
    with shuffled(job.order):
        for facts in job.facts:
            with session.stage(replace(facts, order=job.order), REAL) as stage:
                found[str(facts)] = () if stage.dead else tuple(_shown(stage) for _ in range(2))
    return found


def _shown(stage: Stage) -> str:
    """The table, and below it what else the model is told, where the host says that."""
    told = str(stage.agent.call("prompt")) if stage.session.has("prompt") else ""
    return f"{as_text(stage.agent.call('table'))}\n{told}".rstrip()


def main(job_file: str, answer_file: str) -> None:
    job = pickle.loads(Path(job_file).read_bytes())
    try:
        answer: dict[str, object] = {"tables": tables(job)}
    except (HostError, SwapError) as error:
        answer = {"error": str(error)}
    Path(answer_file).write_text(json.dumps(answer), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
