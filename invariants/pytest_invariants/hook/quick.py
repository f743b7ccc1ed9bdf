"""The answer of `invariants hook` where nothing has to be proved, or the same change was judged before: in a few milliseconds.

What is staged is taken from git, and compared with the last commit by the ids of contents. Wherever anything is unusual,
there is no answer here, and the whole hook is run. This module imports next to nothing: start-up is most of its time.
"""

from __future__ import annotations

import os
import sys

from pytest_invariants.hook.kept import FOLDER, Kept, prover
from pytest_invariants.hook.layout import (
    Layout,
    Row,
    answer_name,
    id_of,
    inside_digest,
    layout_name,
    path_of,
    read_layout,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

REGISTRY = b"entrypoints/registry.yaml"
LEDGER = b"ledger.txt"
UNTOUCHED = "no staged change touches what it judges"
MOST_SEARCHED = 200
"""Contents that are searched here; with more the whole hook is faster."""
RANGE = ("PRE_COMMIT_FROM_REF", "PRE_COMMIT_TO_REF")
TREE = ("ls-tree", "-r", "-z", "--full-tree", "--format=%(objectmode) %(objectname) 0%x09%(path)", "HEAD")


class Unusual(Exception):
    """The whole hook is needed."""


def answer(environment: Mapping[str, str] = os.environ) -> int | None:
    """Print the answer and return the exit status, or return None where there is none."""
    if os.name != "posix" or any(environment.get(name) for name in RANGE):
        return None
    try:
        status, text = _answer(environment)
    except (Unusual, OSError, ValueError):
        return None
    sys.stdout.write(text)
    sys.stdout.flush()
    return status


def _answer(environment: Mapping[str, str]) -> tuple[int, str]:
    top, staged, committed = _git(("rev-parse", "--show-toplevel"), ("ls-files", "-s", "-z", "--full-name", ":/"), TREE)
    kept = Kept(os.fsdecode(top[:-1]), environment)
    after, before = staged.split(b"\0"), committed.split(b"\0")
    registry = _registry(after)
    judge = judged_by()
    name = layout_name(judge, registry)
    if kept.off or any(path_of(row).startswith(FOLDER.encode()) for row in after):
        raise Unusual
    layout = read_layout(kept, name)
    change = _Change(before, after)
    if layout is None or not change.rows:
        raise Unusual
    inside = layout.inside(before), layout.inside(after)
    if inside_digest(inside[0]) not in layout.insides:
        raise Unusual
    _require_known(kept, name, layout, change, registry)
    if inside[0] == inside[1]:
        return 0, f"{os.fsdecode(path_of(registry))}: {UNTOUCHED}\n"
    said = kept.get(answer_name(judge, registry, *inside))
    if said is None:
        raise Unusual
    status, _, text = said.decode().partition("\n")
    return int(status), text


class _Change:
    """The rows of both sides, and those that only one of them has."""

    def __init__(self, before: list[Row], after: list[Row]) -> None:
        self.before, self.after = set(before), set(after)
        self.rows = self.before ^ self.after


def _registry(rows: list[Row]) -> Row:
    found = [row for row in rows if row.endswith(REGISTRY) and path_of(row).endswith((b"/" + REGISTRY, REGISTRY))]
    if len(found) != 1:
        raise Unusual
    return found[0]


def _require_known(kept: Kept, name: str, layout: Layout, change: _Change, registry: Row) -> None:
    """That the layout is right for both sides of the change.

    :raises Unusual: where that is not known.
    """
    beside = path_of(registry)[: -len(b"registry.yaml")] + LEDGER
    if registry not in change.before or any(path_of(row) == beside for row in change.rows):
        raise Unusual
    unknown = layout.unsearched(change.after)
    if len(unknown) > MOST_SEARCHED:
        raise Unusual
    if unknown:
        contents = _contents(unknown)
        if any(map(layout.connects, contents)):
            raise Unusual
        layout.searched.update(unknown)
        kept.put(name, layout.to_bytes())


def judged_by() -> bytes:
    """The prover and the Python that runs it."""
    return prover() + sys.version.encode()


def _contents(ids: Sequence[bytes]) -> list[bytes]:
    (answer,) = _git(("cat-file", "--batch"), given=b"".join(id + b"\n" for id in ids))
    found, at = [], 0
    for _ in ids:
        end = answer.index(b"\n", at)
        size = int(answer[at:end].rpartition(b" ")[2])
        found.append(answer[end + 1 : end + 1 + size])
        at = end + size + 2
    return found


def _git(*commands: tuple[str, ...], given: bytes = b"") -> list[bytes]:
    """What git says to each of these, all of them at once.

    :raises Unusual: where one of them fails.
    """
    started = [_start(("git", *command), given) for command in commands]
    outputs = [_read(pipe) for _, pipe in started]
    if any([os.waitpid(process, 0)[1] for process, _ in started]):
        raise Unusual
    return outputs


def _start(command: tuple[str, ...], given: bytes) -> tuple[int, int]:
    reading, writing = os.pipe()
    nothing = os.open(os.devnull, os.O_RDWR)
    source = _source(given) if given else nothing
    actions = [
        (os.POSIX_SPAWN_DUP2, source, 0),
        (os.POSIX_SPAWN_DUP2, writing, 1),
        (os.POSIX_SPAWN_DUP2, nothing, 2),
        (os.POSIX_SPAWN_CLOSE, reading),
    ]
    environment = {**os.environ, "GIT_LITERAL_PATHSPECS": "0", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        process = os.posix_spawnp(command[0], command, environment, file_actions=actions)
    finally:
        for file in {writing, nothing, source}:
            os.close(file)
    return process, reading


def _source(given: bytes) -> int:
    """A pipe that holds what is given: a few kilobytes of ids, less than a pipe takes.

    :raises Unusual: where it is more.
    """
    reading, writing = os.pipe()
    if len(given) > 16_384:
        raise Unusual
    os.write(writing, given)
    os.close(writing)
    return reading


def _read(pipe: int) -> bytes:
    with open(pipe, "rb") as file:
        return file.read()


__all__ = ["Unusual", "answer", "id_of", "judged_by"]
