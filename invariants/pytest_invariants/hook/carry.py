"""A verdict that was found of another tree holds of this one as well, where nothing that it rests on was changed.

The changed files are parsed, and nothing more: what a verdict may depend on of each of them is `program.outline`. Places move
with the lines that they name. What cannot be carried over is proved anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pytest_invariants.cli import UsageError
from pytest_invariants.hook.grounds import Files, Grounds
from pytest_invariants.hook.standing import Standing, as_json, from_json

if TYPE_CHECKING:
    from pytest_invariants.hook.git import Git
    from pytest_invariants.program.outline import Lines, Moved

MOST_CHANGED = 200
"""Files that are compared; with more the prover is not much slower."""
_PLACE = re.compile(r"(?P<path>[^\s:]+\.py):(?P<line>\d+)")
_LAMBDA = "<lambda:"


class Elsewhere(Exception):
    """A place cannot be told in the new version of its file."""


def carried(git: Git, files: Files, grounds: Grounds, standing: Standing) -> tuple[Standing, Grounds] | None:
    """How a tree with these files stands, and on what that rests, by how another one stood; None where that does not tell."""
    changed = files.changed_since(grounds.files)
    same_paths = files.ids.keys() == grounds.files.ids.keys() and files.named == grounds.files.named
    unread = {place.path for place in standing.unreadable}
    if standing.problems or not same_paths or len(changed) > MOST_CHANGED or not unread.isdisjoint(changed):
        return None
    try:
        moves = _moves(git, grounds, {path: (grounds.files.ids[path], files.ids[path]) for path in changed})
        if moves is None or not _are_unknown(git, grounds, [name for move in moves.values() for name in move.added]):
            return None
        return _shifted(standing, moves), grounds.of(files, {path: move.positions for path, move in moves.items()})
    except (UsageError, Elsewhere):
        return None


def _moves(git: Git, grounds: Grounds, changed: Mapping[str, tuple[str, str]]) -> dict[str, Moved] | None:
    """Where the lines of each changed file are now; None where one of them is another for the prover."""
    from pytest_invariants.program.outline import moved

    contents = git.contents(id for ids in changed.values() for id in ids)
    found: dict[str, Moved] = {}
    for path, (old, new) in changed.items():
        before, after = contents[old], contents[new]
        if _searched(before, grounds) != _searched(after, grounds):
            return None
        move = moved(before, after, grounds.reading(path))
        if move is None:
            return None
        found[path] = move
    return found


def _are_unknown(git: Git, grounds: Grounds, added: Sequence[str]) -> bool:
    """Whether no file knew the names of functions that came, so that nothing has come to mean them."""
    if not added:
        return True
    if grounds.namespaces:
        return False
    texts = git.contents([*grounds.files.ids.values(), grounds.files.registry]).values()
    return not any(name.encode() in text for name in added for text in texts)


def _searched(content: bytes, grounds: Grounds) -> object:
    """What the prover takes from the text of a file, parsed or not."""
    from pytest_invariants.source.files import SIZE_LIMIT, text_of
    from pytest_invariants.source.registers import registers
    from pytest_invariants.source.relevance import signs
    from pytest_invariants.source.stores import stores

    if len(content) > SIZE_LIMIT:
        raise Elsewhere
    text = text_of(content)
    registered = registers(text) if "register" in grounds.names else None
    return signs(content, grounds.groups, grounds.words), stores(text).about(set(grounds.stores)), registered


def _shifted(standing: Standing, moves: Mapping[str, Moved]) -> Standing:
    """The same with its places moved.

    :raises Elsewhere: where a place is not known to be anywhere now.
    """
    data = as_json(standing)
    if any(move.renamed for move in moves.values()) and _LAMBDA in json.dumps(data):
        raise Elsewhere
    return from_json(_at(data, {path: move.lines for path, move in moves.items()}))


def _at(data: Any, moves: Mapping[str, Lines]) -> Any:
    match data:
        case {"path": str(path), "line": int(line)} if path in moves:
            return {**data, "line": _line(line, moves[path])}
        case dict():
            return {key: _at(held, moves) for key, held in data.items()}
        case list() | tuple():
            return [_at(held, moves) for held in data]
        case str():
            return _PLACE.sub(lambda found: _text(found, moves), data)
    return data


def _text(found: re.Match[str], moves: Mapping[str, Lines]) -> str:
    path, line = found["path"], int(found["line"])
    return f"{path}:{_line(line, moves[path])}" if path in moves else found.group()


def _line(line: int, lines: Lines) -> int:
    """Where a line is now. The first one stands for none as well: for what has no line of its own."""
    if line not in lines and line == 1:
        return line
    if line not in lines or (line == 1 and lines[line] != 1):
        raise Elsewhere
    return lines[line]
