"""A function that went away and one that came are the same where their code says the same: renamed, or moved."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from pytest_invariants.hook.git import Git, Tree
from pytest_invariants.hook.standing import Entry, Standing

ALIKE = 0.7
"""How much of two bodies has to agree, where both were changed: their lines, as a share of all lines."""


@dataclass(frozen=True, slots=True)
class Side:
    """What git holds of one side of a change, and how it stands."""

    files: Tree
    standing: Standing


def renames(git: Git, before: Side, after: Side) -> dict[str, str]:
    """New functions by the old ones that they were: only among doors, and only where one is gone and one has come."""
    gone = _doors_missing_in(after.standing, before.standing)
    come = _doors_missing_in(before.standing, after.standing)
    if not gone or not come:
        return {}
    old, new = _bodies(git, before.files, gone), _bodies(git, after.files, come)
    stayed = _bodies(git, after.files, gone)
    pairs = sorted(
        ((_likeness(one, other), left, right) for left, one in old.items() for right, other in new.items()),
        key=lambda pair: (-pair[0], pair[1], pair[2]),
    )
    return _best({(left, right): ratio for ratio, left, right in pairs if left not in stayed})


def _best(pairs: Mapping[tuple[str, str], float]) -> dict[str, str]:
    """Each function at most once, the likest pairs first."""
    found: dict[str, str] = {}
    for (left, right), ratio in pairs.items():
        if ratio >= ALIKE and left not in found and right not in found.values():
            found[left] = right
    return found


def _doors_missing_in(one: Standing, other: Standing) -> list[Entry]:
    known = {door.function for door in one.doors}
    return [door for door in other.doors if door.function not in known]


def _bodies(git: Git, files: Tree, doors: Iterable[Entry]) -> dict[str, list[str]]:
    """The code of each door in lines, without its name and its docstring."""
    held = {door.function: files[door.at.path].id for door in doors if door.at.path in files}
    contents = git.contents(held.values())
    found: dict[str, list[str]] = {}
    for function, id in held.items():
        with suppress(SyntaxError, ValueError, RecursionError):
            node = _definition(ast.parse(contents[id]), function.partition(":")[2])
            if node is not None:
                found[function] = _lines(node)
    return found


def _definition(tree: ast.AST, qualname: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    node: ast.AST = tree
    for name in qualname.replace(".<locals>", "").split("."):
        inner = next(
            (each for each in ast.walk(node) if each is not node and getattr(each, "name", None) == name), None
        )
        if inner is None:
            return None
        node = inner
    return node if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else None


def _lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    text = "\n".join((ast.unparse(node.args), *map(ast.unparse, body)))
    return text.replace(node.name, "_").splitlines()


def _likeness(one: list[str], other: list[str]) -> float:
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()
