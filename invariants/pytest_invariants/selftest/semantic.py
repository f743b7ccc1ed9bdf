"""Trying declared mutants: each in a copy of the repository, by the one invariant that is meant for it."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from pytest_invariants.registry.model import Registry
from pytest_invariants.selftest.edits import Declared
from pytest_invariants.selftest.model import Status
from pytest_invariants.selftest.playing import PATIENCE, search_path
from pytest_invariants.selftest.scratch import whole
from pytest_invariants.verdict import Reason, Verdict

Progress = Callable[[int, int], None]
T = TypeVar("T")
ASKING = "pytest_invariants.selftest.asking"
IDLE = frozenset({Reason.HARNESS.value, Reason.NOT_SHOWN.value})
"""Reasons that say that nothing could be shown: an agent that does not run at all is no mutant that was noticed."""


class Fate(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    """The invariant that is meant for it falls."""
    UNSHOWN = "unshown"
    """It falls because the agent cannot be run, or shows nothing."""
    UNFIT = "unfit"
    """The invariant does not pass for the agent as it stands, so that nothing follows from its falling."""
    SURVIVED = "survived"
    """The invariant does not fall."""


@dataclass(frozen=True, slots=True)
class Said:
    """What one invariant says at one surface."""

    surface: str
    invariant: str
    verdict: str
    reason: str
    message: str

    @property
    def passes(self) -> bool:
        return self.verdict in (Verdict.PROVED, Verdict.HELD)


@dataclass(frozen=True, slots=True)
class Tried:
    """A mutant and its fate. `by` is what killed it: of several surfaces the first."""

    mutant: Declared
    fate: Fate
    by: Said | None


@dataclass(frozen=True, slots=True)
class SemanticTable:
    """All trials."""

    tried: tuple[Tried, ...]

    def count(self, fate: Fate) -> int:
        return sum(one.fate is fate for one in self.tried)

    def status(self) -> Status:
        """Whatever is not killed counts; nothing tried is never a pass."""
        if not self.tried:
            return Status.NOTHING
        return Status.KILLED if self.count(Fate.KILLED) == len(self.tried) else Status.SURVIVED


class CopyError(Exception):
    """A copy of the repository could not be examined. The text says which, and what it complained of."""


def selectable(mutants: Collection[Declared]) -> tuple[str, ...]:
    """Every id that may be selected: of mutants and of their invariants."""
    return (*(mutant.id for mutant in mutants), *dict.fromkeys(mutant.invariant for mutant in mutants))


def chosen(mutants: Collection[Declared], select: Collection[str]) -> tuple[Declared, ...]:
    return tuple(one for one in mutants if not select or {one.id, one.invariant} & set(select))


def try_all(
    registry: Registry, mutants: Collection[Declared], jobs: int = 1, progress: Progress | None = None
) -> SemanticTable:
    """Try every mutant, several at a time.

    :raises CopyError: where a copy cannot be examined at all.
    """
    asked = sorted({(mutant.invariant, mutant.surface) for mutant in mutants})
    count, total = itertools.count(1), len(asked) + len(mutants)

    def told(found: T) -> T:
        if progress is not None:
            progress(next(count), total)
        return found

    with ThreadPoolExecutor(max(1, jobs)) as pool:
        said = map(told, pool.map(lambda pair: _examined(registry, None, *pair), asked))
        before = dict(zip(asked, said, strict=True))
        fates = pool.map(lambda one: _tried(registry, one, before[one.invariant, one.surface]), mutants)
        return SemanticTable(tuple(map(told, fates)))


def _tried(registry: Registry, mutant: Declared, before: Collection[Said]) -> Tried:
    fit = {said.surface for said in before if said.passes}
    if not fit:
        return Tried(mutant, Fate.UNFIT, next(iter(before), None))
    after = _examined(registry, mutant, mutant.invariant, mutant.surface)
    fallen = [said for said in after if said.verdict == Verdict.REFUTED]
    if not fallen:
        return Tried(mutant, Fate.SURVIVED, None)
    fate, by = min(((_fate(said, fit), said) for said in fallen), key=lambda pair: list(Fate).index(pair[0]))
    return Tried(mutant, fate, by)


def _fate(said: Said, fit: Collection[str]) -> Fate:
    """What a refutation is worth: nothing where the invariant did not pass before."""
    if said.surface not in fit:
        return Fate.UNFIT
    return Fate.UNSHOWN if said.reason in IDLE else Fate.KILLED


def _examined(registry: Registry, mutant: Declared | None, invariant: str, surface: str) -> tuple[Said, ...]:
    """What is said of an invariant in a copy with the mutant in it, or in a faithful one."""
    which = f"{invariant} of the agent as it stands" if mutant is None else mutant.id
    with whole(registry) as copy:
        if mutant is not None:
            _put(mutant, copy.root)
        where = registry.path.relative_to(registry.root)
        command = [sys.executable, "-m", ASKING, str(where), invariant, *([surface] if surface else [])]
        done = _run(command, copy.root, search_path(registry.root.resolve(), copy.root), which)
    return tuple(said for said in _said(done, which) if said.invariant == invariant)


def _put(mutant: Declared, root: Path) -> None:
    try:
        mutant.put(root)
    except (OSError, ValueError) as error:
        raise CopyError(f"{mutant.id}: {error}") from error


def _run(command: list[str], folder: Path, paths: list[str], which: str) -> subprocess.CompletedProcess[str]:
    environment: Mapping[str, str] = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
    }
    try:
        return subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            timeout=4 * PATIENCE,
        )
    except subprocess.TimeoutExpired as error:
        raise CopyError(f"{which}: asking took more than {4 * PATIENCE:.0f} s") from error


def _said(done: subprocess.CompletedProcess[str], which: str) -> Iterator[Said]:
    """The last line of what a process wrote: the agent may have written before it."""
    try:
        rows: list[dict[str, str]] = json.loads((done.stdout.splitlines() or [""])[-1])
    except ValueError as error:
        last = ((done.stderr or done.stdout).strip().splitlines() or ["without a word"])[-1]
        raise CopyError(f"{which}: asking ended with {done.returncode}: {last}") from error
    for row in rows:
        yield Said(**row)
