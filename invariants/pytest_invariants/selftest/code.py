"""The files of the code under test as text and trees, and a file with one top-level statement rewritten."""

from __future__ import annotations

import ast
import difflib
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from pytest_invariants.registry.model import Reference, Registry
from pytest_invariants.source.files import find_sources

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """A file of the code as it was read, with its dotted name. Trees are parsed anew, since operators change them."""

    name: str
    path: str
    text: str
    encoding: str

    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    def function_at(self, line: int) -> str:
        """The qualified name of the innermost function around a line."""
        return ".".join(_names_around(self.tree(), line))

    def line(self, number: int) -> str:
        lines = self.text.split("\n")
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""


@dataclass
class Code:
    """The Python files that a registry speaks of, read when they are first needed."""

    registry: Registry
    _files: dict[str, tuple[str, Path]] = field(default_factory=dict)
    _modules: dict[str, Module] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for source in find_sources(self.registry.root, self.registry.code):
            self._files[source.path] = (source.module, source.file)

    def module_at(self, path: str) -> Module | None:
        """The module in a file; None where there is no such file, or it cannot be read as Python."""
        if path not in self._modules and path in self._files:
            name, file = self._files[path]
            content = file.read_bytes()
            try:
                encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
                text = content.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
                ast.parse(text)
            except (SyntaxError, ValueError):
                return None
            self._modules[path] = Module(name, path, text, encoding)
        return self._modules.get(path)

    def modules(self) -> Iterator[Module]:
        """Every file that can be read, in the order of their paths."""
        return (module for module in map(self.module_at, self._files) if module is not None)

    def module(self, name: str) -> Module | None:
        path = next((path for path, (dotted, _) in self._files.items() if dotted == name), None)
        return self.module_at(path) if path is not None else None

    def definition(self, reference: Reference) -> Function | None:
        """The function or method that a reference names, where it is written out in the code."""
        module = self.module(reference.module)
        found: ast.AST | None = module.tree() if module is not None else None
        for name in reference.qualname.replace(".<locals>.", ".").split("."):
            found = next((node for node in _defined(found) if node.name == name), None) if found else None
        return found if isinstance(found, Function) else None


def _names_around(scope: ast.AST, line: int) -> list[str]:
    for node in _defined(scope):
        if _first_line(node) <= line <= (node.end_lineno or node.lineno):
            return [node.name, *_names_around(node, line)]
    return []


def _defined(scope: ast.AST) -> Iterator[Function | ast.ClassDef]:
    """What is defined in a scope itself, also under a condition, but not in a function or class inside it."""
    for child in ast.iter_child_nodes(scope):
        if isinstance(child, Function | ast.ClassDef):
            yield child
        elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from _defined(child)


@dataclass
class Draft:
    """A module under change: `tree` is changed in place, `prelude` is what has to stand before what was changed."""

    module: Module
    tree: ast.Module
    prelude: list[str] = field(default_factory=list)
    touched: set[int] = field(default_factory=set)
    """The top-level statements that were changed."""

    @classmethod
    def of(cls, module: Module) -> Draft:
        return cls(module, module.tree())

    def touch(self, node: ast.AST) -> None:
        """Say that the top-level statement around a node is going to be changed.

        :raises ValueError: where it shares a line with another one.
        """
        index = next(i for i, one in enumerate(self.tree.body) if node in ast.walk(one))
        if _shared(self.module.tree(), index):
            raise ValueError("the statement shares its line with another one")
        self.touched.add(index)

    def written(self) -> tuple[bytes, tuple[str, ...]]:
        """The file with only the touched statements written anew, and the lines that differ."""
        lines = self.module.text.split("\n")
        diff: list[str] = []
        for index in sorted(self.touched, reverse=True):
            old = self.module.tree().body[index]
            prelude = self.prelude if index == min(self.touched) else []
            new = [*prelude, ast.unparse(ast.fix_missing_locations(self.tree.body[index]))]
            lines[_first_line(old) - 1 : old.end_lineno or old.lineno] = new
            diff[:0] = _difference(ast.unparse(old), "\n".join(new))
        text = "\n".join(lines)
        ast.parse(text)
        return text.encode(self.module.encoding), tuple(diff)


def _first_line(statement: ast.stmt) -> int:
    decorators = statement.decorator_list if isinstance(statement, Function | ast.ClassDef) else []
    return min([statement.lineno, *(one.lineno for one in decorators)])


def _shared(tree: ast.Module, index: int) -> bool:
    near = tree.body[max(0, index - 1) : index + 2]
    return any((a.end_lineno or a.lineno) >= _first_line(b) for a, b in pairwise(near))


def _difference(old: str, new: str) -> tuple[str, ...]:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
    return tuple(line for line in lines if not line.startswith(("---", "+++", "@@")))
