"""The condition at which a surface asks the seal, as text: it stays the same when lines above it move."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

_PLACE = re.compile(r".* at (?P<path>.+):(?P<line>\d+)")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SHOWN = 160


class Conditions:
    """Reads the files of one repository, each once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._trees: dict[str, ast.Module | None] = {}

    def of(self, guards: Iterable[str]) -> tuple[str, ...]:
        """For each guard of a proof (`the seal asked at agent/doors.py:9`) its function and the test there, sorted."""
        places = [place for guard in guards if (place := _PLACE.fullmatch(guard))]
        return tuple(sorted({self._text(place["path"], int(place["line"])) for place in places}))

    def _text(self, path: str, line: int) -> str:
        if path not in self._trees:
            self._trees[path] = _parsed(self._root / path)
        tree = self._trees[path]
        return path if tree is None else f"{path}: {_at(tree, line)}"


def _parsed(file: Path) -> ast.Module | None:
    try:
        return ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None


def _at(tree: ast.Module, line: int) -> str:
    """The function that holds a line, and of the statement there the part that decides."""
    names: list[str] = []
    held: ast.stmt | None = None
    for node in _around(tree, line):
        if isinstance(node, _DEFINITIONS):
            names.append(node.name)
        held = node
    text = " ".join(_deciding(held, line).split()) if held is not None else ""
    shown = text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
    return f"{'.'.join(names)}: {shown}" if names else shown


def _around(tree: ast.AST, line: int) -> Iterator[ast.stmt]:
    """The statements that hold a line, the outermost first."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.stmt) and child.lineno <= line <= (child.end_lineno or child.lineno):
            yield child
            yield from _around(child, line)
            return
        if isinstance(child, ast.ExceptHandler | ast.match_case):
            yield from _around(child, line)


def _deciding(statement: ast.stmt, line: int) -> str:
    match statement:
        case ast.If(test=test) | ast.While(test=test):
            return f"{'if' if isinstance(statement, ast.If) else 'while'} {ast.unparse(test)}"
        case ast.Match(subject=subject):
            return f"match {ast.unparse(subject)}"
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return f"with {', '.join(map(ast.unparse, items))}"
        case ast.For(iter=source) | ast.AsyncFor(iter=source):
            return f"for ... in {ast.unparse(source)}"
    tests = [test for node in ast.walk(statement) if isinstance(node, ast.comprehension) for test in node.ifs]
    held = [test for test in tests if test.lineno <= line <= (test.end_lineno or test.lineno)]
    return f"if {ast.unparse(held[0])}" if held else ast.unparse(statement)
