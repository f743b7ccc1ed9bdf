"""The answer of `invariants hook` where nothing has to be proved, or the same change was judged before: in a few milliseconds.

What is staged is taken from git, and compared with the last commit by the ids of contents. Wherever anything is unusual,
there is no answer here, and the whole hook is run. This module imports next to nothing: start-up is most of its time.
"""

from __future__ import annotations

import os
import sys

from pytest_invariants.hook.kept import FOLDER, Kept, digest, prover
from pytest_invariants.hook.layout import (
    LINK,
    Layout,
    Row,
    answer_name,
    commit_name,
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
CHANGE = ("diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev")
NOWHERE, FILE = b"000000", b"100"
"""How the mode of what is not there begins, and that of a file."""


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
    top = top_of(environment)
    kept, judge = Kept(top, environment), judged_by()
    if kept.off:
        raise Unusual
    commit = _head(top, environment)
    registry = _since(kept, judge, commit) if commit else None
    return _untouched(registry) if registry is not None else _by_listing(kept, judge, commit)


def _untouched(registry: Row) -> tuple[int, str]:
    return 0, f"{os.fsdecode(path_of(registry))}: {UNTOUCHED}\n"


def _since(kept: Kept, judge: bytes, commit: bytes) -> Row | None:
    """The registry, where nothing that counts differs from a commit of which it is known where all of it lies.

    What else is staged is not even listed.
    """
    state, _, registry = (kept.get(commit_name(judge, commit)) or b"").partition(b"\n")
    layout = read_layout(kept, layout_name(judge, registry)) if registry else None
    if layout is None or state != _state(layout):
        return None
    changed = _changes(git((*CHANGE, commit.decode()))[0])
    paths = [*changed]
    if any(_is_held(layout, path, rows) for path, rows in changed.items()) or not paths or _are_of(registry, paths):
        return None
    if any(path.startswith(FOLDER.encode()) or b"\t" in path for path in paths):
        return None
    new = [row for path, (_, row) in changed.items() if row and path.endswith(b".py") and path.startswith(layout.apart)]
    if len(new) > MOST_SEARCHED or (new and any(map(layout.connects, _contents([id_of(row) for row in new])))):
        return None
    kept.touch(commit_name(judge, commit))
    kept.touch(layout_name(judge, registry))
    return registry


def _is_held(layout: Layout, path: bytes, rows: tuple[Row | None, Row | None]) -> bool:
    """Whether a change of this file may be one of the related files."""
    files = [row is not None and row.startswith(FILE) for row in rows]
    return layout.holds(path, was=rows[0] is not None, stays=all(files))


def _state(layout: Layout) -> bytes:
    """What a commit's entry says of the layout under which it was made."""
    return digest(layout.parts()).encode()


def _by_listing(kept: Kept, judge: bytes, commit: bytes) -> tuple[int, str]:
    """The answer by all that is staged."""
    after, change = git(STAGED, (*CHANGE, commit.decode() or "HEAD"))
    if b"\t" + FOLDER.encode() in after or after.count(b"\t") != after.count(b"\0"):
        raise Unusual
    registry, changes = _registry(after), _changes(change)
    changed = {path: before for path, (before, _) in changes.items()}
    layout = read_layout(kept, layout_name(judge, registry))
    if layout is None or not changed or _are_of(registry, changed):
        raise Unusual
    state = layout.inside(after)
    held = any(_is_held(layout, path, rows) for path, rows in changes.items())
    before = _before(after.split(b"\0")[:-1], changed) if held else after
    states = (state if before is after else layout.inside(before), state)
    if states[0] not in layout.insides:
        raise Unusual
    _search(kept, layout_name(judge, registry), layout, after, changed)
    if states[0] == states[1]:
        if commit and not layout.unknown(_before(after.split(b"\0")[:-1], changed)):
            kept.put(commit_name(judge, commit), _state(layout) + b"\n" + registry)
        return _untouched(registry)
    said = kept.get(answer_name(judge, registry, *states))
    if said is None:
        raise Unusual
    status, _, text = said.decode().partition("\n")
    return int(status), text


def _are_of(registry: Row, changed: Iterable[bytes]) -> bool:
    """Whether a registry is among what was changed, or the ledger beside it."""
    beside = path_of(registry)[: -len(b"registry.yaml")] + LEDGER
    return any(path == beside or path.endswith(REGISTRY) for path in changed)


def _head(top: str, environment: Mapping[str, str]) -> bytes:
    """The id of the last commit, where git's own files have it in the usual place; otherwise nothing."""
    folder = os.path.join(top, ".git")
    if any(environment.get(name) for name in ELSEWHERE):
        return b""
    said = _line_of(os.path.join(folder, "HEAD"))
    if said.startswith(b"ref: refs/"):
        said = _line_of(os.path.join(folder, os.fsdecode(said[5:])))
    return said if len(said) in (40, 64) and said.isalnum() else b""


def _line_of(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(400).rstrip(b"\n")
    except OSError:  # not a folder, or a reference that is packed
        return b""


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


def _changes(raw: bytes) -> dict[bytes, tuple[Row | None, Row | None]]:
    """For each path that was changed its rows before and after the change; None where it was not there."""
    fields = raw.split(b"\0")[:-1]
    found: dict[bytes, tuple[Row | None, Row | None]] = {}
    for meta, path in zip(fields[::2], fields[1::2], strict=True):
        *modes, one, other, status = meta.removeprefix(b":").split(b" ")
        if status not in (b"A", b"M", b"D", b"T") or modes[1] == LINK:
            raise Unusual
        before, after = (
            None if mode == NOWHERE else b"%b %b 0\t%b" % (mode, id, path)
            for mode, id in zip(modes, (one, other), strict=True)
        )
        found[path] = before, after
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
