"""The answer of `invariants hook` where nothing has to be proved, or the same change was judged before: in a few milliseconds.

What is staged is taken from git, and compared with the last commit by the ids of contents. Wherever anything is unusual,
there is no answer here, and the whole hook is run. This module imports next to nothing: start-up is most of its time.
"""

from __future__ import annotations

import os
import sys

from pytest_invariants.hook.kept import FOLDER, Kept, digest, prover
from pytest_invariants.hook.layout import (
    Layout,
    Row,
    answer_name,
    id_of,
    layout_name,
    path_of,
    read_layout,
    rows_in,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

REGISTRY = b"entrypoints/registry.yaml"
LEDGER = b"ledger.txt"
UNTOUCHED = "no staged change touches what it judges"
MOST_SEARCHED = 400
"""Contents that are searched here; with more the whole hook is faster."""
RANGE = ("PRE_COMMIT_FROM_REF", "PRE_COMMIT_TO_REF")
ELSEWHERE = ("GIT_DIR", "GIT_WORK_TREE")
STAGED = ("ls-files", "-s", "-z", "--full-name", ":/")
CHANGE = ("diff-index", "--cached", "--raw", "-z", "--no-renames", "--ignore-submodules", "HEAD")
NOWHERE = b"000000"


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
    after, change = git(STAGED, CHANGE)
    kept = Kept(top_of(environment), environment)
    if kept.off or b"\t" + FOLDER.encode() in after or after.count(b"\t") != after.count(b"\0"):
        raise Unusual
    registry, changed = _registry(after), _changes(change)
    judge = judged_by()
    name = layout_name(judge, registry)
    layout = read_layout(kept, name)
    beside = path_of(registry)[: -len(b"registry.yaml")] + LEDGER
    if layout is None or not changed or {path_of(registry), beside} & set(changed):
        raise Unusual
    before = after
    if any(map(layout.holds, changed)):
        before = _before(after.split(b"\0")[:-1], changed)
    state = layout.inside(after)
    states = (state if before is after else layout.inside(before), state)
    if states[0] not in layout.insides:
        raise Unusual
    _search(kept, name, layout, after, changed)
    if states[0] == states[1]:
        return 0, f"{os.fsdecode(path_of(registry))}: {UNTOUCHED}\n"
    said = kept.get(answer_name(judge, registry, *states))
    if said is None:
        raise Unusual
    status, _, text = said.decode().partition("\n")
    return int(status), text


def top_of(environment: Mapping[str, str]) -> str:
    """The top of the work tree."""
    if any(environment.get(name) for name in ELSEWHERE):
        return os.fsdecode(git(("rev-parse", "--show-toplevel"))[0][:-1])
    folder = os.getcwd()
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            raise Unusual
        folder = above
    return folder


def _registry(tree: bytes) -> Row:
    """The one registry; at another place than the usual one, or beside another, it is not for this module."""
    end = tree.find(REGISTRY + b"\0") + len(REGISTRY)
    row = tree[tree.rfind(b"\0", 0, end) + 1 : end]
    if tree.count(REGISTRY + b"\0") != 1 or not (b"/" + path_of(row)).endswith(b"/" + REGISTRY):
        raise Unusual
    return row


def _changes(raw: bytes) -> dict[bytes, Row | None]:
    """For each path that was changed its row before the change; None where it was not there."""
    fields = raw.split(b"\0")[:-1]
    found: dict[bytes, Row | None] = {}
    for meta, path in zip(fields[::2], fields[1::2], strict=True):
        mode, _, id, _, status = meta.removeprefix(b":").split(b" ")
        if status not in (b"A", b"M", b"D", b"T"):
            raise Unusual
        found[path] = None if mode == NOWHERE else b"%b %b 0\t%b" % (mode, id, path)
    return found


def _before(rows: Iterable[Row], changed: Mapping[bytes, Row | None]) -> bytes:
    """The listing of these rows as it was before the change."""
    found: dict[bytes, Row | None] = {path_of(row): row for row in rows}
    found.update(changed)
    return b"".join(row + b"\0" for _, row in sorted(found.items()) if row is not None)


def _search(kept: Kept, name: str, layout: Layout, after: bytes, changed: Mapping[bytes, Row | None]) -> None:
    """See that no word comes up in what is apart, where that is not known.

    :raises Unusual: where one does, or too much would have to be searched.
    """
    unknown = layout.unknown(after)
    if not unknown:
        return
    ids = [id for prefix, span in unknown.values() for id in _to_search(layout, prefix, rows_in(after, span), changed)]
    if len(ids) > MOST_SEARCHED or (ids and any(map(layout.connects, _contents(ids)))):
        raise Unusual
    layout.clean += unknown
    kept.put(name, layout.to_bytes())


def _to_search(layout: Layout, prefix: bytes, rows: list[Row], changed: Mapping[bytes, Row | None]) -> Iterable[bytes]:
    """The contents of a package that are not known; only those that changed, where it was known before the change."""
    inside = {path: row for path, row in changed.items() if path.startswith(prefix)}
    known = digest(_before(rows, inside)) in layout.clean
    return [id_of(row) for row in rows if row.endswith(b".py") and (not known or path_of(row) in inside)]


def judged_by() -> bytes:
    """The prover and the Python that runs it."""
    return prover() + sys.version.encode()


def _contents(ids: Sequence[bytes]) -> list[bytes]:
    (answer,) = git(("cat-file", "--batch"), given=b"".join(id + b"\n" for id in ids))
    found, at = [], 0
    for _ in ids:
        end = answer.index(b"\n", at)
        size = int(answer[at:end].rpartition(b" ")[2])
        found.append(answer[end + 1 : end + 1 + size])
        at = end + size + 2
    return found


def git(*commands: tuple[str, ...], given: bytes = b"") -> list[bytes]:
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
