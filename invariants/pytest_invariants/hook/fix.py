"""Write into the registry what a change calls for, once it is proved. An exemption is never written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from yaml.nodes import Node

from pytest_invariants.hook.compare import Change, Kind
from pytest_invariants.hook.git import Git
from pytest_invariants.hook.judge import judge
from pytest_invariants.hook.snapshot import Snapshot
from pytest_invariants.hook.wording import Registered
from pytest_invariants.registry.edit import EditError
from pytest_invariants.registry.nodes import compose, own_entries
from pytest_invariants.registry.problems import RegistryError
from pytest_invariants.report import output


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of the registry's text, and the surface that has to be proved once it is made."""

    surface: str
    said: str
    apply: Callable[[str], str]


def fix(git: Git, shot: Snapshot, about: Registered, changes: Sequence[Change]) -> bool:
    """Write the rows of doors that ask the seal, and the new names of renamed ones; whether the file changed.

    The file of the work tree is written; whoever agrees stages it.
    """
    edits = list(_true(git, shot, about, list(_edits(changes, about))))
    file = git.top / about.path
    try:
        old = file.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        print(f"{about.path}: cannot be changed: {error}")
        return False
    new = _applied(edits, old, about.path)
    if new == old:
        return False
    output.write(file, new)
    print(f"{about.path}: changed; read it, and stage it")
    return True


def _edits(changes: Sequence[Change], about: Registered) -> Iterator[Edit]:
    for change in changes:
        row = about.rows.get(change.name)
        if row is not None and change.door is not None and change.door.asks:
            yield Edit(row.id, f"the surface {row.id} ({row.function}, {row.manner})", row.added_to)
        elif change.kind is Kind.RENAMED and change.stand is not None:
            id = change.stand.id
            yield Edit(id, f"the new function of {id}", partial(_renamed, id=id, function=change.name))


def _true(git: Git, shot: Snapshot, about: Registered, edits: list[Edit]) -> Iterator[Edit]:
    """Those after which the prover agrees."""
    if not edits:
        return
    found = judge(git, shot, _applied(edits, about.text, about.path)).by_id
    for edit in edits:
        if edit.surface in found and found[edit.surface].proved:
            yield edit
        else:
            print(f"{about.path}: not written, since it would not be proved: {edit.said}")


def _applied(edits: Sequence[Edit], text: str, path: str) -> str:
    for edit in edits:
        try:
            text = edit.apply(text)
        except (EditError, RegistryError) as error:
            print(f"{path}: {error}")
    return text


def _renamed(text: str, id: str, function: str) -> str:
    """The registry with another function in the row of a surface; nothing else changes.

    :raises EditError: where the row is not there.
    """
    bom = text[: text.startswith("\ufeff")]
    text = text[len(bom) :]
    row = {key.value: value for key, value in own_entries(_value(compose(text, "the registry"), "surfaces", id))}
    if "function" not in row:
        raise EditError(f"the surface `{id}` has no function of its own to rename")
    start, end = row["function"].start_mark.index, row["function"].end_mark.index
    quote = text[start] if text[start] in "'\"" else ""
    return f"{bom}{text[:start]}{quote}{function}{quote}{text[end:]}"


def _value(node: Node, *keys: str) -> Node:
    for name in keys:
        found = [value for key, value in own_entries(node) if key.value == name]
        if not found:
            raise EditError(f"the registry has no `{name}`")
        node = found[0]
    return node
